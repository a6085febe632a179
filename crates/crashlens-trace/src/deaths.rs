//! Which ends of a process are deaths to be explained. The one place where that is decided.

use crashlens_core::{Role, Signal};

/// Whether the default action of the signal is to end the process with a core file: the signals by which
/// programs crash. Looked at before they are delivered; all others show at the exit.
pub(crate) fn dumps_core(signal: Signal) -> bool {
    matches!(
        signal.0,
        libc::SIGQUIT
            | libc::SIGILL
            | libc::SIGTRAP
            | libc::SIGABRT
            | libc::SIGBUS
            | libc::SIGFPE
            | libc::SIGSEGV
            | libc::SIGXCPU
            | libc::SIGXFSZ
            | libc::SIGSYS
    )
}

/// Whether a program that has no handler for the signal may be unaffected by it. Being stopped and continued cuts
/// waits short for programs that run alone, too.
pub(crate) fn may_be_ignored(signal: Signal) -> bool {
    !matches!(
        signal.0,
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU | libc::SIGCONT
    )
}

/// Whether a handler of the program that receives this signal may be about to raise it again.
pub(crate) fn is_first_chance(signal: Signal) -> bool {
    signal.is_fault() || signal == Signal::ABRT
}

/// Whether the end of a process by `signal` is a death to be explained.
///
/// `out_of_memory`: whether the kernel counted a kill for lack of memory; `None` when that could not be read.
pub(crate) fn counts_as_death(signal: Signal, role: Role, out_of_memory: Option<bool>) -> bool {
    match signal.0 {
        // An end that somebody asked for: the user, a scheduler, `Pool.terminate`, a reader that went away.
        libc::SIGHUP
        | libc::SIGINT
        | libc::SIGTERM
        | libc::SIGPIPE
        | libc::SIGUSR1
        | libc::SIGUSR2 => false,
        // Parents kill their workers on purpose (`Process.kill`, `subprocess` timeouts). Only the kernel's
        // own kill is a death; when its counters cannot be read, it is better told than missed.
        libc::SIGKILL => role == Role::Main || out_of_memory != Some(false),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_are_deaths_of_any_process() {
        let signals = [
            libc::SIGSEGV,
            libc::SIGABRT,
            libc::SIGBUS,
            libc::SIGSYS,
            libc::SIGALRM,
            libc::SIGPROF,
            40,
        ];
        for signal in signals {
            for role in [Role::Main, Role::Child] {
                assert!(
                    counts_as_death(Signal(signal), role, Some(false)),
                    "{signal}"
                );
            }
        }
    }

    #[test]
    fn an_end_on_request_is_no_death() {
        for signal in [
            libc::SIGHUP,
            libc::SIGINT,
            libc::SIGTERM,
            libc::SIGPIPE,
            libc::SIGUSR1,
            libc::SIGUSR2,
        ] {
            assert!(
                !counts_as_death(Signal(signal), Role::Main, None),
                "{signal}"
            );
        }
    }

    #[test]
    fn a_killed_worker_is_a_death_only_if_the_kernel_may_have_done_it() {
        assert!(counts_as_death(Signal::KILL, Role::Main, Some(false)));
        assert!(counts_as_death(Signal::KILL, Role::Child, Some(true)));
        assert!(counts_as_death(Signal::KILL, Role::Child, None));
        assert!(!counts_as_death(Signal::KILL, Role::Child, Some(false)));
    }

    #[test]
    fn only_signals_that_dump_core_are_looked_at_before_delivery() {
        assert!(dumps_core(Signal::SEGV) && dumps_core(Signal(libc::SIGXCPU)));
        assert!(
            !dumps_core(Signal(libc::SIGALRM))
                && !dumps_core(Signal(libc::SIGCHLD))
                && !dumps_core(Signal(40))
        );
    }
}
