//! Makes a chosen system call fail, so that tests can show what a failure costs.
//!
//! Per thread and always compiled: the check is one thread-local load beside a system call, and the
//! tests then run the very code that users run.

use std::cell::RefCell;

use nix::errno::Errno;

/// The kinds of system call that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `PTRACE_SEIZE`.
    Seize,
    /// `PTRACE_INTERRUPT`.
    Interrupt,
    /// `PTRACE_CONT`, `PTRACE_SYSCALL`, `PTRACE_LISTEN`.
    Resume,
    /// `PTRACE_DETACH`.
    Detach,
    /// `PTRACE_GETREGS`.
    Registers,
    /// `PTRACE_GETSIGINFO`.
    SignalRecord,
    /// `PTRACE_GETEVENTMSG`.
    EventMessage,
    /// `waitpid`.
    Wait,
    /// `process_vm_readv`.
    ReadMemory,
    /// `open`.
    Open,
}

struct Failure {
    call: Call,
    calls_before: u32,
    lasting: bool,
    errno: Errno,
}

thread_local! {
    static PLANNED: RefCell<Vec<Failure>> = const { RefCell::new(Vec::new()) };
}

/// Makes the `n`-th (from 1) call of this kind in this thread fail.
pub fn fail_nth(call: Call, n: u32, errno: Errno) {
    plan(Failure {
        call,
        calls_before: n.saturating_sub(1),
        lasting: false,
        errno,
    });
}

/// Makes every call of this kind in this thread fail, from the `n`-th (from 1) on.
pub fn fail_from(call: Call, n: u32, errno: Errno) {
    plan(Failure {
        call,
        calls_before: n.saturating_sub(1),
        lasting: true,
        errno,
    });
}

fn plan(failure: Failure) {
    PLANNED.with_borrow_mut(|planned| planned.push(failure));
}

/// Counts one call, and fails if a test wanted it to.
pub(crate) fn check(call: Call) -> nix::Result<()> {
    PLANNED.with_borrow_mut(|planned| {
        let Some(index) = planned.iter().position(|failure| failure.call == call) else {
            return Ok(());
        };
        let failure = &mut planned[index];
        if failure.calls_before > 0 {
            failure.calls_before -= 1;
            return Ok(());
        }
        let errno = failure.errno;
        if !failure.lasting {
            planned.remove(index);
        }
        Err(errno)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_chosen_call_fails() {
        fail_nth(Call::Open, 2, Errno::EIO);
        assert_eq!(check(Call::Wait), Ok(()));
        assert_eq!(check(Call::Open), Ok(()));
        assert_eq!(check(Call::Open), Err(Errno::EIO));
        assert_eq!(check(Call::Open), Ok(()));
    }

    #[test]
    fn a_lasting_failure_stays() {
        fail_from(Call::Registers, 1, Errno::ESRCH);
        assert_eq!(check(Call::Registers), Err(Errno::ESRCH));
        assert_eq!(check(Call::Registers), Err(Errno::ESRCH));
    }
}
