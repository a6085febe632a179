//! A call through ctypes: the function object and the arguments as Python had them.
//!
//! Both are held for as long as the call runs, so their addresses are among the words of the stack; what is stale
//! there is told apart by what the call's own records say.

use super::super::values::{Object, ValueReader, flags};
use super::arguments::{self, DATA_POINTER, is_ctypes_data};
use super::window::{CallInterface, Passed, Window};

/// Ancestors of a type that are followed.
const MOST_BASES: usize = 16;
/// Declared types that are read.
const MOST_TYPES: usize = 64;
const LONGEST_NAME: usize = 256;

const TYPE_NAME: u64 = 24;
const TYPE_BASIC_SIZE: u64 = 32;
const TYPE_BASE: u64 = 256;
const TYPE_DICTIONARY: u64 = 264;

/// `PyCFuncPtrObject`, from its end: `argtypes`, before the result's type, its checker, the error check and the
/// flags of the parameters. What comes before differs in size.
const ARGUMENT_TYPES_FROM_END: u64 = 40;

/// A function object of ctypes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// Where it leads.
    pub(super) target: u64,
    /// The name by which it was looked up in its library.
    pub(super) name: Option<String>,
    /// Whether it declares the types of its arguments; `None` when that cannot be read.
    pub(super) declares: Option<bool>,
    /// Addresses of those types.
    pub(super) declared: Vec<u64>,
}

/// The function that is being called: one whose address was handed on to libffi.
pub(super) fn function(
    values: &ValueReader<'_>,
    window: &Window,
    call: Option<&CallInterface>,
) -> Option<Function> {
    let candidates = arguments::objects(values, window, call.map_or(0, |call| call.address));
    let functions = candidates.values().filter_map(|(object, count)| {
        let size = function_size(values, object)?;
        let target = values
            .pointer(object.address, DATA_POINTER)
            .and_then(|data| values.pointer(data, 0))
            .ok()
            .filter(|target| window.holds(*target))?;
        Some((count, object, size, target))
    });
    let (_, object, size, target) = functions.max_by_key(|(count, ..)| **count)?;
    let declaration = declaration(values, object, size);
    let declared = declaration.filter(|types| *types != 0);
    Some(Function {
        target,
        name: name(values, object),
        declares: declaration.map(|types| types != 0),
        declared: declared
            .and_then(|types| elements(values, types))
            .unwrap_or_default(),
    })
}

/// The size of a function object without what subclasses add; `None` for other objects.
fn function_size(values: &ValueReader<'_>, object: &Object) -> Option<u64> {
    let mut kind = object.type_address;
    for _ in 0..MOST_BASES {
        if is_function_type(values, kind)? {
            let size = values.pointer(kind, TYPE_BASIC_SIZE).ok()?;
            return (128..=512).contains(&size).then_some(size);
        }
        kind = values.pointer(kind, TYPE_BASE).ok()?;
    }
    None
}

fn is_function_type(values: &ValueReader<'_>, kind: u64) -> Option<bool> {
    let name = type_name(values, kind)?;
    Some(matches!(
        name.as_str(),
        "_ctypes.PyCFuncPtr" | "_ctypes.CFuncPtr"
    ))
}

pub(super) fn type_name(values: &ValueReader<'_>, kind: u64) -> Option<String> {
    values.c_string(values.pointer(kind, TYPE_NAME).ok()?, LONGEST_NAME)
}

/// Libraries give the functions that are looked up in them their name.
fn name(values: &ValueReader<'_>, function: &Object) -> Option<String> {
    let name = values.text(values.attribute(function, "__name__")?)?;
    let is_name = name.len() <= LONGEST_NAME && !name.contains(char::is_control);
    (is_name && !name.is_empty()).then_some(name)
}

/// Address of the declared types, the function's own or those of its class; 0 for none.
fn declaration(values: &ValueReader<'_>, function: &Object, size: u64) -> Option<u64> {
    let own = size.checked_sub(ARGUMENT_TYPES_FROM_END)?;
    let own = values.pointer(function.address, own).ok()?;
    if own != 0 {
        return Some(own);
    }
    // As `CFUNCTYPE` makes them.
    let mut kind = function.type_address;
    for _ in 0..MOST_BASES {
        if is_function_type(values, kind)? {
            return Some(0);
        }
        let dictionary = values.pointer(kind, TYPE_DICTIONARY).ok()?;
        if let Some(types) = values.lookup(dictionary, "_argtypes_") {
            return Some(types);
        }
        kind = values.pointer(kind, TYPE_BASE).ok()?;
    }
    None
}

fn elements(values: &ValueReader<'_>, sequence: u64) -> Option<Vec<u64>> {
    let sequence = values.object(sequence).ok()?;
    let is_sequence = sequence.is(flags::TUPLE) || sequence.is(flags::LIST);
    let (elements, _) = is_sequence.then(|| values.elements(&sequence, MOST_TYPES).ok())??;
    Some(elements)
}

/// A number of ctypes as Python writes it: `c_ulong(3)`.
pub(super) fn number(values: &ValueReader<'_>, object: u64, passed: Passed) -> Option<String> {
    let object = values.object(object).ok()?;
    let bits = passed.bits.filter(|_| is_ctypes_data(values, &object))?;
    let name = &object.type_name;
    if passed.kind.is_pointer() {
        return (bits == 0 && &**name == "c_void_p").then(|| format!("{name}(None)"));
    }
    let number = passed.kind.number(bits)?;
    Some(format!("{name}({number})"))
}
