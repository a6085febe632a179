//! What a wait status means, as one value. Pure: the table of statuses below is the whole test.

/// Something that happened to a traced thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// It is gone; `status` as `waitpid` gave it.
    Ended { status: i32 },
    /// It is about to receive a signal, which is lost unless it is passed on.
    Signal { signal: i32 },
    /// A stop signal took effect on its whole process.
    GroupStop { signal: i32 },
    /// It stopped because we asked, because it is new, or because its process was continued.
    Interrupted,
    /// It made a new process, whose first stop says more.
    Forked,
    /// It made a new thread, or a process of an unusual kind; `None` when the id could not be read.
    Cloned { tracee: Option<u32> },
    /// It became another program; `former` is the id of the thread that did.
    Exec { former: Option<u32> },
    /// It is about to end, memory and registers still there; `status` as `waitpid` will give it.
    Exiting { status: Option<i32> },
    /// It enters or leaves a system call.
    SystemCall,
    /// Nothing to act on.
    Other,
}

const PTRACE_EVENT_STOP: i32 = 128;
const SYSTEM_CALL_BIT: i32 = 0x80;

fn stop_event(status: i32) -> i32 {
    if libc::WIFSTOPPED(status) {
        status >> 16
    } else {
        0
    }
}

/// Whether the event has a message that is needed.
pub(crate) fn has_message(status: i32) -> bool {
    matches!(
        stop_event(status),
        libc::PTRACE_EVENT_CLONE | libc::PTRACE_EVENT_EXEC | libc::PTRACE_EVENT_EXIT
    )
}

/// Decodes a wait status and the message of its event, where it has one and it could be read.
pub(crate) fn decode_event(status: i32, message: Option<u64>) -> Event {
    if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
        return Event::Ended { status };
    }
    if !libc::WIFSTOPPED(status) {
        return Event::Other;
    }
    let signal = libc::WSTOPSIG(status);
    let thread = message.and_then(|message| u32::try_from(message).ok());
    match stop_event(status) {
        0 if signal == libc::SIGTRAP | SYSTEM_CALL_BIT => Event::SystemCall,
        0 => Event::Signal { signal },
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK => Event::Forked,
        libc::PTRACE_EVENT_CLONE => Event::Cloned { tracee: thread },
        libc::PTRACE_EVENT_EXEC => Event::Exec { former: thread },
        libc::PTRACE_EVENT_EXIT => Event::Exiting {
            status: message.map(|message| message as i32),
        },
        PTRACE_EVENT_STOP if signal == libc::SIGTRAP => Event::Interrupted,
        PTRACE_EVENT_STOP => Event::GroupStop { signal },
        _ => Event::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn stopped(signal: i32, event: i32) -> i32 {
        event << 16 | signal << 8 | 0x7f
    }

    #[test]
    fn a_wait_status_becomes_one_event() {
        let table = [
            (0x0500, None, Event::Ended { status: 0x0500 }),
            (0x008b, None, Event::Ended { status: 0x008b }),
            (0xffff, None, Event::Other),
            (
                stopped(libc::SIGSEGV, 0),
                None,
                Event::Signal {
                    signal: libc::SIGSEGV,
                },
            ),
            (
                stopped(libc::SIGTRAP, 0),
                None,
                Event::Signal {
                    signal: libc::SIGTRAP,
                },
            ),
            (stopped(40, 0), None, Event::Signal { signal: 40 }),
            (stopped(libc::SIGTRAP | 0x80, 0), None, Event::SystemCall),
            (
                stopped(libc::SIGTRAP, libc::PTRACE_EVENT_CLONE),
                Some(7),
                Event::Cloned { tracee: Some(7) },
            ),
            (
                stopped(libc::SIGTRAP, libc::PTRACE_EVENT_FORK),
                Some(8),
                Event::Forked,
            ),
            (
                stopped(libc::SIGTRAP, libc::PTRACE_EVENT_VFORK),
                None,
                Event::Forked,
            ),
            (
                stopped(libc::SIGTRAP, libc::PTRACE_EVENT_EXEC),
                Some(9),
                Event::Exec { former: Some(9) },
            ),
            (
                stopped(libc::SIGTRAP, libc::PTRACE_EVENT_EXIT),
                Some(9),
                Event::Exiting { status: Some(9) },
            ),
            (
                stopped(libc::SIGTRAP, PTRACE_EVENT_STOP),
                None,
                Event::Interrupted,
            ),
            (
                stopped(libc::SIGTSTP, PTRACE_EVENT_STOP),
                None,
                Event::GroupStop {
                    signal: libc::SIGTSTP,
                },
            ),
            (
                stopped(libc::SIGTRAP, libc::PTRACE_EVENT_SECCOMP),
                Some(1),
                Event::Other,
            ),
        ];
        for (status, message, event) in table {
            assert_eq!(decode_event(status, message), event, "{status:#x}");
        }
    }

    #[test]
    fn only_events_with_a_message_are_asked_for_it() {
        assert!(has_message(stopped(libc::SIGTRAP, libc::PTRACE_EVENT_EXIT)));
        assert!(!has_message(stopped(
            libc::SIGTRAP,
            libc::PTRACE_EVENT_FORK
        )));
        assert!(!has_message(stopped(libc::SIGTRAP, PTRACE_EVENT_STOP)));
        assert!(!has_message(stopped(libc::SIGSEGV, 0)));
        assert!(!has_message(0x008b));
    }
}
