//! The `crashlens` command.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::ExitCode;

use crashlens::ExitStatus;

fn main() -> ExitCode {
    let status = crashlens::invoke(std::env::args_os());
    if let ExitStatus::Signal(signal) = status {
        // A signal leaves no time for it.
        let _ = std::io::stdout().flush();
        crashlens_trace::end_by(signal);
    }
    status.into()
}
