//! Questions about arrays and tensors: empty ones, and ones whose memory is not there.

use std::sync::LazyLock;

use regex::Regex;

use super::Facts;
use super::values::LocalSight;
use crate::capture::{Array, ArrayKind, Variable};
use crate::evidence::FactRef;

/// An array or list without elements that was given to a function.
#[derive(Debug, Clone)]
pub struct EmptyInput {
    /// The variable that holds it.
    pub name: String,
    /// Its shape, as `[4, 0]`.
    pub shape: String,
    /// Where it is.
    pub fact: FactRef,
}

/// An array that is not where its elements should be.
#[derive(Debug, Clone)]
pub struct StrayArray<'a> {
    /// The variable that holds it.
    pub name: &'a str,
    /// Its form.
    pub array: &'a Array,
    /// Where it is.
    pub fact: FactRef,
    /// Whether memory is mapped where its elements begin.
    pub begins_mapped: bool,
}

impl<'a> Facts<'a> {
    /// Arguments on the path of the crash that are arrays or lists without elements, innermost first; each name once.
    pub fn empty_inputs(&self) -> Vec<EmptyInput> {
        let mut found: Vec<EmptyInput> = Vec::new();
        for sight in self.locals() {
            let variable = sight.variable;
            if variable.name.starts_with('_') || found.iter().any(|it| it.name == variable.name) {
                continue;
            }
            if let Some(shape) = empty_shape(variable) {
                let name = variable.name.clone();
                let fact = sight.fact;
                found.push(EmptyInput { name, shape, fact });
            }
        }
        found
    }

    /// Arguments on the path of the crash that are the integer 0 or hold one, innermost first; each name once.
    pub fn zero_inputs(&self) -> Vec<LocalSight<'a>> {
        let mut found: Vec<LocalSight<'a>> = Vec::new();
        for sight in self.locals().filter(|sight| sight.variable.argument) {
            let name = &sight.variable.name;
            let is_known = found.iter().any(|it| it.variable.name == *name);
            if !is_known && !name.starts_with('_') && holds_zero(sight.variable) {
                found.push(sight);
            }
        }
        found
    }

    /// Arrays on the path of the crash of which some elements are in no mapped memory, and among whose elements the
    /// address at fault is; the innermost first.
    pub fn stray_arrays(&self) -> impl Iterator<Item = StrayArray<'a>> + use<'a> {
        let maps = self.capture().maps.known();
        let address = self.access().map(|access| access.address.0);
        let locals = self.locals();
        locals.filter_map(move |sight| {
            let array = sight.variable.value.array.as_ref()?;
            let data = array.data?.0;
            let is_stray = array.data_mapped == Some(false) && !array.by_form;
            let (first, last) = extent(array)?;
            let range = data.checked_sub(first)?..=data.checked_add(last)?;
            let begins_mapped = maps?.iter().any(|mapping| mapping.contains(data));
            (is_stray && range.contains(&address?)).then(|| StrayArray {
                name: &sight.variable.name,
                array,
                fact: sight.fact,
                begins_mapped,
            })
        })
    }
}

/// Bytes before and behind its first element that an array's elements take; `None` where it cannot be computed.
fn extent(array: &Array) -> Option<(u64, u64)> {
    let shape: Option<Vec<u64>> = array.shape.as_ref()?.iter().copied().collect();
    let shape = shape?;
    let Some(strides) = &array.strides else {
        // Tensors are contiguous; 16 bytes are the widest element there is.
        let bytes = shape
            .iter()
            .try_fold(16_u64, |bytes, it| bytes.checked_mul(*it));
        return Some((0, bytes?));
    };
    let mut extent = (0_u64, 16_u64);
    for (count, stride) in shape.iter().zip(strides) {
        let bytes = count.checked_sub(1)?.checked_mul(stride.unsigned_abs())?;
        let side = if *stride < 0 {
            &mut extent.0
        } else {
            &mut extent.1
        };
        *side = side.checked_add(bytes)?;
    }
    Some(extent)
}

/// The shape of a variable's value, where it has no elements; for a list of tensors that of the first such one.
fn empty_shape(variable: &Variable) -> Option<String> {
    static TENSOR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r" \w+(?<shape>\[(?:\d+, )*0(?:, \d+)*\])>").expect("it is part of the program")
    });
    let value = &variable.value;
    if let Some(array) = &value.array {
        let shape = array.shape.as_ref()?;
        let has_value = array.kind != ArrayKind::SymbolicTensor;
        let is_empty = has_value && shape.contains(&Some(0));
        return is_empty.then(|| written(shape));
    }
    let text = value.text.as_deref()?;
    if variable.argument && value.type_name == "list" && text == "[]" {
        return Some("[0]".to_owned());
    }
    let is_list = variable.argument && matches!(value.type_name.as_str(), "list" | "tuple");
    let tensor = is_list.then(|| TENSOR.captures(text)).flatten()?;
    Some(tensor["shape"].to_owned())
}

/// A shape as Python writes a list.
pub(crate) fn written(shape: &[Option<u64>]) -> String {
    let words: Vec<String> = shape
        .iter()
        .map(|it| it.map_or_else(|| "None".to_owned(), |it| it.to_string()))
        .collect();
    format!("[{}]", words.join(", "))
}

/// Whether a value is the integer 0, or a short list with one in it.
fn holds_zero(variable: &Variable) -> bool {
    let value = &variable.value;
    let Some(text) = value.text.as_deref() else {
        return false;
    };
    match value.type_name.as_str() {
        "int" => text == "0",
        "list" | "tuple" => text
            .trim_matches(['[', ']', '(', ')'])
            .split(',')
            .any(|item| item.trim() == "0"),
        _ => false,
    }
}
