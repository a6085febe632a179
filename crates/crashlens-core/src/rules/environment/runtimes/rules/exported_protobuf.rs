//! A second C++ runtime of protocol buffers beside a TensorFlow that offers its own to everybody.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::runtimes::exports;
use crate::shell;
use crate::survey::loading::{count, involving};
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "TWO002",
    name: "exported-protobuf",
    summary: "A module uses a C++ protobuf library that clashes with the one that TensorFlow exports.",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("exported_protobuf.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    if !exports::is_global(survey) {
        return Look::nothing();
    }
    let scope = count(survey.native.len(), "native file", "native files");
    let hazards = survey.native.iter().filter_map(|file| {
        let claim = exporting(survey, file).or_else(|| linked(survey, file))?;
        hazard(survey, file, &claim)
    });
    Look::at(scope).found_all(hazards)
}

/// It has a whole runtime and shows it to others.
fn exporting(survey: &Survey, file: &NativeFile) -> Option<String> {
    let shared = exports::shared(file, &["google::protobuf"])?;
    let version = file.protobuf_runtime.as_deref().unwrap_or_default();
    (survey.is_reached(file) && !exports::is_addon(file)).then(|| {
        format!(
            "{} has C++ protocol buffers {version} and exports {shared} functions of google::protobuf under the same names as TensorFlow.",
            file.name()
        )
        .replace("buffers  and", "buffers and")
    })
}

/// It is linked to a runtime outside of the environment, as the system's.
fn linked(survey: &Survey, file: &NativeFile) -> Option<String> {
    let is_runtime = |name: &&String| name.starts_with("libprotobuf.so.");
    let needed = file.needed.iter().find(is_runtime)?;
    let link = file.link.known()?;
    let is_found = link.missing_libraries.is_empty();
    let is_inside = survey
        .native
        .iter()
        .any(|it| it.soname.as_ref() == Some(needed));
    (file.is_opened() && is_found && !is_inside).then(|| {
        format!(
            "{} is linked to {needed}, a runtime of C++ protocol buffers.",
            file.name()
        )
    })
}

fn hazard(survey: &Survey, file: &NativeFile, claim: &str) -> Option<Hazard> {
    let tensorflow = survey.tensorflow()?;
    let title = survey.tensorflow_title()?;
    let headline = format!(
        "{} brings C++ protocol buffers of its own into the process of {title}, which offers others to all",
        file.title()
    );
    let fact = FactRef::Package {
        name: tensorflow.name.clone(),
    };
    let hazard = Hazard::new(Severity::CanCrash, Cause::ProtobufClash, headline)
        .because(file.fact(), claim)
        .because(fact, format!("{title} loads its libraries for everybody (RTLD_GLOBAL), so that a library loaded later uses parts of its protocol buffers."))
        .unless("The program never has both in one process");
    let mut hazard = involving(hazard, &[file]);
    hazard.packages.push(tensorflow.package());
    let apart = Remedy::new(format!(
        "Use {} and tensorflow in separate processes.",
        file.owner()
    ));
    let older =
        Remedy::new("Use a TensorFlow that keeps its functions to itself: 2.18 or earlier.")
            .command_if(
                shell::package(&tensorflow.name)
                    .and_then(|name| Pip::install([format!("{name}<2.19")])),
            )
            .risk(Risk::Environment);
    // What is bound to its own functions stays with them, if it is not in the process before everything else.
    let is_preloaded = survey.variable("LD_PRELOAD").is_some();
    if let Some(package) = file.package.as_ref().filter(|_| !is_preloaded) {
        let first = format!(
            "Import {} before tensorflow, so that each keeps to its own (seen to work with paddlepaddle 3.3.1).",
            package.name
        );
        hazard = hazard.remedy(Remedy::new(first));
    }
    Some(hazard.remedy(apart).remedy(older))
}
