//! A call through cffi by libffi (`ffi.dlopen` and function pointers).
//!
//! The function is a `CData` whose type describes the call; the values are in a buffer that begins with the
//! addresses of all of them.

use super::super::values::{ValueReader, flags};
use super::arguments::{self, CFFI_DATA, CFFI_TYPE, is_cffi_data, is_cffi_type};
use super::window::{CallInterface, Passed, Window};

/// Words of the stack that are tried.
const MOST_TRIES: usize = 1024;
const LONGEST_NAME: usize = 256;

/// `CTypeDescrObject`: a tuple of convention, result and arguments, and the description of the call.
const PARTS: u64 = 32;
const CALL: u64 = 40;
const TYPE_FLAGS: u64 = 80;
const FUNCTION_POINTER: u32 = 0x100;
/// Where the name is: up to 1.17, and from 2.0 on.
const NAMES: [u64; 2] = [88, 96];
/// The description of a call: after libffi's part and the size of the buffer, where in it are result and arguments.
const FIRST_ARGUMENT: u64 = 48;

/// A function that is being called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// Where it leads.
    pub(super) target: u64,
    /// Names of the types of its arguments.
    pub(super) declared: Vec<String>,
    /// What reached it, where that was found.
    pub(super) passed: Vec<Passed>,
    /// Addresses of the arguments as Python had them.
    pub(super) arguments: Option<Vec<u64>>,
}

/// The function that is being called, by a buffer that fits its type.
pub(super) fn function(values: &ValueReader<'_>, window: &Window) -> Option<Function> {
    let words: Vec<u64> = window
        .words()
        .map(|(_, word)| word)
        .rev()
        .take(MOST_TRIES)
        .collect();
    let callee = words
        .iter()
        .find_map(|word| callee(values, *word).filter(|callee| window.holds(callee.target)))?;
    let call = words
        .iter()
        .chain([&callee.call])
        .filter(|word| **word >= 4096)
        .find_map(|word| {
            let call = CallInterface::read(values.memory(), *word)?;
            let fits = call.arguments.len() >= callee.declared.len() && !call.arguments.is_empty();
            let places = fits.then(|| buffer(values, &words, &call))??;
            Some(call.values(values.memory(), &places))
        });
    let passed = call.unwrap_or_default();
    let arguments = arguments::find(values, &arguments::objects(values, window, 0), &passed);
    Some(Function {
        target: callee.target,
        arguments,
        declared: callee.declared,
        passed,
    })
}

struct Callee {
    target: u64,
    /// Where its type describes the call; 0 where it takes any number of arguments.
    call: u64,
    declared: Vec<String>,
}

fn callee(values: &ValueReader<'_>, word: u64) -> Option<Callee> {
    let object = values
        .is_mapped(word, 32)
        .then(|| values.object(word).ok())?
        .filter(|object| is_cffi_data(values, object))?;
    let kind = values.pointer(object.address, CFFI_TYPE).ok()?;
    let kinds = values.pointer(kind, TYPE_FLAGS).ok()? as u32;
    if kinds & FUNCTION_POINTER == 0 {
        return None;
    }
    let parts = values.object(values.pointer(kind, PARTS).ok()?).ok()?;
    let (parts, _) = parts
        .is(flags::TUPLE)
        .then(|| values.elements(&parts, 64).ok())??;
    let name = |kind: &u64| type_name(values, *kind);
    Some(Callee {
        target: values.pointer(object.address, CFFI_DATA).ok()?,
        call: values.pointer(kind, CALL).ok()?,
        declared: parts.iter().skip(2).map(name).collect::<Option<_>>()?,
    })
}

fn type_name(values: &ValueReader<'_>, kind: u64) -> Option<String> {
    let object = values.object(kind).ok()?;
    if !is_cffi_type(&object) {
        return None;
    }
    let is_name = |name: &String| !name.is_empty() && !name.contains(char::is_control);
    NAMES.iter().find_map(|offset| {
        let start = kind.checked_add(*offset)?;
        values.c_string(start, LONGEST_NAME).filter(is_name)
    })
}

/// The addresses of the values: the buffer begins with them, and each is where the description says.
fn buffer(values: &ValueReader<'_>, words: &[u64], call: &CallInterface) -> Option<Vec<u64>> {
    let count = call.arguments.len();
    let offsets = values
        .words(call.address.checked_add(FIRST_ARGUMENT)?, count)
        .ok()?;
    words.iter().find_map(|start| {
        let places = values
            .is_mapped(*start, 8 * count as u64)
            .then(|| values.words(*start, count).ok())??;
        let mut expected = offsets.iter().map(|offset| start.wrapping_add(*offset));
        places
            .iter()
            .all(|place| expected.next() == Some(*place))
            .then_some(places)
    })
}

/// A pointer of cffi as Python writes it: `<cdata 'char *' 0x7f5c10>`.
pub(super) fn pointer(values: &ValueReader<'_>, object: u64, passed: Passed) -> Option<String> {
    let object = values.object(object).ok()?;
    let bits = passed
        .bits
        .filter(|_| passed.kind.is_pointer() && is_cffi_data(values, &object))?;
    let name = type_name(values, values.pointer(object.address, CFFI_TYPE).ok()?)?;
    Some(match bits {
        0 => format!("<cdata '{name}' NULL>"),
        _ => format!("<cdata '{name}' {bits:#x}>"),
    })
}
