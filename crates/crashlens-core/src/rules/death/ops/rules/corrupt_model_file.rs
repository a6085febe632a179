//! A model file is damaged, and its loader died of it.

use crate::book::{Judge, Rule};
use crate::capture::{MessageKind, PythonFrame, Signal};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::Suspicion;
use crate::rules::death::ops::model_advice;
use crate::rules::death::ops::{call, damage};

pub(super) static RULE: Rule = Rule {
    id: "OPS005",
    name: "corrupt-model-file",
    summary: "A corrupted model file, usually `.tflite`, crashed its loader.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("corrupt_model_file.md"),
    judge: Judge::Death(judge),
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
        return Some(model_advice::suspect(
            facts,
            "checkpoint",
            (Weight::Strong, fact, claim),
        ));
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
        return Some(model_advice::suspect(facts, "TFLite model", seen));
    }
    if let Some(sight) = near(&CHECKPOINT_READERS) {
        let claim = format!(
            "`{}` was reading a checkpoint.",
            call::short(sight.function())
        );
        // No damage of a checkpoint that was tried made its reader crash: it raises.
        let seen = (Weight::Weak, sight.fact, claim.as_str());
        return Some(model_advice::suspect(facts, "checkpoint", seen));
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
    Some(model_advice::suspect(
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
