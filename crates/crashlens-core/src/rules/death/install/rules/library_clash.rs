//! Two libraries in one process that took each other's functions.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::install::clash_on_stack::{self, Clash};

pub(super) static RULE: Rule = Rule {
    id: "INS006",
    name: "library-clash",
    summary: "Two libraries in one process define the same functions or variables, and one used the other's.",
    causes: &[Cause::LibraryClash],
    since: "0.1.0",
    doc: include_str!("library_clash.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let frames: Vec<NativeSight<'_>> = facts.native_frames().collect();
    let clash = clash_on_stack::find(facts, &frames)
        .or_else(|| imported_after(facts))
        .or_else(|| parts_of_mkl(facts))?;
    // An end in words of its own, such as a failed check, has its own reason.
    let is_fault = [Signal::SEGV, Signal::ABRT, Signal::BUS]
        .map(Some)
        .contains(&facts.signal());
    if !is_fault && facts.signal().is_some() {
        return None;
    }
    Some(
        Suspicion::new(Cause::LibraryClash, clash.headline)
            .supported(Weight::Strong, clash.fact, clash.claim)
            .remedy(Remedy::new(
                "Test it: import the package that dies first, at the top of the program. If it then lives, the order is the cure for now.",
            ))
            .remedy(Remedy::new(
                "Use the two packages in two processes (multiprocessing with the start method \"spawn\").",
            ))
            .remedy(
                Remedy::new("Install recent versions of both from one source: later builds hide what clashes.")
                    .risk(Risk::Environment),
            ),
    )
}

/// Packages that bring much native code, as people import them.
#[rustfmt::skip]
const HEAVY: [&str; 12] = [
    "torch", "tensorflow", "pyarrow", "onnx", "onnxruntime", "cv2", "mxnet", "jax", "paddle", "faiss", "sklearn",
    "open3d",
];

/// All that Python tells: it died loading a native module of one such package after another one.
fn imported_after(facts: &Facts<'_>) -> Option<Clash> {
    if !facts.is_text() || facts.native_frames().next().is_some() || facts.last_words().is_some() {
        return None;
    }
    let mut frames = facts.python_frames();
    let (fact, _) = frames.by_ref().take(3).find(|(_, frame)| {
        ["create_module", "load_dynamic"]
            .contains(&frame.function.rsplit('.').next().unwrap_or_default())
    })?;
    let loading = facts.python_frames().find_map(|(_, frame)| {
        let (_, inside) = frame.file.rsplit_once("-packages/")?;
        let folder = inside.split_once('/')?.0;
        Some(folder.strip_suffix("_core").unwrap_or(folder).to_owned())
    })?;
    let other = HEAVY
        .iter()
        .find(|name| **name != loading && facts.was_loaded_before(name, &loading))?;
    Some(Clash {
        headline: format!(
            "{loading} died while it was being loaded after {other}: their native libraries clash"
        ),
        claim: format!("It died loading a native module of {loading}; {other} was loaded already."),
        fact,
    })
}

/// MKL loads its parts when they are needed, and ends the process where they are of another copy.
fn parts_of_mkl(facts: &Facts<'_>) -> Option<Clash> {
    let lookup = facts.sign("symbol-lookup-error");
    let of_mkl = lookup.filter(|sight| {
        sight
            .group("library")
            .is_some_and(|it| it.contains("libmkl"))
    });
    let sight = facts.sign("mkl-part-not-loaded").or(of_mkl)?;
    Some(Clash {
        headline: "MKL found parts of another MKL, or none, where its own should be".to_owned(),
        claim: format!("It said: {}", sight.said()),
        fact: sight.fact.clone(),
    })
}
