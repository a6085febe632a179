//! Values of Python variables, in a line each.

use std::io;

use crashlens_core::{Array, Death, Frame, PythonFrame, Value, Variable};

use super::names::clip;
use super::page::{PLAIN, Page};

/// So many variables of the culprit's frame are shown.
const SHOWN: usize = 8;

/// Writes the variables of the user's own frame, those that its line mentions first.
pub(super) fn write(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    let Some(frame) = own_frame(death) else {
        return Ok(());
    };
    let mut variables: Vec<&Variable> = frame.locals.iter().collect();
    let source = frame.source.as_deref().unwrap_or_default();
    variables.sort_by_key(|variable| (!mentions(source, &variable.name), !variable.argument));
    for (index, variable) in variables.iter().take(SHOWN).enumerate() {
        let label = if index == 0 { "Values" } else { "" };
        let room = page.width().saturating_sub(11);
        page.fact(label, &[(PLAIN, &assignment(variable, room))])?;
    }
    Ok(())
}

/// The frame of `culprit.python`, with its variables.
pub(in crate::report) fn own_frame(death: &Death) -> Option<&PythonFrame> {
    let culprit = death.culprit.python.as_ref()?;
    let frames = death.threads.iter().flat_map(|thread| &thread.frames);
    frames
        .filter_map(|frame| match frame {
            Frame::Python(python) => Some(python),
            Frame::Native(_) => None,
        })
        .find(|frame| {
            frame.file == culprit.file
                && frame.line == culprit.line
                && frame.function == culprit.function
        })
}

/// Whether the line has the name as a word of its own.
pub(in crate::report) fn mentions(source: &str, name: &str) -> bool {
    source
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| word == name)
}

/// `x = float32[32, 10]`.
pub(super) fn assignment(variable: &Variable, room: usize) -> String {
    let name = &variable.name;
    format!(
        "{name} = {}",
        in_words(
            &variable.value,
            room.saturating_sub(name.chars().count() + 3)
        )
    )
}

/// The value, or what kind of thing it is.
pub(in crate::report) fn in_words(value: &Value, room: usize) -> String {
    let text = match (&value.array, &value.text) {
        (Some(array), _) => describe(array, &value.type_name),
        (None, Some(text)) => text.clone(),
        (None, None) => format!("<{}>", value.type_name),
    };
    clip(&text, room)
}

/// `float32[32, 10] (ndarray)`.
fn describe(array: &Array, type_name: &str) -> String {
    let dtype = array.dtype.as_deref().unwrap_or("?");
    let shape = array.shape.as_ref().map_or_else(
        || "unknown shape".to_owned(),
        |shape| {
            let extents = shape
                .iter()
                .map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string()));
            extents.collect::<Vec<_>>().join(", ")
        },
    );
    let gone = if array.data_mapped == Some(false) {
        ", its memory is not there"
    } else {
        ""
    };
    // `EagerTensor` says as much as where it is defined.
    let class = type_name.rsplit('.').next().unwrap_or(type_name);
    format!("{dtype}[{shape}] ({class}{gone})")
}
