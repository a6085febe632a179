//! Modules and plugins that need functions which nothing defines.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::linking::builds::{self, Build, is_of_cuda};
use crate::rules::environment::linking::libraries;
use crate::rules::environment::linking::symbol_remedies;
use crate::rules::environment::linking::symbol_words::{self, undefined};
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{Distribution, NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK001",
    name: "undefined-symbols",
    summary: "A native module or TensorFlow plugin needs a symbol that no library defines.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("undefined_symbols.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let opened = libraries::opened(survey);
    if opened.is_empty() {
        return Look::nothing();
    }
    let scope = count(opened.len(), "module or plugin", "modules and plugins");
    let mut look = Look::at(scope);
    if let Some(file) = opened.iter().find(|file| file.link.is_unknown()) {
        look = look.blind_to(file.name(), &file.link, &survey.gaps);
    }
    let broken = opened
        .into_iter()
        .filter(|file| !undefined(file).is_empty() && is_meant(survey, file))
        .filter(|file| !survey.needs_a_cut_library(file));
    let hazards = by_owner(broken)
        .into_iter()
        .filter(|(owner, _)| !is_shadowed(survey, owner))
        .filter_map(|(_, files)| hazard(survey, &files));
    look.found_all(hazards)
}

/// Whether libraries of a package come from elsewhere: that is the reason then, and another rule's finding.
fn is_shadowed(survey: &Survey, owner: &str) -> bool {
    let mut files = survey.opened().filter(|file| file.owner() == owner);
    files.any(|file| {
        file.link
            .known()
            .is_some_and(|link| !link.shadowed.is_empty())
    })
}

/// Parts for GPUs lie in many packages and are left alone where there is none; a plugin is what it was installed for,
/// unless no TensorFlow at all could load it: such a file of a wheel is for its maker's tests.
fn is_meant(survey: &Survey, file: &NativeFile) -> bool {
    let of_cuda = undefined(file).iter().any(|it| is_of_cuda(&it.name));
    let is_shipped = file.package.is_some() && !file.is_module();
    let is_for_nobody = is_shipped && matches!(build_of(survey, file), Build::Other | Build::Test);
    libraries::is_opened_by_import(file)
        || (file.is_plugin() || survey.has_gpu() || !of_cuda) && !is_for_nobody
}

fn build_of(survey: &Survey, file: &NativeFile) -> Build {
    let version = survey.tensorflow().and_then(Distribution::parsed_version);
    let line = version.as_ref().and_then(builds::line_of);
    let traits = survey.tensorflow.known();
    let strings = traits
        .and_then(|it| it.cxx11_abi)
        .or(line.map(|line| line.cxx11_abi));
    builds::decode(
        &undefined(file),
        strings,
        line.map(|line| line.lts.as_str()),
    )
}

fn hazard(survey: &Survey, files: &[&NativeFile]) -> Option<Hazard> {
    let file = files.first()?;
    let build = build_of(survey, file);
    let headline = symbol_words::headline(survey, file, &build);
    let symbols = undefined(file);
    let first = symbols.first()?;
    let total = file
        .link
        .known()?
        .missing_symbol_count
        .max(symbols.len() as u64);
    let mut hazard = Hazard::new(Severity::WillFail, Cause::AbiMismatch, headline)
        .because(file.fact(), symbol_words::need(file, first, total))
        .unless(symbol_words::refutation(file));
    if let Some(claim) = symbol_words::meaning(&build) {
        hazard = hazard.because(file.fact(), claim);
    }
    if files.len() > 1 {
        let files = count(files.len(), "file", "files");
        hazard = hazard.because(
            file.fact(),
            format!("{files} of the package are like this."),
        );
    }
    hazard = involving(hazard, files);
    if file.is_plugin() {
        let tensorflow = survey.tensorflow().map(Distribution::package);
        hazard.packages.extend(tensorflow);
    }
    Some(symbol_remedies::added(survey, hazard, file, &build))
}
