//! Values of Python variables: tensors and arrays as chips, everything else as Python writes it.

use crashlens_core::{Array, Value, Variable};
use maud::{Markup, html};

use super::parts;
use crate::report::terminal::value_in_words;

/// Columns of one value.
const LONGEST: usize = 160;

/// A table of variables; the first of them, which the verdict rests on, are marked.
pub(super) fn table(variables: &[&Variable], proof: usize) -> Markup {
    html! {
        table.values {
            @for (index, variable) in variables.iter().enumerate() {
                tr.proof[index < proof] {
                    th scope="row" { code { (parts::text(&variable.name)) } }
                    td { (value(&variable.value)) }
                }
            }
        }
    }
}

fn value(value: &Value) -> Markup {
    let class = value.type_name.rsplit('.').next().unwrap_or_default();
    html! {
        @match &value.array {
            Some(array) => { (chips(array)) " " span.faint { (parts::text(class)) } },
            None => {
                code { (value_in_words(value, LONGEST)) }
                @if value.text.is_some() { " " span.faint { (parts::text(class)) } }
            },
        }
    }
}

fn chips(array: &Array) -> Markup {
    let dtype = array.dtype.as_deref().unwrap_or("?");
    html! {
        span.chip { (parts::text(dtype)) }
        @match &array.shape {
            Some(shape) => span.chip.shape { "[" (extents(shape)) "]" },
            None => span.chip.shape { "unknown shape" },
        }
        @if array.data_mapped == Some(false) { span.chip.gone { "its memory is not there" } }
    }
}

fn extents(shape: &[Option<u64>]) -> String {
    let extents = shape
        .iter()
        .map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string()));
    extents.collect::<Vec<_>>().join(", ")
}
