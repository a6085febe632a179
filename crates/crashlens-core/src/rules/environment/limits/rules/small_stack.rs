//! The stack is limited to less than programs are made for.

use pep440_rs::Version;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::bytes;
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::Remedy;
use crate::survey::{Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "SYS001",
    name: "small-stack",
    summary: "The stack limit (RLIMIT_STACK) is below 8 MiB, which deep recursion in TensorFlow can exceed.",
    causes: &[Cause::StackOverflow],
    since: "0.1.0",
    doc: include_str!("small_stack.md"),
    judge: Judge::Environment(judge),
};

const NAME: &str = "Max stack size";
/// With 64 KiB no Python from 3.6 to 3.13 comes to its first line, with 96 KiB all of them but 3.8 do.
const TO_START: u64 = 96 << 10;
/// With 96 KiB the import of TensorFlow 2.21.0 dies every time, with 104 KiB some times, with 160 KiB never. 2.15.1 takes 128 KiB.
const TO_IMPORT: u64 = 104 << 10;
const TO_IMPORT_SURELY: u64 = 160 << 10;
/// What every system gives that nobody has changed, and what XLA's compiler is used with.
const USUAL: u64 = 8 << 20;

fn judge(survey: &Survey) -> Look {
    let look = Look::at("the stack of the first thread and of new ones").blind_to(
        "limits",
        &survey.machine.limits,
        &survey.gaps,
    );
    let soft = survey.limit(NAME).and_then(|limit| limit.soft);
    let Some(size) = soft.filter(|size| *size < USUAL) else {
        return look;
    };
    let told = bytes(size);
    let tensorflow = survey.tensorflow();
    let version = tensorflow.and_then(Distribution::parsed_version);
    let is_2_21 = version.is_some_and(|version| version >= Version::new([2, 21]));
    let hazard = match tensorflow {
        _ if size < TO_START => Hazard::new(
            Severity::WillFail,
            Cause::StackOverflow,
            format!("The stack is limited to {told}: Python dies of SIGSEGV before it runs anything"),
        ),
        Some(tensorflow) if is_2_21 && size < TO_IMPORT_SURELY => {
            let (severity, how) = if size < TO_IMPORT {
                (Severity::WillFail, "overflows it")
            } else {
                (Severity::CanCrash, "can overflow it")
            };
            let headline = format!("The stack is limited to {told}, and `import tensorflow` {how} and dies of SIGSEGV");
            Hazard::new(severity, Cause::StackOverflow, headline)
                .because(tensorflow.fact(), format!("{} {} is installed.", tensorflow.name, tensorflow.version))
                .package(tensorflow.package())
        }
        Some(tensorflow) => Hazard::new(
            Severity::CanCrash,
            Cause::StackOverflow,
            format!("The stack is limited to {told}, and compiling a deep model with XLA can overflow it (8 MiB is usual)"),
        )
        .because(
            tensorflow.fact(),
            format!("{} {} is installed, whose compilers follow a model step by step into the depth.", tensorflow.name, tensorflow.version),
        )
        .package(tensorflow.package()),
        None => return look,
    };
    let limit = FactRef::Limit {
        name: NAME.to_owned(),
    };
    look.found(
        hazard
            .because(limit, format!("RLIMIT_STACK is {told}; the C library gives every new thread as much."))
            .unless("the program is started by something that sets the stack to 8 MiB or more (`ulimit -s`, LimitSTACK= of systemd)")
            .remedy(raise(survey)),
    )
}

/// A soft limit can be raised up to the hard one by anybody.
fn raise(survey: &Survey) -> Remedy {
    let hard = survey.limit(NAME).and_then(|limit| limit.hard);
    if hard.is_none_or(|hard| hard >= USUAL) {
        return Remedy::new("Raise the limit in the shell that starts the program.")
            .command(ShellLine::unix("ulimit -S -s 8192"));
    }
    Remedy::new("Have the hard limit raised, which only the administrator can: `stack` in limits.conf, LimitSTACK= of systemd, --ulimit of docker.")
        .command(ShellLine::anywhere("docker run --ulimit stack=8388608 IMAGE"))
}
