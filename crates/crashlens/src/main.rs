//! The `crashlens` command.
//!
//! It has the `main` of C. What std does before a `main` of Rust ends the process where a seccomp filter refuses `poll`
//! or `sigaction`, and with it the run of a program that needs neither.
#![no_main]
#![expect(
    unsafe_code,
    reason = "a name that the linker looks for, and an allocator"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::hint::black_box;
use std::io::Write as _;
use std::panic::catch_unwind;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crashlens::ExitStatus;
use nix::sys::resource::{Resource, getrlimit};

/// The exit status of a Rust program that panics.
const PANICKED: i32 = 101;

// SAFETY: no other function of this program has the name, and the C library calls it once, after its own initialization.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const u8) -> c_int {
    crashlens_trace::prepare_process();
    grow_stack();
    ALLOCATOR.fill();
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

/// As much stack as parsing the arguments takes in a build without optimization, and more than any other work takes.
const STACK: usize = 512 << 10;

/// Takes the stack before the reserve takes the rest: under a limit on memory a stack that cannot grow is a
/// segmentation fault, where an allocation that fails is an error (seen with `ulimit -v 49000`).
fn grow_stack() {
    let limit = getrlimit(Resource::RLIMIT_STACK);
    if limit.is_ok_and(|(soft, _)| soft > 2 * STACK as u64) {
        touch_stack();
    }
}

#[expect(clippy::large_stack_arrays, reason = "the stack is to be large")]
#[inline(never)]
fn touch_stack() {
    black_box([0_u8; STACK]);
}

/// Kept free for the report of a program that was given little memory, and crashlens with it.
const RESERVE: Layout = match Layout::from_size_align(4 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a valid layout"),
};

/// The allocator of the system, with a reserve for when it has nothing left. When that is used up too, crashlens ends as the
/// program that it supervises; std would end it with SIGABRT, and the program's parent would take that for the program's end.
struct WithReserve(AtomicPtr<u8>);

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve(AtomicPtr::new(null_mut()));

impl WithReserve {
    /// Puts the reserve aside. It is never written to, so that it takes no memory but room under a limit.
    fn fill(&self) {
        // SAFETY: the layout is not of size zero.
        let reserve = unsafe { System.alloc(RESERVE) };
        self.0.store(reserve, Ordering::Relaxed);
    }

    /// What `allocate` gives, if necessary after the reserve is released.
    fn insist(&self, allocate: impl Fn() -> *mut u8) -> *mut u8 {
        let memory = allocate();
        if !memory.is_null() {
            return memory;
        }
        let reserve = self.0.swap(null_mut(), Ordering::Relaxed);
        if !reserve.is_null() {
            // SAFETY: it came from the same allocator with the same layout, and is in use nowhere.
            unsafe { System.dealloc(reserve, RESERVE) };
        }
        let memory = allocate();
        if memory.is_null() {
            crashlens_trace::end_without_memory();
        }
        memory
    }
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for WithReserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        self.insist(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        self.insist(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises; what failed has left the memory as it was.
        self.insist(|| unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}
