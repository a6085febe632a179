//! The `crashlens` command.
//!
//! It has the `main` of C. What std does before a `main` of Rust ends the process where a seccomp filter refuses `poll`
//! or `sigaction`, and with it the run of a program that needs neither.
#![no_main]
#![expect(unsafe_code, reason = "a name that the linker looks for")]

use std::ffi::c_int;
use std::io::Write as _;
use std::panic::catch_unwind;

use crashlens::ExitStatus;

/// The exit status of a Rust program that panics.
const PANICKED: i32 = 101;

// SAFETY: no other function of this program has the name, and the C library calls it once, after its own initialization.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const u8) -> c_int {
    crashlens_trace::prepare_process();
    let status = catch_unwind(invoke).map_or(PANICKED, |status| i32::from(status.code()));
    // As std does at the end of its own `main`.
    let _ = std::io::stdout().flush();
    status
}

fn invoke() -> ExitStatus {
    let status = crashlens::invoke(std::env::args_os());
    if let ExitStatus::Signal(signal) = status {
        // A signal leaves no time for it.
        let _ = std::io::stdout().flush();
        crashlens_trace::end_by(signal);
    }
    status
}
