//! Bytecode that was not made by, or for, the interpreter that runs it.

use crate::capture::{Frame, Place, PythonFrame, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk, Suspicion};

/// Words in a line that makes or runs code by hand.
const MAKES_CODE: [&str; 8] = [
    "marshal.",
    "CodeType(",
    "FunctionType(",
    "__code__",
    "co_code",
    "func_load",
    ".replace(co_",
    "loads(code",
];

/// The suspicion, for a crash in the interpreter's own loop.
pub(super) fn suspicion(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts
        .sign("unknown-opcode")
        .filter(|sight| facts.said_after(sight).is_none())
    {
        let claim = format!(
            "The interpreter met code that it does not know: \"{}\".",
            excerpt(sight.text)
        );
        return Some(new(Weight::Strong, sight.fact.clone(), claim));
    }
    let (fact, innermost) = runs_in_interpreter(facts)?;
    let (weight, fact, claim) = made_by_hand(facts, innermost).unwrap_or_else(|| {
        let claim = format!(
            "It died in the interpreter itself while it ran `{}`, with no native library in between.",
            innermost.function
        );
        (Weight::Weak, fact, claim)
    });
    Some(new(weight, fact, claim))
}

/// The Python function that ran, where only the interpreter's own code is above it.
fn runs_in_interpreter<'a>(facts: &Facts<'a>) -> Option<(FactRef, &'a PythonFrame)> {
    let is_fault = facts.died_of(Signal::SEGV) || facts.died_of(Signal::BUS);
    let is_full = matches!(facts.place(), Some(Place::StackOverflow));
    if !is_fault || is_full || facts.signal_was_sent() {
        return None;
    }
    let thread = facts.crashed()?;
    let above = thread
        .frames
        .iter()
        .take_while(|frame| matches!(frame, Frame::Native(_)));
    let mut seen = 0;
    for frame in above {
        let Frame::Native(native) = frame else {
            continue;
        };
        if !is_interpreter(native) {
            return None;
        }
        seen += 1;
    }
    // More than the loop and what it calls for one instruction is the work of a built-in function.
    (1..=3)
        .contains(&seen)
        .then(|| facts.python_frames().next())?
}

/// What shows that the function's code was not made by the compiler.
fn made_by_hand(facts: &Facts<'_>, innermost: &PythonFrame) -> Option<(Weight, FactRef, String)> {
    let frames: Vec<_> = facts.python_frames().take(4).collect();
    let makes = |frame: &PythonFrame| {
        let source = frame.source.as_deref().unwrap_or_default();
        MAKES_CODE.iter().any(|word| source.contains(word))
    };
    if let Some((fact, frame)) = frames.iter().find(|(_, frame)| makes(frame)) {
        let source = frame.source.as_deref().unwrap_or_default();
        let claim = format!("Code is made by hand here: `{}`.", excerpt(source));
        return Some((Weight::Strong, fact.clone(), claim));
    }
    let in_lambda_layer =
        |frame: &PythonFrame| frame.file.contains("keras") && frame.file.contains("lambda");
    if innermost.function.ends_with("<lambda>")
        && let Some((fact, _)) = frames.iter().find(|(_, frame)| in_lambda_layer(frame))
    {
        let claim = "The function of a Lambda layer was running, which models keep as bytecode of one Python.";
        return Some((Weight::Strong, fact.clone(), claim.to_owned()));
    }
    let source = innermost.source.as_deref().unwrap_or_default().trim();
    let is_head =
        source.ends_with(':') && (source.starts_with("def ") || source.starts_with("async def "));
    let is_entry = is_head && innermost.function != "<module>";
    is_entry.then(|| {
        let claim =
            format!("It died on `{source}`: the compiler puts nothing there that can fail.");
        (
            Weight::Strong,
            frames
                .first()
                .map_or(FactRef::Culprit, |(fact, _)| fact.clone()),
            claim,
        )
    })
}

fn new(weight: Weight, fact: FactRef, claim: String) -> Suspicion {
    let headline = "The interpreter ran bytecode that was not made for it";
    Suspicion::new(Cause::InterpreterMisuse, headline)
        .supported(weight, fact, claim)
        .remedy(Remedy::new(
            "Make functions from source, not from stored bytecode: no `marshal`, no patched `__code__`, no model with Lambda \
             layers that another Python version saved.",
        ))
        .remedy(
            Remedy::new("Remove compiled files that may be old.")
                .command(ShellLine::unix("find . -name '__pycache__' -type d -prune -exec rm -r {} +"))
                .risk(Risk::Environment),
        )
}
