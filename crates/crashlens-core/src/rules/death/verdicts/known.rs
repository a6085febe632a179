//! What is known of a death that nobody can explain, and what would tell more.

use crate::capture::{CaptureSource, EndingKind, MessageKind, Signal};
use crate::evidence::FactRef;
use crate::facts::{Facts, NativeSight, excerpt};
use crate::remedy::{Again, ShellLine};
use crate::rule::{Remedy, Risk};

/// Signals of timers that count CPU time, and the timers.
const TIMERS: [(i32, &str); 2] = [(26, "ITIMER_VIRTUAL"), (27, "ITIMER_PROF")];

/// The run that reads everything at the death.
fn run() -> Again {
    Again::under_crashlens()
}

/// The run in which the C library looks after its heap, and Python uses that heap for everything.
fn checked_run() -> Again {
    run()
        .set("LD_PRELOAD", "libc_malloc_debug.so.0")
        .set("MALLOC_CHECK_", "3")
        .set("PYTHONMALLOC", "malloc")
}

/// What there is to say.
pub(super) struct Known {
    pub(super) headline: String,
    pub(super) fact: FactRef,
    pub(super) claim: String,
    pub(super) next: Remedy,
}

impl Known {
    /// The most telling of what is known.
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let special = too_many_files(facts)
            .or_else(|| damaged_heap(facts))
            .or_else(|| smashed_stack(facts))
            .or_else(|| silent_abort(facts))
            .or_else(|| sent_by_itself(facts))
            .or_else(|| forbidden_call(facts))
            .or_else(|| timer_ran_out(facts));
        let special = special.or_else(|| {
            if facts.is_text() {
                in_text(facts)
            } else {
                unseen(facts)
            }
        });
        special.unwrap_or_else(|| bare(facts))
    }
}

/// `SIGSEGV`, or that it died where not even that is known.
fn died(facts: &Facts<'_>) -> String {
    facts.signal().map_or_else(
        || "died".to_owned(),
        |signal| format!("died of {}", signal.name()),
    )
}

/// ` in f (lib.so), at line 5 of train.py`, as far as it is known.
fn place(facts: &Facts<'_>) -> String {
    let culprit = facts.culprit();
    let top = facts
        .native_frames()
        .find(|sight| !sight.function().is_empty());
    let function = culprit.function.as_deref();
    let function = function.or(top.as_ref().map(NativeSight::function));
    let native = match (function, &culprit.library) {
        (Some(function), _) => {
            let name = function.split('(').next().unwrap_or_default();
            format!(" in {}", excerpt(name))
        }
        (None, Some(library)) => format!(" in {library}"),
        (None, None) => String::new(),
    };
    let line = facts.own_line().map(|line| format!(" at {line}"));
    format!("{native}{}", line.unwrap_or_default())
}

/// The C library noticed damage that somebody did before.
fn damaged_heap(facts: &Facts<'_>) -> Option<Known> {
    let (fact, claim) = if let Some((fact, message)) = facts.heap_words() {
        let words = excerpt(&message.text);
        let claim = format!(
            "\"{words}\" is said by whoever finds the damage: it names the victim, not who did it."
        );
        (fact, claim)
    } else {
        let sight = facts.in_allocator()?;
        let claim = format!(
            "It died in {}: that is the victim of damage done before.",
            sight.function()
        );
        (sight.fact, claim)
    };
    let next = "Run it with an allocator that checks: it stops nearer to whoever does the damage.";
    Some(Known {
        headline: "The heap was damaged before it died, and nothing shows by whom".to_owned(),
        fact,
        claim,
        next: Remedy::new(next).command(checked_run()),
    })
}

/// `select` takes files with numbers below 1024 only, and the C library ends whoever gives it another.
fn too_many_files(facts: &Facts<'_>) -> Option<Known> {
    let said = facts.fatal_message(MessageKind::CLibrary);
    let said = said.filter(|(_, message)| message.text.contains("FD_SETSIZE"));
    let frame = facts.frame_calling(&["__fdelt_chk", "__fdelt_warn"]);
    let fact = said.map(|(fact, _)| fact).or(frame.map(|it| it.fact))?;
    Some(Known {
        headline: "A file with a number of 1024 or more was passed to select(), which cannot take it"
            .to_owned(),
        fact,
        claim: "The C library refused a file number that does not fit into the set of select(): very many files or \
                sockets were open."
            .to_owned(),
        next: Remedy::new("See what is open while it runs, and close it after use; code that waits for files needs poll() instead.")
            .command("ls -l /proc/PID/fd | tail"),
    })
}

/// The guard behind the buffers of a function was changed.
fn smashed_stack(facts: &Facts<'_>) -> Option<Known> {
    let (fact, message) = facts.fatal_message(MessageKind::CLibrary)?;
    if !message.text.contains("stack smashing") {
        return None;
    }
    let words = excerpt(&message.text);
    Some(Known {
        headline: "A function wrote beyond a buffer on its stack, and which is not known"
            .to_owned(),
        fact,
        claim: format!("\"{words}\": the guard value behind local buffers was changed."),
        next: Remedy::new(
            "Run it under crashlens, which reads the function that noticed and its callers.",
        )
        .command(run()),
    })
}

/// The program gave itself up and did not say why.
fn silent_abort(facts: &Facts<'_>) -> Option<Known> {
    let ending = &facts.capture().ending;
    let is_own = ending.sender_pid == Some(facts.capture().process.pid);
    if !is_own || !facts.died_of(Signal::ABRT) || facts.last_words().is_some() {
        return None;
    }
    Some(Known {
        headline: format!(
            "Its own code gave up by abort(){} and did not say why",
            place(facts)
        ),
        fact: FactRef::Ending,
        claim: "SIGABRT came from the process itself, and no library said anything before."
            .to_owned(),
        next: Remedy::new("Read what it wrote before, with all of its own log switched on.")
            .command(Again::new().set("TF_CPP_MIN_LOG_LEVEL", "0").watched()),
    })
}

/// The program sent itself a signal that the kernel sends for a reason: the reason is not there.
fn sent_by_itself(facts: &Facts<'_>) -> Option<Known> {
    let signal = facts.signal()?;
    // Aborts and faults that are raised again have reasons of their own, and rules for them.
    if signal.is_fault() || signal == Signal::ABRT || !facts.sent_it_itself() {
        return None;
    }
    let name = signal.name();
    let next = "Look for a call of kill(), raise() or tgkill() in the innermost frames: a test, a signal handler or a \
                library may send the signal on purpose.";
    Some(Known {
        headline: format!("Its own code sent {name} to the process{}", place(facts)),
        fact: FactRef::Ending,
        claim: format!("{name} came from the process itself, not from the kernel."),
        next: Remedy::new(next),
    })
}

/// A system call that a filter answers with death.
fn forbidden_call(facts: &Facts<'_>) -> Option<Known> {
    let is_sent = facts.capture().ending.is_sent();
    (facts.died_of(Signal::SYS) && !is_sent).then(|| Known {
        headline: format!(
            "It made a system call that its sandbox forbids{}",
            place(facts)
        ),
        fact: FactRef::Ending,
        claim: "It died of SIGSYS, which filters of containers and sandboxes (seccomp) send."
            .to_owned(),
        next: Remedy::new("Try it once without the filter, to see that it is the filter.")
            .command(ShellLine::anywhere(
                "docker run --security-opt seccomp=unconfined IMAGE",
            ))
            .risk(Risk::Environment),
    })
}

/// A timer for profiling that goes on after Python has put the default actions of signals back.
fn timer_ran_out(facts: &Facts<'_>) -> Option<Known> {
    let signal = facts.signal()?;
    let (_, timer) = TIMERS.iter().find(|(number, _)| *number == signal.0)?;
    let name = signal.name();
    let when = if facts.is_finalizing() {
        " during shutdown"
    } else {
        ""
    };
    let next = format!(
        "Stop the timer before its handler is removed, at the latest before the program ends: \
         signal.setitimer(signal.{timer}, 0), or the stop function of the profiler."
    );
    Some(Known {
        headline: format!("A timer sent {name}{when}, and no handler was there for it"),
        fact: FactRef::Ending,
        claim: format!(
            "{name} is sent by timers ({timer}), which profilers use; without a handler it ends the process."
        ),
        next: Remedy::new(next),
    })
}

/// What a text is about.
fn in_text(facts: &Facts<'_>) -> Option<Known> {
    let known = |id: &str, headline: String, claim: &str, next: Remedy| {
        let sight = facts.sign(id)?;
        let claim = format!("{claim}: \"{}\".", excerpt(sight.text));
        Some(Known {
            headline,
            fact: sight.fact.clone(),
            claim,
            next,
        })
    };
    let worker = || {
        let headline = format!(
            "A worker process {}, and only its parent speaks",
            died(facts)
        );
        let next = "Run it under crashlens, which follows worker processes and reads their stacks.";
        known(
            "worker-died",
            headline,
            "The parent saw a worker die, not why",
            Remedy::new(next).command(run()),
        )
    };
    let notebook = || {
        let headline =
            "The process behind a notebook died, and notebooks do not show why".to_owned();
        let next = "Run the notebook's code as a script, outside of the notebook.";
        known(
            "notebook-died",
            headline,
            "The notebook says only that",
            Remedy::new(next).command(crate::contexts::jupyter::RUN_AS_SCRIPT),
        )
    };
    let segfault = || {
        let library = facts
            .sign("kernel-segfault")
            .and_then(|sight| sight.group("library"));
        let place = library.map_or(String::new(), |library| format!(" in {library}"));
        let headline = format!(
            "It {}{place}, and the kernel's line has no stack",
            died(facts)
        );
        let next = "Run it under crashlens, which reads the stacks of all threads at the death.";
        known(
            "kernel-segfault",
            headline,
            "All that is known is the kernel's line",
            Remedy::new(next).command(run()),
        )
    };
    worker().or_else(notebook).or_else(segfault)
}

/// What could not be looked at in a process or a core.
fn unseen(facts: &Facts<'_>) -> Option<Known> {
    let capture = facts.capture();
    let is_core = capture.source == CaptureSource::Core;
    let gap = capture.gaps.0.iter().find(|gap| gap.remedy.is_some())?;
    let next = Remedy::new(gap.remedy.clone().unwrap_or_default());
    Some(Known {
        headline: match capture.ending.kind {
            EndingKind::Unknown => "The core dump does not show how the process ended".to_owned(),
            _ => format!(
                "It {}{}; not all of it could be seen",
                died(facts),
                place(facts)
            ),
        },
        fact: FactRef::Ending,
        claim: format!("Not seen: {} ({}).", gap.part, gap.reason),
        next: if is_core { next.command(run()) } else { next },
    })
}

/// Whether a text has anything that only a death leaves: how a process ended, or last words. Any file is a text.
fn tells_of_death(facts: &Facts<'_>) -> bool {
    let is_known = facts.capture().ending.kind != EndingKind::Unknown;
    is_known || !facts.messages().is_empty()
}

/// A signal, and where it struck.
fn bare(facts: &Facts<'_>) -> Known {
    let place = place(facts);
    let (died, is_text) = (died(facts), facts.is_text());
    let headline = match (is_text, place.is_empty()) {
        (true, true) if !tells_of_death(facts) => {
            "The text does not say that a process died".to_owned()
        }
        (true, true) => format!("It {died}, and the text does not show where"),
        _ => format!("It {died}{place}; why cannot be told from that"),
    };
    let claim = if is_text {
        "The text names neither the native code that failed nor a reason."
    } else {
        "Nothing that was seen tells the reason."
    };
    let is_of_instruction = |signal: Signal| signal.is_fault() || signal == Signal::ABRT;
    let is_process = facts.capture().source == CaptureSource::Process;
    let next = match facts.signal() {
        Some(signal) if is_process && !is_of_instruction(signal) => {
            let name = signal.name();
            Remedy::new(format!(
                "Find out what sends {name}: no instruction causes it."
            ))
        }
        _ if is_process => {
            let action = "Run it again with an allocator that checks: if the place changes, memory is damaged elsewhere.";
            Remedy::new(action).command(checked_run())
        }
        _ => {
            let action = "Run it under crashlens, which reads stacks, values and limits at the moment of the death.";
            Remedy::new(action).command(run())
        }
    };
    Known {
        headline,
        fact: FactRef::Ending,
        claim: claim.to_owned(),
        next,
    }
}
