//! Which worker a stack is of.

use crate::capture::{PythonFrame, Value, Variable, Worker};
use crate::contexts;
use crate::culprit::{CodeOwner, owner};

/// Characters of a task, and of one of its arguments.
const LONGEST_TASK: usize = 200;
const LONGEST_ARGUMENT: usize = 48;
/// Arguments that are told.
const MOST_ARGUMENTS: usize = 8;

/// The worker that `frames`, innermost first, are of.
pub(super) fn recognise(frames: &[&PythonFrame]) -> Option<Worker> {
    let (known, place) = contexts::runner_in(frames)?;
    Some(Worker {
        kind: known.kind.to_owned(),
        name: contexts::worker_name(frames),
        task: task(frames, place).map(describe),
    })
}

/// A Python program that another one started.
pub(super) fn program() -> Worker {
    Worker {
        kind: contexts::subprocess::KIND.to_owned(),
        name: None,
        task: None,
    }
}

/// The outermost function inside of the machinery at `place` that is the user's own, or at least nobody's who only
/// hands tasks on.
fn task<'a>(frames: &[&'a PythonFrame], place: usize) -> Option<&'a PythonFrame> {
    let inner = || frames.get(..place).unwrap_or_default().iter().rev();
    let is_own =
        |frame: &&&PythonFrame| matches!(owner(&frame.file), CodeOwner::User | CodeOwner::Text);
    let is_carried = |frame: &&&PythonFrame| !contexts::is_carrier(&frame.file);
    inner()
        .find(is_own)
        .or_else(|| inner().find(is_carried))
        .copied()
        .filter(|frame| frame.function != "<module>")
}

/// `decode(path='7.png', scale=2)`: the function, with its arguments as far as they are known.
fn describe(frame: &PythonFrame) -> String {
    let arguments: Vec<String> = frame
        .locals
        .iter()
        .filter(|variable| variable.argument && variable.name != "self")
        .take(MOST_ARGUMENTS)
        .map(argument)
        .collect();
    let name = frame
        .function
        .rsplit("<locals>.")
        .next()
        .unwrap_or_default();
    clip(&format!("{name}({})", arguments.join(", ")), LONGEST_TASK)
}

fn argument(variable: &Variable) -> String {
    format!("{}={}", variable.name, in_short(&variable.value))
}

fn in_short(value: &Value) -> String {
    match (&value.text, &value.array) {
        (Some(text), _) => clip(text, LONGEST_ARGUMENT),
        (None, Some(array)) => {
            let extents = array.shape.iter().flatten();
            let extents: Vec<String> = extents
                .map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string()))
                .collect();
            let dtype = array.dtype.as_deref().unwrap_or(&value.type_name);
            clip(
                &format!("{dtype}[{}]", extents.join(", ")),
                LONGEST_ARGUMENT,
            )
        }
        (None, None) => clip(&format!("<{}>", value.type_name), LONGEST_ARGUMENT),
    }
}

fn clip(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(longest.saturating_sub(1)).collect();
    short.push('…');
    short
}
