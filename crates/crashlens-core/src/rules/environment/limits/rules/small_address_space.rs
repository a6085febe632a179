//! The address space is limited to less than TensorFlow fills.

use pep440_rs::Version;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::bytes;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::limits::{MEGABYTE, raise, threads};
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "SYS002",
    name: "small-address-space",
    summary: "The limit of address space or data is too low for TensorFlow.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("small_address_space.md"),
    judge: Judge::Environment(judge),
};

/// What is limited, the option of `ulimit`, how much the import and the first operation need on two processors (and from
/// TensorFlow 2.21 on), and how much a small model.
struct Need {
    name: &'static str,
    variable: &'static str,
    option: &'static str,
    first: u64,
    first_of_2_21: u64,
    small_model: u64,
    /// More for every further processor: buffers of `OpenBLAS`, and stacks.
    each: u64,
}

const NEEDS: [Need; 2] = [
    Need {
        name: "Max address space",
        variable: "RLIMIT_AS",
        option: "-v",
        first: 850 * MEGABYTE,
        first_of_2_21: 1_400 * MEGABYTE,
        small_model: 2_000 * MEGABYTE,
        each: 56 * MEGABYTE,
    },
    Need {
        name: "Max data size",
        variable: "RLIMIT_DATA",
        option: "-d",
        first: 220 * MEGABYTE,
        first_of_2_21: 300 * MEGABYTE,
        small_model: 600 * MEGABYTE,
        each: 56 * MEGABYTE,
    },
];

fn judge(survey: &Survey) -> Look {
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let machine = &survey.machine;
    let look =
        Look::at("RLIMIT_AS and RLIMIT_DATA").blind_to("limits", &machine.limits, &survey.gaps);
    // Where nobody could count processors, the need of two is the least there can be.
    let more = threads::cores(survey).unwrap_or(2).saturating_sub(2);
    let version = tensorflow.parsed_version();
    let is_2_21 = version.is_some_and(|version| version >= Version::new([2, 21]));
    let hazards = NEEDS.iter().filter_map(|need| {
        let soft = survey.limit(need.name)?.soft?;
        let further = need.each.saturating_mul(more);
        let small_model = need.small_model.saturating_add(further);
        if soft >= small_model {
            return None;
        }
        let (told, enough) = (bytes(soft), bytes(small_model));
        let first = if is_2_21 { need.first_of_2_21 } else { need.first };
        let (severity, headline) = if soft < first {
            let what = format!("{} limits the program to {told}, in which TensorFlow cannot do its first operation", need.variable);
            (Severity::WillFail, what)
        } else {
            let what = format!("{} limits the program to {told}, and TensorFlow with a small model fills about {enough} here", need.variable);
            (Severity::CanCrash, what)
        };
        let fact = FactRef::Limit { name: need.name.to_owned() };
        let hazard = Hazard::new(severity, Cause::OutOfMemory, headline)
            .because(fact, format!("{} is {told}.", need.variable))
            .because(
                FactRef::Package { name: tensorflow.name.clone() },
                format!("{} {} is installed; when it is refused a thread's stack it ends the process with SIGABRT.", tensorflow.name, tensorflow.version),
            )
            .unless("the program is started by something that lifts the limit")
            .package(tensorflow.package());
        Some(hazard.remedy(raise(survey.limit(need.name), need.option, small_model)))
    });
    look.found_all(hazards)
}
