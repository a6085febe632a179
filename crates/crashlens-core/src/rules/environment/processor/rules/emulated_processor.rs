//! A processor that a program imitates.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk};
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "CPU004",
    name: "emulated-processor",
    summary: "The processor is emulated (QEMU or Rosetta).",
    causes: &[Cause::WrongArchitecture],
    since: "0.1.0",
    doc: include_str!("emulated_processor.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let observed = &survey.machine.emulated_by;
    let look = Look::at("this machine's processor").blind_to(
        "what imitates the processor",
        observed,
        &survey.gaps,
    );
    let Some(emulator) = observed.known() else {
        return look;
    };
    look.found(hazard(survey, emulator))
}

fn hazard(survey: &Survey, emulator: &str) -> Hazard {
    let flags = survey.machine.cpu_flags.known();
    let has_avx = flags.is_some_and(|flags| flags.iter().any(|flag| flag == "avx"));
    let tensorflow = survey.tensorflow_title();
    let (severity, headline) = match &tensorflow {
        Some(title) if !has_avx => (
            Severity::CanCrash,
            format!(
                "{emulator} imitates the processor without AVX, and {title} is not made to run so"
            ),
        ),
        Some(title) => (
            Severity::CanCrash,
            format!("{emulator} imitates the processor; {title} is known to die so"),
        ),
        None => (
            Severity::WorthKnowing,
            format!(
                "{emulator} imitates the processor: programs are slow, and some native code dies"
            ),
        ),
    };
    let fact = FactRef::Host {
        field: "emulated_by".to_owned(),
    };
    let mut hazard = Hazard::new(severity, Cause::WrongArchitecture, headline)
        .because(
            fact,
            format!("This system runs on {emulator}, not on a processor of its kind."),
        )
        .unless(
            "The program runs on another machine in the end, one with a processor of its own kind",
        );
    if flags.is_some() && !has_avx {
        let fact = FactRef::Host {
            field: "cpu_flags".to_owned(),
        };
        hazard = hazard.because(fact, "The processor that it imitates has no AVX; TensorFlow's wheels for x86-64 are made of AVX instructions.");
    }
    if let Some(tensorflow) = survey.tensorflow() {
        hazard = hazard.package(tensorflow.package());
    }
    let image = Remedy::new("Use an image or a Python for the processor that the machine really has, such as linux/arm64 on Apple silicon and on ARM servers.")
        .command(ShellLine::anywhere("docker run --platform linux/arm64 IMAGE"))
        .risk(Risk::Environment);
    hazard.remedy(image)
}
