//! What is seen of a process that used after a fork what does not survive one.

use crate::capture::{CaptureSource, PythonFrame};
use crate::contexts;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, NativeSight, excerpt};

/// Frames from the top among which the library is the one that failed, and not a bystander.
const TOP: usize = 6;
/// What of TensorFlow lives in threads and is shared by all ops.
const RUNTIME: [&str; 8] = [
    "EagerContext::",
    "EagerExecutor::",
    "ThreadPool::",
    "ThreadPoolTempl",
    "EventMgr::",
    "StreamExecutor",
    "GpuExecutor",
    "ProcessFunctionLibraryRuntime::",
];

/// Words for a fork itself.
const FORKS: [&str; 3] = ["fork()", "os.fork", "start method fork"];

/// A trace of such a use.
pub(super) struct Trace {
    pub(super) weight: Weight,
    pub(super) fact: FactRef,
    pub(super) claim: String,
    /// What was used.
    pub(super) what: &'static str,
}

/// The best trace there is.
pub(super) fn in_child(facts: &Facts<'_>) -> Option<Trace> {
    said(facts)
        .or_else(|| in_grpc(facts))
        .or_else(|| in_clean_up(facts))
        .or_else(|| in_runtime(facts))
}

fn said(facts: &Facts<'_>) -> Option<Trace> {
    if let Some(sight) = facts.sign("objective-c-after-fork") {
        let claim = format!("The system said so: \"{}\".", excerpt(sight.text));
        let fact = sight.fact.clone();
        let what = "a library of Apple's";
        return Some(Trace {
            weight: Weight::Decisive,
            fact,
            claim,
            what,
        });
    }
    let sight = facts.sign("cuda-not-initialized")?;
    let is_certain = sight.group("said").is_some() || facts.forked().is_some();
    let weight = if !facts.may_have_said_it() || facts.said_after(sight).is_some() {
        Weight::Weak
    } else if is_certain {
        Weight::Decisive
    } else {
        Weight::Strong
    };
    let claim = format!(
        "CUDA was begun in another process than the one that used it: \"{}\".",
        excerpt(sight.text)
    );
    Some(Trace {
        weight,
        fact: sight.fact.clone(),
        claim,
        what: "CUDA",
    })
}

/// In gRPC: its threads poll for everybody and are not there in a child.
fn in_grpc(facts: &Facts<'_>) -> Option<Trace> {
    let is_grpc = |sight: &NativeSight<'_>| {
        sight.library().contains("cygrpc") || sight.function().starts_with("grpc_core::")
    };
    let sight = facts.native_frames().take(TOP).find(is_grpc)?;
    // In a process that was watched from its start, a fork would have been seen.
    let is_open = facts.capture().source != CaptureSource::Process;
    let weight = if facts.forked().is_some() || is_open && shows_fork(facts) {
        Weight::Strong
    } else {
        Weight::Weak
    };
    let claim = format!(
        "It died in gRPC ({}), whose threads a fork leaves behind.",
        place(&sight)
    );
    Some(Trace {
        weight,
        fact: sight.fact,
        claim,
        what: "gRPC",
    })
}

/// Whether frames or words show that the program forks.
fn shows_fork(facts: &Facts<'_>) -> bool {
    let is_handler = |sight: &NativeSight<'_>| {
        ["prefork", "postfork", "fork_handler", "__run_fork_handlers"]
            .iter()
            .any(|part| sight.function().contains(part))
    };
    let speaks =
        |text: &str| contexts::names_forker(text) || FORKS.iter().any(|word| text.contains(word));
    facts.native_frames().any(|sight| is_handler(&sight))
        || facts.python_frames().any(|(_, it)| speaks(&it.file))
        || facts.lines().any(|(_, line)| speaks(line))
}

/// An object of TensorFlow's went away in a worker, and told a runtime that is not there.
fn in_clean_up(facts: &Facts<'_>) -> Option<Trace> {
    let frames: Vec<(FactRef, &PythonFrame)> = facts.python_frames().collect();
    let in_tensorflow = |frame: &PythonFrame| frame.file.contains("/tensorflow/python/eager/");
    let (fact, frame) = frames.iter().take(TOP).find(|(_, frame)| {
        let function = frame.function.rsplit('.').next().unwrap_or_default();
        in_tensorflow(frame) && matches!(function, "__del__" | "remove_function")
    })?;
    let is_worker = frames
        .iter()
        .any(|(_, frame)| contexts::multiprocessing::is_own_file(&frame.file));
    if facts.forked().is_none() && !is_worker {
        return None;
    }
    let claim = format!(
        "A worker freed an object of its parent's TensorFlow (`{}`), whose runtime it does not have.",
        frame.function
    );
    Some(Trace {
        weight: Weight::Strong,
        fact: fact.clone(),
        claim,
        what: "its parent's TensorFlow",
    })
}

/// In the part of TensorFlow or CUDA that keeps threads and devices, outside of any op's own code.
fn in_runtime(facts: &Facts<'_>) -> Option<Trace> {
    let lineage = facts.forked()?;
    let had_threads = lineage
        .tensorflow_threads_at_fork
        .is_some_and(|threads| threads > 0);
    if !had_threads || facts.culprit().kernel.is_some() {
        return None;
    }
    let sight = facts.native_frames().take(TOP).find(|sight| {
        let function = sight.function().split('(').next().unwrap_or_default();
        let in_cuda = sight.library().starts_with("libcuda.so");
        in_cuda || RUNTIME.iter().any(|part| function.contains(part))
    })?;
    let claim = format!(
        "It died in {}, which needs threads that a fork leaves behind.",
        place(&sight)
    );
    Some(Trace {
        weight: Weight::Strong,
        fact: sight.fact,
        claim,
        what: "TensorFlow's runtime",
    })
}

fn place(sight: &NativeSight<'_>) -> String {
    let function = excerpt(sight.function().split('(').next().unwrap_or_default());
    if function.is_empty() {
        sight.library().to_owned()
    } else {
        function.to_owned()
    }
}
