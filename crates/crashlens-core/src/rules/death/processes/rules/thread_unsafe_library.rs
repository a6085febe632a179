//! Two threads used a library that allows only one.

use crate::book::{Judge, Rule};
use crate::capture::{Frame, PythonFrame, Thread};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "PRO002",
    name: "thread-unsafe-library",
    summary: "Several threads used a library that allows only one thread, such as HDF5, Tk or X11.",
    causes: &[Cause::ThreadUnsafeLibrary],
    since: "0.1.0",
    doc: include_str!("thread_unsafe_library.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    graphics(facts).or_else(|| hdf5(facts))
}

/// Libraries of windows say it themselves.
fn graphics(facts: &Facts<'_>) -> Option<Suspicion> {
    let signs = ["tcl-wrong-thread", "xlib-threads"];
    let sight = signs.iter().find_map(|id| facts.sign(id));
    let sight = sight.filter(|_| facts.may_have_said_it())?;
    let headline = "A window library was used from a thread that it does not belong to";
    let claim = format!(
        "The library said so before it gave up: \"{}\".",
        excerpt(sight.text)
    );
    Some(
        Suspicion::new(Cause::ThreadUnsafeLibrary, headline)
            .supported(Weight::Decisive, sight.fact.clone(), claim)
            .remedy(
                Remedy::new("Let matplotlib draw without windows.")
                    .command(Again::new().set("MPLBACKEND", "Agg")),
            )
            .remedy(Remedy::new(
                "Or draw in the main thread only, and close figures there (`plt.close('all')`) before threads start.",
            )),
    )
}

fn hdf5(facts: &Facts<'_>) -> Option<Suspicion> {
    let crashed = facts.crashed()?;
    let others = || {
        facts
            .capture()
            .threads
            .iter()
            .filter(|thread| thread.id != crashed.id)
    };
    let new = |headline: &str| Suspicion::new(Cause::ThreadUnsafeLibrary, headline);
    let is_python = facts
        .python_frames()
        .next()
        .filter(|(_, frame)| is_h5py(frame));
    // Where native frames are known, they show whether it was in the library.
    let is_inside = is_in_hdf5(crashed) || is_python.is_some() && facts.top().is_none();
    if let Some(other) = others().find(|thread| is_inside && is_using_hdf5(thread)) {
        let claim = format!("Thread {} was inside HDF5 too.", other.id);
        let suspicion = new("Two threads used HDF5 at once, which allows only one");
        let fact = FactRef::Thread { thread: other.id };
        return Some(with_remedies(suspicion.supported(
            Weight::Strong,
            fact,
            claim,
        )));
    }
    let (fact, innermost) = is_python?;
    let function = innermost.function.rsplit('.').next().unwrap_or_default();
    let claim = format!(
        "It died in h5py's `{function}`, where HDF5 works on records that all threads share; no other thread was seen there."
    );
    let headline = format!("HDF5 failed in h5py's `{function}`; threads that share it can do that");
    Some(with_remedies(new(&headline).supported(
        Weight::Weak,
        fact,
        claim,
    )))
}

fn with_remedies(suspicion: Suspicion) -> Suspicion {
    suspicion
        .remedy(Remedy::new(
            "Let one thread at a time use HDF5: a lock around every use, or one worker (`workers=1`, \
             `use_multiprocessing=False`) while callbacks save to `.h5`.",
        ))
        .remedy(Remedy::new(
            "Or save in another format: `model.save('model.keras')`, checkpoints of TensorFlow.",
        ))
}

fn is_in_hdf5(thread: &Thread) -> bool {
    thread.frames.iter().any(|frame| match frame {
        Frame::Native(frame) => frame
            .library
            .as_deref()
            .is_some_and(|library| library.contains("libhdf5")),
        Frame::Python(_) => false,
    })
}

/// In the library, or, where only its Python frames are known, in a call of h5py's.
fn is_using_hdf5(thread: &Thread) -> bool {
    let has_native = thread
        .frames
        .iter()
        .any(|frame| matches!(frame, Frame::Native(_)));
    let innermost = thread.frames.first();
    let in_h5py = matches!(innermost, Some(Frame::Python(frame)) if is_h5py(frame));
    is_in_hdf5(thread) || !has_native && in_h5py
}

fn is_h5py(frame: &PythonFrame) -> bool {
    frame.file.contains("/h5py/")
}
