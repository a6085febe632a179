//! Which argument of the call that died stands out: empty, zero, negative, huge.
//!
//! Only says what stands out, never that it was the reason: many ops take such values well.

mod numbers;

use super::{Facts, LocalSight};
use crate::capture::{Array, Frame, PythonFrame, Thread, Variable};
use crate::evidence::FactRef;

use numbers::Odd;

/// More than this many arguments nobody reads.
const MOST_ARGUMENTS: usize = 4;

/// An argument that stands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument<'a> {
    /// Its name in the function that was called.
    pub name: &'a str,
    /// In what way.
    pub oddity: Oddity,
    /// What it is, as half a sentence with its subject: "`ksize` is [1, 0, 0, 1]".
    pub what: String,
    /// Where the variable is.
    pub fact: FactRef,
    /// Whether the op itself was called with it; otherwise it is a variable of the user's line.
    pub of_op: bool,
}

/// In what way an argument stands out, the oddest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Oddity {
    /// A number at or beyond the range of 32 bits.
    Huge,
    /// Negative, where sizes are meant.
    Negative,
    /// Zero, where a size or a step is meant.
    Zero,
    /// A tensor, array or list without elements.
    Empty,
    /// Not a number, or infinite.
    NotFinite,
}

impl<'a> Facts<'a> {
    /// Arguments of the op's call that stand out, the oddest first. Where the op was not called from Python directly,
    /// variables of the user's own innermost function.
    pub fn suspicious_arguments(&self) -> Vec<Argument<'a>> {
        let mut found = self.odd_among(is_op_function, true);
        if found.is_empty() && !self.frames_on_path().any(|it| is_op_function(it.2)) {
            let user = self.culprit().python.as_ref();
            let is_user = |frame: &PythonFrame| {
                user.is_some_and(|user| user.file == frame.file && user.function == frame.function)
            };
            found = self.odd_among(is_user, false);
        }
        found.sort_by_key(|argument| argument.oddity);
        found.truncate(MOST_ARGUMENTS);
        found
    }

    /// The function through which Python called the op.
    pub fn op_function(&self) -> Option<&'a PythonFrame> {
        let mut frames = self.frames_on_path().map(|(_, _, frame)| frame);
        frames.find(|frame| is_op_function(frame))
    }

    /// The arguments that the op was called with, as its Python function has them.
    pub fn op_arguments(&self) -> Vec<LocalSight<'a>> {
        let mut sights: Vec<LocalSight<'a>> = Vec::new();
        for (thread, index, frame) in self.frames_on_path().filter(|it| is_op_function(it.2)) {
            for variable in frame.locals.iter().filter(|it| it.argument) {
                let is_known = sights.iter().any(|it| it.variable.name == variable.name);
                if !is_known {
                    sights.push(sight(thread, index, variable));
                }
            }
        }
        sights
    }

    fn odd_among(&self, wanted: impl Fn(&PythonFrame) -> bool, of_op: bool) -> Vec<Argument<'a>> {
        let mut found: Vec<Argument<'a>> = Vec::new();
        for (thread, index, frame) in self.frames_on_path().filter(|it| wanted(it.2)) {
            for variable in frame.locals.iter().filter(|it| it.argument || !of_op) {
                // The same argument on its way through two functions.
                if found.iter().any(|it| it.name == variable.name) {
                    continue;
                }
                if let Some((oddity, what)) = oddity(variable) {
                    found.push(Argument {
                        name: &variable.name,
                        oddity,
                        what,
                        fact: sight(thread, index, variable).fact,
                        of_op,
                    });
                }
            }
        }
        found
    }

    /// Python frames of the crashed thread and of the one that waits for it, innermost first.
    fn frames_on_path(
        &self,
    ) -> impl Iterator<Item = (&'a Thread, usize, &'a PythonFrame)> + use<'a> {
        let threads = &self.capture().threads;
        let waiting = threads.iter().filter(|it| it.waits_for_crashed);
        let threads = self.crashed().into_iter().chain(waiting);
        threads.flat_map(|thread| {
            let frames = thread.frames.iter().enumerate();
            frames.filter_map(move |(index, frame)| match frame {
                Frame::Python(frame) => Some((thread, index, frame)),
                Frame::Native(_) => None,
            })
        })
    }
}

fn sight<'a>(thread: &Thread, index: usize, variable: &'a Variable) -> LocalSight<'a> {
    LocalSight {
        variable,
        fact: FactRef::Local {
            thread: thread.id,
            index,
            name: variable.name.clone(),
        },
    }
}

/// Whether TensorFlow generated the function for an op: in one of its own modules, or when a library of ops was
/// loaded.
fn is_op_function(frame: &PythonFrame) -> bool {
    let file = frame.file.replace('\\', "/");
    let is_module = file
        .rsplit_once("/ops/")
        .is_some_and(|(_, name)| name.starts_with("gen_") && !name.contains('/'));
    let is_loaded = file == "<string>" && frame.locals.iter().any(|it| it.name == "_ctx");
    is_module || is_loaded
}

/// In what way a variable stands out, and the words for it.
fn oddity(variable: &Variable) -> Option<(Oddity, String)> {
    let name = variable.name.as_str();
    if name.starts_with('_') || numbers::takes_any(name) {
        return None;
    }
    if let Some(array) = &variable.value.array {
        let shape = empty_shape(array)?;
        return Some((Oddity::Empty, format!("`{name}` is empty, shape {shape}")));
    }
    let text = variable.value.text.as_deref()?;
    let odd = numbers::odd(name, &variable.value.type_name, text)?;
    let what = match odd {
        Odd::Value(oddity) => (oddity, format!("`{name}` is {}", shortened(text))),
        Odd::EmptyElement(element) => (
            Oddity::Empty,
            format!("`{name}` holds an empty tensor, {element}"),
        ),
    };
    Some(what)
}

/// The shape of an array without elements, as Python writes it.
fn empty_shape(array: &Array) -> Option<String> {
    let shape = array.shape.as_ref()?;
    if !shape.contains(&Some(0)) {
        return None;
    }
    let extents: Vec<String> = shape
        .iter()
        .map(|extent| extent.map_or_else(|| "None".to_owned(), |it| it.to_string()))
        .collect();
    Some(match extents.as_slice() {
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    })
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    format!(
        "{}…",
        text.get(..text.floor_char_boundary(LONGEST))
            .unwrap_or_default()
    )
}

#[cfg(test)]
#[path = "arguments/tests.rs"]
mod tests;
