//! A second C++ runtime of protocol buffers beside a TensorFlow that offers its own to everybody.

use super::exports;
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, HazardRule, Look, Severity};
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::loading::count;
use crate::survey::{NativeFile, Survey};

pub(crate) static RULE: HazardRule = HazardRule {
    id: "TWO002",
    name: "exported-protobuf",
    asks: "C++ runtimes of protocol buffers beside a TensorFlow that offers its own to all",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("exported_protobuf.md"),
    judge,
};

fn judge(survey: &Survey) -> Look {
    if !exports::is_global(survey) {
        return Look::nothing();
    }
    let scope = count(survey.native.len(), "native file", "native files");
    let clashing = survey.native.iter().filter(|file| {
        exports::shared(file, &["google::protobuf"]).is_some() && exports::is_reached(survey, file)
    });
    Look::at(scope).found_all(clashing.filter_map(|file| hazard(survey, file)))
}

fn hazard(survey: &Survey, file: &NativeFile) -> Option<Hazard> {
    let shared = exports::shared(file, &["google::protobuf"])?;
    let tensorflow = survey.tensorflow()?;
    let title = survey.tensorflow_title()?;
    let version = file.protobuf_runtime.as_deref().unwrap_or_default();
    let runtime = format!("C++ protocol buffers {version}");
    let headline = format!(
        "{} brings {} of its own into the process of {title}, which offers another to all",
        file.title(),
        runtime.trim_end()
    );
    let fact = FactRef::Package {
        name: tensorflow.name.clone(),
    };
    let mut hazard = Hazard::new(Severity::CanCrash, Cause::ProtobufClash, headline)
        .because(
            file.fact(),
            format!("{} exports {shared} functions of google::protobuf under the same names as TensorFlow.", file.name()),
        )
        .because(fact, format!("{title} loads its libraries for everybody (RTLD_GLOBAL), so that a library loaded later uses parts of its protocol buffers."))
        .file(file.path.clone())
        .unless("The program never has both in one process");
    let preloaded = survey.variable("LD_PRELOAD").unwrap_or_default();
    if preloaded.contains(file.name()) {
        let fact = FactRef::Variable {
            name: "LD_PRELOAD".to_owned(),
        };
        hazard = hazard.because(fact, "LD_PRELOAD puts it into every process.");
        let action = "Start the program without LD_PRELOAD.";
        hazard = hazard.remedy(Remedy::new(action).command(survey.python_without("LD_PRELOAD")));
    }
    hazard.packages.extend(file.package.clone());
    hazard.packages.push(tensorflow.package());
    let apart = Remedy::new(format!(
        "Use {} and tensorflow in separate processes.",
        file.owner()
    ));
    let older =
        Remedy::new("Use a TensorFlow that keeps its functions to itself: 2.18 or earlier.")
            .command_if(
                shell::package(&tensorflow.name)
                    .map(|name| format!("{} install '{name}<2.19'", survey.pip())),
            )
            .risk(Risk::Environment);
    Some(hazard.remedy(apart).remedy(older))
}
