//! Processor time is limited to less than training takes.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::Remedy;
use crate::rules::environment::limits::raise;
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "SYS007",
    name: "processor-time",
    summary: "A limit of less than a day of CPU time (RLIMIT_CPU) is set.",
    causes: &[Cause::CpuLimit],
    since: "0.1.0",
    doc: include_str!("processor_time.md"),
    judge: Judge::Environment(judge),
};

const NAME: &str = "Max cpu time";
/// Whoever allows a day means batch work.
const A_DAY: u64 = 86_400;

fn judge(survey: &Survey) -> Look {
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let look = Look::at("RLIMIT_CPU").blind_to("limits", &survey.machine.limits, &survey.gaps);
    let soft = survey.limit(NAME).and_then(|limit| limit.soft);
    let Some(seconds) = soft.filter(|seconds| *seconds < A_DAY) else {
        return look;
    };
    let fact = FactRef::Limit {
        name: NAME.to_owned(),
    };
    let headline = format!(
        "A program started here is killed after {seconds} seconds of processor time, those of all its threads added up"
    );
    let hazard = Hazard::new(Severity::CanCrash, Cause::CpuLimit, headline)
        .because(
            fact,
            format!("RLIMIT_CPU is {seconds} seconds; at its end the kernel sends SIGXCPU."),
        )
        .because(
            FactRef::Package {
                name: tensorflow.name.clone(),
            },
            format!(
                "{} {} is installed, which uses all processors at once.",
                tensorflow.name, tensorflow.version
            ),
        )
        .unless("the work takes less than that, or runs elsewhere")
        .package(tensorflow.package());
    look.found(
        hazard
            .remedy(Remedy::new("Run it where long work belongs: as a batch job, not on the machine people log in to."))
            .remedy(raise(survey.limit(NAME), "-t", seconds.saturating_add(1))),
    )
}
