//! The kernel promises no more memory than there is, and has promised nearly all.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::bytes;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::rules::environment::limits::MEGABYTE;
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "SYS006",
    name: "strict-overcommit",
    summary: "The kernel does not overcommit memory, and nearly all that it can commit is taken.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("strict_overcommit.md"),
    judge: Judge::Environment(judge),
};

/// Private writable memory of TensorFlow with a small model on two processors, as `RLIMIT_DATA` counts it too.
const NEED: u64 = 600 * MEGABYTE;

fn judge(survey: &Survey) -> Look {
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let machine = &survey.machine;
    let look = Look::at("vm.overcommit_memory").blind_to(
        "promises of memory",
        &machine.overcommit,
        &survey.gaps,
    );
    let strict = machine.overcommit.known().filter(|it| it.mode == 2);
    let promises = strict.and_then(|it| it.limit.zip(it.committed));
    let Some((limit, committed)) = promises else {
        return look;
    };
    let left = limit.saturating_sub(committed);
    if left >= NEED {
        return look;
    }
    let (left, limit, committed) = (bytes(left), bytes(limit), bytes(committed));
    let headline = format!(
        "The kernel will promise only {left} more memory (vm.overcommit_memory is 2), less than TensorFlow with a small model asks for"
    );
    look.found(
        Hazard::new(Severity::CanCrash, Cause::OutOfMemory, headline)
            .because(
                FactRef::Host { field: "overcommit".to_owned() },
                format!("Of {limit} that may be promised, {committed} are. Free memory does not count here."),
            )
            .because(
                FactRef::Package { name: tensorflow.name.clone() },
                format!("{} {} is installed, which asks for about {} at least.", tensorflow.name, tensorflow.version, bytes(NEED)),
            )
            .unless("other programs end before, and give their promises back")
            .package(tensorflow.package())
            .remedy(
                Remedy::new("See how much is promised, and end what holds much of it.")
                    .command("grep -i commit /proc/meminfo; ps -eo pid,vsz,comm --sort=-vsz | head"),
            )
            .remedy(
                Remedy::new("Let the kernel promise more: for the whole machine, by its administrator.")
                    .command("sudo sysctl vm.overcommit_memory=0")
                    .risk(Risk::Environment),
            ),
    )
}
