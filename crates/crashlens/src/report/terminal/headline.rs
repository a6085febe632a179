//! The first sentence: who died, of what, in plain words.

use std::io;

use crashlens_core::{CaptureSource, Death, Ending, EndingKind, Place, Role, Signal};

use super::page::{ALARM, PLAIN, Page, STRONG};

/// Writes the first sentence.
pub(super) fn write(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    if death.source == CaptureSource::Text {
        return write_of_text(page, death);
    }
    let program = program(death).unwrap_or("the process");
    let who = match death.role {
        // Text seldom tells.
        _ if death.pid == 0 => String::new(),
        Role::Main => format!(" (pid {})", death.pid),
        Role::Child => format!(
            " (pid {}, a child process of {})",
            death.pid, death.parent_pid
        ),
    };
    let ending = &death.ending;
    match ending.kind {
        EndingKind::Running | EndingKind::Stopped => page.sentence(&[
            (STRONG, program),
            (PLAIN, &who),
            (PLAIN, alive(death)),
            (PLAIN, " This is what its threads were doing."),
        ]),
        EndingKind::Unknown => page.sentence(&[
            (PLAIN, "The core dump does not say how "),
            (STRONG, program),
            (PLAIN, &who),
            (PLAIN, " ended."),
        ]),
        EndingKind::Exit => {
            let code = ending
                .exit_code
                .map_or_else(String::new, |code| format!(" with exit code {code}"));
            page.sentence(&[
                (STRONG, program),
                (PLAIN, &who),
                (PLAIN, &format!(" ended{code}.")),
            ])
        }
        EndingKind::Signal | EndingKind::OomKill => {
            let signal = ending
                .signal
                .map_or_else(|| "a signal".to_owned(), Signal::name);
            page.sentence(&[
                (STRONG, program),
                (PLAIN, &who),
                (PLAIN, " died of "),
                (ALARM, &signal),
                (PLAIN, &format!(": {}.", explanation(death))),
            ])
        }
    }
}

/// What a process was doing as a whole that is not known to have ended.
fn alive(death: &Death) -> &'static str {
    match (death.source, death.ending.kind) {
        (_, EndingKind::Stopped) => {
            " is stopped, as after SIGSTOP or Ctrl-Z; SIGCONT lets it go on."
        }
        (CaptureSource::Core, _) => " was alive when the core dump was written.",
        _ => " is running.",
    }
}

/// A text is a witness, not the process: what it says is told as its word.
fn write_of_text(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    let program = program(death).unwrap_or("the process");
    let who = if death.pid == 0 {
        String::new()
    } else {
        format!(" (pid {})", death.pid)
    };
    let ending = &death.ending;
    let lead = (PLAIN, "According to the text, ");
    match (ending.kind, ending.signal, ending.exit_code) {
        (EndingKind::OomKill, ..) => page.sentence(&[
            lead,
            (STRONG, program),
            (PLAIN, &who),
            (PLAIN, " was "),
            (ALARM, "killed by the kernel"),
            (PLAIN, " because memory had run out."),
        ]),
        (_, Some(Signal::KILL), _) => page.sentence(&[
            lead,
            (STRONG, program),
            (PLAIN, &who),
            (PLAIN, " was "),
            (ALARM, "killed (SIGKILL)"),
            (PLAIN, ". That is always done from outside."),
        ]),
        (_, Some(signal), _) => page.sentence(&[
            lead,
            (STRONG, program),
            (PLAIN, &who),
            (PLAIN, " died of "),
            (ALARM, &signal.name()),
            (PLAIN, &format!(": {}.", explanation(death))),
        ]),
        (_, None, Some(code)) => page.sentence(&[
            lead,
            (STRONG, program),
            (PLAIN, &who),
            (PLAIN, " ended with exit code "),
            (ALARM, &code.to_string()),
            (PLAIN, "."),
        ]),
        (_, None, None) => page.paragraph(&format!(
            "The text does not say of which signal {program}{who} died, if it died at all."
        )),
    }
}

/// File name of the program.
fn program(death: &Death) -> Option<&str> {
    let path = death.command.first()?;
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(name).filter(|name| !name.is_empty())
}

/// What the place that was touched tells, or else the signal.
fn explanation(death: &Death) -> String {
    let place = death.fault.as_ref().and_then(|fault| fault.place.as_ref());
    place
        .and_then(gloss_place)
        .map_or_else(|| gloss(&death.ending, death.pid), str::to_owned)
}

/// What is told better by the place that was touched than by the signal.
fn gloss_place(place: &Place) -> Option<&'static str> {
    match place {
        Place::StackOverflow => Some("the stack of a thread was full"),
        Place::NonCanonical => Some("it used a number as an address that is none"),
        Place::BeyondFile { .. } => Some("it touched a mapped file behind the file's end"),
        Place::NoSpace { .. } => Some("there was no room left for the mapped memory it touched"),
        _ => None,
    }
}

/// What the signal and its code say, in plain words and nothing more.
fn gloss(ending: &Ending, pid: u32) -> String {
    if ending.kind == EndingKind::OomKill {
        return "the kernel killed it because memory had run out".to_owned();
    }
    if let Some(sender) = ending
        .sender_pid
        .filter(|sender| *sender != pid && *sender != 0)
    {
        return format!("process {sender} sent it");
    }
    if ending.is_sent() && ending.signal != Some(Signal::ABRT) {
        return match ending.sender_pid {
            Some(0) => "a process outside of its container sent it",
            Some(_) => "it sent the signal to itself",
            None => "a process sent it",
        }
        .to_owned();
    }
    let at = ending
        .address
        .map_or_else(String::new, |address| format!(" (address\u{a0}{address})"));
    let code = ending.code.as_deref().unwrap_or_default();
    match (ending.signal.unwrap_or(Signal(0)), code) {
        (Signal::SEGV, "SEGV_MAPERR") => format!("it touched memory that is not there{at}"),
        (Signal::SEGV, "SEGV_ACCERR") => {
            format!("it touched memory in a way that is not allowed there{at}")
        }
        // A general protection fault: mostly an address of a form that none has, but also a privileged or
        // misaligned instruction.
        (Signal::SEGV, "SI_KERNEL") => {
            "the processor refused an address or an instruction, and does not say which".to_owned()
        }
        (Signal::SEGV, _) => format!("it touched memory it must not touch{at}"),
        (Signal::BUS, "BUS_ADRERR") => {
            format!("the content of the mapped memory it touched could not be had{at}")
        }
        (Signal::BUS, "BUS_ADRALN") => {
            format!("it touched memory at an address that is not aligned{at}")
        }
        (Signal::BUS, "BUS_MCEERR_AR" | "BUS_MCEERR_AO") => {
            format!("the memory hardware reported an error{at}")
        }
        (Signal::BUS, _) => format!("it touched memory that could not be had{at}"),
        (Signal::FPE, "FPE_INTDIV") => {
            "it divided an integer by zero, or the quotient did not fit".to_owned()
        }
        (Signal::FPE, _) => "an arithmetic instruction failed".to_owned(),
        (Signal::ILL, _) => format!("it ran an instruction that the processor refuses{at}"),
        (Signal::TRAP, _) => "it ran into a breakpoint or another trap".to_owned(),
        (Signal::ABRT, _) => "it gave up and ended itself (abort)".to_owned(),
        (Signal::KILL, _) => "something sent it SIGKILL; the kernel does not say who".to_owned(),
        (Signal::SYS, _) => "it made a system call that is forbidden here".to_owned(),
        (Signal(1), _) => "its terminal was closed, or it was told to hang up".to_owned(),
        (Signal(2), _) => "it was interrupted (Ctrl-C)".to_owned(),
        (Signal(13), _) => "it wrote to a pipe that nobody reads any more".to_owned(),
        (Signal(15), _) => "it was asked to end".to_owned(),
        (Signal(24), _) => "it had used up its limit of processor time".to_owned(),
        (Signal(25), _) => "a file it wrote passed the size limit".to_owned(),
        (Signal(14 | 26 | 27), _) => "a timer ran out, and nothing handled the signal".to_owned(),
        _ => "its default action is to end the process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crashlens_core::Address;

    use super::*;

    #[test]
    fn a_signal_is_told_in_plain_words() {
        let ending = |signal, code: &str, address: Option<u64>, sender_pid| Ending {
            kind: EndingKind::Signal,
            signal: Some(signal),
            code: Some(code.to_owned()),
            address: address.map(Address),
            sender_pid,
            wait_status: None,
            exit_code: None,
            earlier_faults: Vec::new(),
            raised_again: false,
        };
        let cases = [
            (
                ending(Signal::SEGV, "SEGV_MAPERR", Some(0), None),
                "it touched memory that is not there (address\u{a0}0x0)",
            ),
            (
                ending(Signal::SEGV, "SI_KERNEL", None, None),
                "the processor refused an address or an instruction, and does not say which",
            ),
            (
                ending(Signal::ABRT, "SI_TKILL", None, Some(7)),
                "it gave up and ended itself (abort)",
            ),
            (
                ending(Signal::SEGV, "SI_USER", None, Some(9)),
                "process 9 sent it",
            ),
            (
                ending(Signal::SEGV, "SI_TKILL", None, Some(7)),
                "it sent the signal to itself",
            ),
            (
                ending(Signal::SYS, "SYS_SECCOMP", None, None),
                "it made a system call that is forbidden here",
            ),
            (
                ending(Signal::SYS, "SI_USER", None, Some(7)),
                "it sent the signal to itself",
            ),
            (
                ending(Signal(25), "SI_TKILL", None, Some(7)),
                "it sent the signal to itself",
            ),
            (
                ending(Signal(24), "SI_USER", None, Some(0)),
                "a process outside of its container sent it",
            ),
            (
                ending(Signal(24), "SI_KERNEL", None, None),
                "it had used up its limit of processor time",
            ),
        ];
        for (ending, expected) in cases {
            assert_eq!(gloss(&ending, 7), expected);
        }
    }
}
