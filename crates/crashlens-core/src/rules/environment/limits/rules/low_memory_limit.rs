//! There is less memory than TensorFlow's import takes.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::bytes;
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::limits::MEGABYTE;
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "SYS004",
    name: "low-memory-limit",
    summary: "The memory limit of the container or machine barely fits TensorFlow itself.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("low_memory_limit.md"),
    judge: Judge::Environment(judge),
};

/// Killed with 150 MB, alive with 200 MB.
const KILLED: u64 = 160 * MEGABYTE;
/// Leaves a program hardly more than TensorFlow itself cannot do without.
const NARROW: u64 = 300 * MEGABYTE;

fn judge(survey: &Survey) -> Look {
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let machine = &survey.machine;
    let look = Look::at("memory of the control group and the machine")
        .blind_to("memory control group", &machine.memory_group, &survey.gaps)
        .blind_to("memory of the machine", &machine.memory_total, &survey.gaps);
    let group = machine.memory_group.known().and_then(|group| group.limit);
    let total = machine.memory_total.known().copied();
    let by_group = group.map(|limit| (limit, "memory_group", "The control group allows"));
    let by_machine = total.map(|total| (total, "memory_total", "The machine has"));
    let least = [by_group, by_machine]
        .into_iter()
        .flatten()
        .min_by_key(|it| it.0);
    let Some((memory, field, who)) = least.filter(|it| it.0 < NARROW) else {
        return look;
    };
    let told = bytes(memory);
    let (severity, headline) = if memory < KILLED {
        let what = format!(
            "{told} of memory is less than the import of TensorFlow takes: the kernel kills it"
        );
        (Severity::WillFail, what)
    } else {
        let what = format!(
            "{told} of memory leaves little beside TensorFlow itself, which is killed with 150 MB"
        );
        (Severity::CanCrash, what)
    };
    let fact = FactRef::Host {
        field: field.to_owned(),
    };
    look.found(
        Hazard::new(severity, Cause::OutOfMemory, headline)
            .because(fact, format!("{who} {told}."))
            .because(
                FactRef::Package { name: tensorflow.name.clone() },
                format!("{} {} is installed.", tensorflow.name, tensorflow.version),
            )
            .unless("the program runs elsewhere, with more memory, or never imports TensorFlow")
            .package(tensorflow.package())
            .remedy(if group == Some(memory) {
                Remedy::new("Give the container more memory.").command(ShellLine::anywhere("docker run --memory=2g IMAGE"))
            } else {
                Remedy::new("Use a machine with more memory.")
            })
            .remedy(
                Remedy::new("For running a finished model only: convert it and use the runtime of TensorFlow Lite (LiteRT), which needs a few megabytes.")
                    .risk(Risk::Environment),
            ),
    )
}
