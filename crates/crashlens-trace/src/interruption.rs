//! System calls that are cut short only because the program is traced.
//!
//! The kernel throws away a signal that a process ignores (SIGCHLD, where nothing else was asked for), unless the
//! process is traced: then the signal is reported to the tracer first and interrupts what the thread waits
//! in, as does being stopped to be looked at. Most system calls then go on by themselves. `epoll_wait` and a few others
//! return `EINTR`, which a program without handlers never sees alone and may take for a failure.
//!
//! Only waits without a time limit are put right. One with a limit would begin to wait anew, and a program
//! whose children end often would never see it pass.

use libc::c_long;

use crate::arch::{self, UserRegisters};
use crate::calls;

/// Lets a stopped thread go on waiting as it would if it had not been stopped.
pub(crate) fn undo(thread: u32) {
    if let Some(registers) = calls::user_registers(thread).ok().and_then(resumed) {
        // Where this fails the call returns EINTR, as it does under any debugger.
        let _ = calls::set_user_registers(thread, registers);
    }
}

/// The registers with which the wait goes on, if they are those of one that was cut short.
fn resumed(registers: UserRegisters) -> Option<UserRegisters> {
    let call = arch::interrupted_call(&registers)?;
    let [_, _, third, fourth] = call.arguments;
    waits_for_ever(call.number, third, fourth).then(|| arch::call_again(registers))
}

/// Whether a system call with these third and fourth arguments returns `EINTR`, and has no time limit.
fn waits_for_ever(call: c_long, third: u64, fourth: u64) -> bool {
    match call {
        // Milliseconds, of which any negative number means for ever.
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => (fourth as u32).cast_signed() < 0,
        // No pointer to a time.
        libc::SYS_epoll_pwait2 | libc::SYS_semtimedop => fourth == 0,
        libc::SYS_rt_sigtimedwait => third == 0,
        libc::SYS_semop => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_waits_without_a_time_limit_are_put_right() {
        // The upper half of the register is not part of the argument.
        let minus_one = 0xffff_ffff;
        for (call, third, fourth, for_ever) in [
            (libc::SYS_epoll_wait, 1, minus_one, true),
            (libc::SYS_epoll_wait, 1, 0, false),
            (libc::SYS_epoll_pwait, 1, 1000, false),
            (libc::SYS_epoll_pwait2, 1, 0, true),
            (libc::SYS_epoll_pwait2, 1, 0x7ffc_0000_1000, false),
            (libc::SYS_rt_sigtimedwait, 0, 8, true),
            (libc::SYS_rt_sigtimedwait, 0x7ffc_0000_1000, 8, false),
            (libc::SYS_read, 0, 0, false),
            (-1, 0, 0, false),
        ] {
            assert_eq!(
                waits_for_ever(call, third, fourth),
                for_ever,
                "{call} {third} {fourth}"
            );
        }
    }
}
