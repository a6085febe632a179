//! Generated protocol-buffer modules that the installed runtime refuses.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::rules::environment::packages::gencode_words;
use crate::survey::{Distribution, Gencode, GencodeFault, IMPLEMENTATION, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG010",
    name: "protobuf-gencode",
    summary: "Generated protobuf modules are incompatible with the installed protobuf.",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("protobuf_gencode.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let generated = survey
        .found_distributions()
        .filter(|it| it.gencode.is_some());
    let generated: Vec<&Distribution> = generated.collect();
    if generated.is_empty() {
        return Look::nothing();
    }
    let found = generated.iter().filter_map(|distribution| {
        let (fault, gencode, runtime) = survey.gencode_fault(distribution)?;
        Some(refused(survey, distribution, fault, gencode, runtime))
    });
    Look::at(format!(
        "{} packages with generated modules",
        generated.len()
    ))
    .found_all(found)
}

fn refused(
    survey: &Survey,
    distribution: &Distribution,
    fault: GencodeFault,
    gencode: &Gencode,
    runtime: &Distribution,
) -> Hazard {
    let (why, exception) = gencode_words::refusal(fault, gencode, runtime);
    let headline = format!(
        "{} does not work with protobuf {}: {why}",
        named(distribution),
        runtime.version
    );
    let file = match (fault, &gencode.direct) {
        (GencodeFault::DirectDescriptors, Some(file)) => file,
        _ => &gencode.file,
    };
    Hazard::new(Severity::WillFail, Cause::ProtobufClash, headline)
        .because(
            distribution.fact(),
            format!(
                "{file} is of a generator {}.",
                gencode_words::generator(fault, gencode)
            ),
        )
        .because(
            runtime.fact(),
            format!("Its import ends with \"{exception}\"."),
        )
        .unless("The import of that file succeeds here.")
        .package(runtime.package())
        .package(distribution.package())
        .file(file.clone())
        .remedy(repair(survey, distribution, fault, gencode))
}

fn repair(
    survey: &Survey,
    distribution: &Distribution,
    fault: GencodeFault,
    gencode: &Gencode,
) -> Remedy {
    let limits = survey.unmet(distribution);
    let declared = limits.iter().find(|it| it.name == "protobuf");
    let wanted = match (fault, declared) {
        (_, Some(unmet)) => format!("protobuf{}", unmet.versions),
        (GencodeFault::DirectDescriptors, None) => "protobuf<4".to_owned(),
        (GencodeFault::NoBuilder, None) => "protobuf>=3.20.3,<5".to_owned(),
        (_, None) => format!("protobuf>={}", gencode.version),
    };
    let action = match fault {
        GencodeFault::DirectDescriptors => format!(
            "Install a protobuf that takes such modules (or, slower, set {IMPLEMENTATION}=python)"
        ),
        _ => "Install a protobuf that is not older than the generator".to_owned(),
    };
    let is_plain = wanted
        .bytes()
        .all(|byte| byte.is_ascii_graphic() || byte == b' ');
    let command = is_plain.then(|| Pip::install(&[wanted.replace(' ', "")]));
    Remedy::new(action)
        .command_if(command.flatten())
        .risk(Risk::Environment)
}
