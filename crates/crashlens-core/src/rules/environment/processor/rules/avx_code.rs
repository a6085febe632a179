//! Code that is made of AVX instructions throughout, on a processor without AVX.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::packages::{TENSORFLOW, normal};
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::processor::variants;
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "CPU002",
    name: "avx-code",
    summary: "A shared library is built with AVX instructions, but this processor has no AVX.",
    causes: &[Cause::IllegalInstruction],
    since: "0.1.0",
    doc: include_str!("avx_code.md"),
    judge: Judge::Environment(judge),
};

/// Fewer vector instructions than this in the samples tell nothing.
const ENOUGH: u64 = 200;

fn judge(survey: &Survey) -> Look {
    let look = Look::at(count(survey.native.len(), "native file", "native files"));
    let is_x86 = survey
        .python
        .known()
        .and_then(|python| python.architecture.known())
        .or(survey.machine.architecture.known())
        .is_some_and(|architecture| architecture == "x86-64");
    if survey.native.is_empty() || !is_x86 {
        return Look::nothing();
    }
    let flags = &survey.machine.cpu_flags;
    let look = look.blind_to("features of the processor", flags, &survey.gaps);
    let Some(flags) = flags.known() else {
        return look;
    };
    if flags.iter().any(|flag| flag == "avx") {
        return look;
    }
    let all_avx = variants::needed_anyway(survey)
        .into_iter()
        .filter(|file| is_all_avx(file));
    let hazards = by_owner(all_avx)
        .into_values()
        .filter_map(|files| hazard(survey, &files));
    look.found_all(hazards)
}

/// Libraries that look at the processor before they use AVX have both forms, and SSE in most of their code.
fn is_all_avx(file: &NativeFile) -> bool {
    let Some(vectors) = file.cpu.vectors else {
        return false;
    };
    let total = vectors.vex.saturating_add(vectors.legacy);
    total >= ENOUGH && vectors.legacy.saturating_mul(100) < total
}

fn hazard(survey: &Survey, files: &[&NativeFile]) -> Option<Hazard> {
    let file = files.first()?;
    let vectors = file.cpu.vectors?;
    let owner = file.owner_with_version();
    let is_tensorflow = TENSORFLOW.contains(&normal(file.owner()).as_str());
    // Others may look at the processor and refuse to go on, as jaxlib does.
    let fails = if is_tensorflow {
        "dies of SIGILL at import"
    } else {
        "cannot run here"
    };
    let headline =
        format!("{owner} {fails}: it is made of AVX instructions, and this processor has no AVX");
    let fact = FactRef::Host {
        field: "cpu_flags".to_owned(),
    };
    let claim = format!(
        "In samples of {}, {} vector instructions are in the form of AVX and {} in that of SSE: it was compiled for AVX throughout.",
        file.name(),
        vectors.vex,
        vectors.legacy
    );
    let mut hazard = Hazard::new(Severity::WillFail, Cause::IllegalInstruction, headline)
        .because(file.fact(), claim)
        .because(
            fact,
            "The kernel does not list avx among the features of the processor.",
        )
        .unless("The program runs on another machine than this one");
    hazard = involving(hazard, files);
    hazard.remedies.extend(remedies(survey, is_tensorflow));
    Some(hazard)
}

fn remedies(survey: &Survey, is_tensorflow: bool) -> Vec<Remedy> {
    let machine = Remedy::new(
        "In a virtual machine, let it see the host's processor (cpu mode host-passthrough); else use another machine.",
    );
    let mut remedies = vec![machine];
    if is_tensorflow && survey.python.known().is_some() {
        let conda = Remedy::new("Use a TensorFlow that is built for older processors: build it from source without AVX, or try conda-forge's.")
            .command(ShellLine::anywhere("conda install -c conda-forge tensorflow"))
            .risk(Risk::Environment);
        remedies.push(conda);
    } else {
        let build = Remedy::new("Build the package from source on this machine.");
        remedies.push(build.risk(Risk::Environment));
    }
    remedies
}
