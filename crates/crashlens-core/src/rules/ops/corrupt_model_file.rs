//! A model file is damaged, and its loader died of it.

use super::{call, damage};
use crate::capture::{MessageKind, PythonFrame, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};
use crate::shell;

pub(crate) static RULE: Rule = Rule {
    id: "OPS005",
    name: "corrupt-model-file",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("corrupt_model_file.md"),
    judge,
};

/// Functions that follow the offsets in a `.tflite` file.
const TFLITE_LOADERS: [&str; 4] = [
    "FlatBufferModel::",
    "InterpreterBuilder::",
    "tflite::GetModel",
    "CreateWrapperCPPFrom",
];
/// Functions that read checkpoints.
const CHECKPOINT_READERS: [&str; 3] = [
    "tensorflow::BundleReader::",
    "tensorflow::table::",
    "tsl::table::",
];
/// Files with the class `Interpreter` of `tf.lite`.
const INTERPRETERS: [&str; 3] = [
    "lite/python/interpreter.py",
    "tflite_runtime/interpreter.py",
    "ai_edge_litert/interpreter.py",
];
fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some((fact, message)) = facts.fatal_message(MessageKind::CheckFailure)
        && damage::is_lost_checkpoint(&message.text)
    {
        let claim = "The check that failed speaks of a damaged checkpoint.";
        return Some(suspect(facts, "checkpoint", (Weight::Strong, fact, claim)));
    }
    if facts
        .signal()
        .is_some_and(|it| !it.is_fault() && it != Signal::ABRT)
    {
        return None;
    }
    let near = |words: &[&str]| damage::reader_at_fault(facts, words);
    if facts.frame_calling(&["Delegate"]).is_some() {
        // Parts that others plug in fail on good models.
        return None;
    }
    if let Some(sight) = near(&TFLITE_LOADERS) {
        let claim = format!(
            "`{}` was following the offsets in the model file, which nothing tests.",
            call::short(sight.function())
        );
        let seen = (Weight::Strong, sight.fact, claim.as_str());
        return Some(suspect(facts, "TFLite model", seen));
    }
    if let Some(sight) = near(&CHECKPOINT_READERS) {
        let claim = format!(
            "`{}` was reading a checkpoint.",
            call::short(sight.function())
        );
        // No damage of a checkpoint that was tried made its reader crash: it raises.
        let seen = (Weight::Weak, sight.fact, claim.as_str());
        return Some(suspect(facts, "checkpoint", seen));
    }
    // Where the native frames have no names, the innermost Python function tells.
    let (fact, _) = facts
        .python_frames()
        .next()
        .filter(|(_, frame)| loads_model(frame) && facts.heap_words().is_none())?;
    let is_named = facts
        .native_frames()
        .next()
        .is_some_and(|it| !it.function().is_empty());
    if is_named {
        return None;
    }
    let claim = "It died while TFLite was making an interpreter from the model file.";
    Some(suspect(
        facts,
        "TFLite model",
        (Weight::Strong, fact, claim),
    ))
}

fn loads_model(frame: &PythonFrame) -> bool {
    let file = frame.file.replace('\\', "/");
    let is_interpreter = INTERPRETERS.iter().any(|it| file.ends_with(it));
    is_interpreter && frame.function.ends_with("__init__")
}

fn suspect(facts: &Facts<'_>, kind: &str, seen: (Weight, FactRef, &str)) -> Suspicion {
    let path = facts.locals().find(|it| it.variable.name == "model_path");
    let named = path
        .as_ref()
        .and_then(|it| it.variable.value.text.as_deref());
    let named = named
        .map(|it| it.trim_matches(['\'', '"']))
        .filter(|it| !it.is_empty() && *it != "None");
    let headline = match named {
        Some(path) => format!("The {kind} {path} is damaged, and its loader died of it"),
        None => format!("The {kind} file is damaged, and its loader died of it"),
    };
    let (weight, fact, claim) = seen;
    let mut suspicion =
        Suspicion::new(Cause::CorruptModelFile, headline).supported(weight, fact, claim);
    if let Some((fact, claim)) = damage::memory_was_short(facts) {
        suspicion = suspicion.opposed(Weight::Strong, fact, claim);
    }
    let mut compare = Remedy::new("Compare the file's size and checksum with the original.");
    // What Python writes for other characters, and what was cut off, is not the name.
    let path = named.filter(|it| !it.contains(['…', '\\']));
    if let Some(path) = path.and_then(shell::word) {
        compare = compare.command(format!("sha256sum {path}"));
    }
    suspicion.remedy(compare).remedy(Remedy::new(format!(
        "Download the {kind} again, or write it again from its source; do not let git or a text editor change its bytes."
    )))
}
