//! A native module that was built for another NumPy.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "INS002",
    name: "numpy-abi",
    summary: "A native module was compiled for a different NumPy than the one installed.",
    causes: &[Cause::NumpyAbi],
    since: "0.1.0",
    doc: include_str!("numpy_abi.md"),
    judge: Judge::Death(judge),
};

/// Lines by which NumPy or a module says that it was built for another one.
const WORDS: [&str; 4] = [
    "numpy-array-api-not-found",
    "numpy-compiled-for-1",
    "numpy-abi-version",
    "numpy-dtype-size-changed",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let said = WORDS.iter().find_map(|sign| facts.sign(sign));
    let table = facts.top().filter(|sight| {
        sight.function() == "PyArray_API" || sight.function().starts_with("PyArray_API+")
    });
    let module = said.and_then(|sight| imported_before(facts, sight));
    let name = module
        .clone()
        .unwrap_or_else(|| "A native module".to_owned());
    let headline = format!("{name} was built for another NumPy than the one that is installed");
    let mut suspicion = Suspicion::new(Cause::NumpyAbi, headline);
    if let Some(sight) = &table {
        let claim = "It ran NumPy's table of functions (PyArray_API) as if that were code.";
        suspicion = suspicion.supported(Weight::Decisive, sight.fact.clone(), claim);
    }
    if let Some(sight) = said {
        suspicion = suspicion.supported(
            weight(facts, sight),
            sight.fact.clone(),
            format!("It said: {}", sight.said()),
        );
    }
    // The module that was refused NumPy's functions has null pointers in their place.
    let top = facts.acting_frames().into_iter().next();
    if let (Some(top), Some(module)) = (top, &module)
        && facts
            .package_of(&top)
            .is_some_and(|package| normal(&package.name) == normal(module))
    {
        let claim = format!("It died in {}, which belongs to {module}.", top.library());
        suspicion = suspicion.supported(Weight::Decisive, top.fact, claim);
    }
    if suspicion.evidence.is_empty() {
        return None;
    }
    let upgrade = match &module {
        Some(module) => Remedy::new(format!(
            "Or install a version of {module} that is built for NumPy 2."
        ))
        .command_if(Pip::upgrade(module)),
        None => Remedy::new("Or upgrade the module that the lines above the message name."),
    };
    Some(
        suspicion
            .remedy(
                Remedy::new("Install the NumPy that the module was built for: for all but recent modules, 1.x.")
                    .command_if(Pip::install(["numpy<2"]))
                    .risk(Risk::Environment),
            )
            .remedy(upgrade.risk(Risk::Environment)),
    )
}

/// The message is of an import, and most often an exception. It explains a death that came later only if nothing that
/// is known of the death speaks of another place.
fn weight(facts: &Facts<'_>, sight: &Sighting<'_>) -> Weight {
    let is_exception = sight.text.contains("size changed");
    if (is_exception && facts.signal().is_some()) || facts.outlived(sight, &[]) {
        return Weight::Weak;
    }
    let frames = facts.acting_frames();
    let uses_numpy = |it: &crate::facts::NativeSight<'_>| {
        it.is_foreign() || it.function().starts_with("PyArray")
    };
    match frames.first() {
        None => Weight::Strong,
        Some(top) if uses_numpy(top) => Weight::Strong,
        Some(_) => Weight::Weak,
    }
}

/// The package that was being imported, from the traceback around the message: its innermost file in a package.
fn imported_before(facts: &Facts<'_>, sight: &Sighting<'_>) -> Option<String> {
    let before = facts.lines().take_while(|(fact, _)| *fact != sight.fact);
    let after = facts
        .lines()
        .skip_while(|(fact, _)| *fact != sight.fact)
        .take(30);
    let file_of = |line: &str| {
        let (_, rest) = line.split_once("-packages/")?;
        let folder = rest.split(['/', '"']).next()?;
        (line.contains("File \"") && folder != "numpy").then(|| folder.to_owned())
    };
    let lines = if sight.text.contains("compiled using") {
        after.filter_map(|(_, line)| file_of(line)).last()
    } else {
        before.filter_map(|(_, line)| file_of(line)).last()
    };
    lines.filter(|name| !name.contains('.'))
}

fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}
