//! A call through ctypes: the function object and the arguments as Python had them.
//!
//! Both are held for as long as the call runs, so their addresses are among the words of the stack; what is stale
//! there is told apart by what the call's own records say.

use std::collections::BTreeMap;

use super::super::values::{Object, ValueReader, flags};
use super::window::{CallInterface, Passed, Window};

/// Ancestors of a type that are followed.
const MOST_BASES: usize = 16;
/// Declared types that are read.
const MOST_TYPES: usize = 64;
/// Words of the stack that are tried as objects.
const MOST_TRIES: usize = 1024;
const LONGEST_NAME: usize = 256;

const TYPE_NAME: u64 = 24;
const TYPE_BASIC_SIZE: u64 = 32;
const TYPE_BASE: u64 = 256;
const TYPE_DICTIONARY: u64 = 264;

/// `CDataObject`: where its bytes are. The same in all versions.
const DATA_POINTER: u64 = 16;
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
    let candidates = objects(values, window, call);
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

/// The addresses of the arguments: elements of the tuple that agrees with what reached the function.
pub(super) fn arguments(
    values: &ValueReader<'_>,
    window: &Window,
    call: &CallInterface,
    passed: &[Passed],
) -> Option<Vec<u64>> {
    let count = call.arguments.len();
    let candidates = objects(values, window, Some(call));
    let tuples = candidates.values().filter_map(|(object, times)| {
        let is_tuple = object.is(flags::TUPLE) && &*object.type_name == "tuple";
        // Tuples that are kept for later use are referred to by nobody.
        let is_alive = values
            .memory()
            .u64(object.address)
            .is_ok_and(|count| count != 0);
        let (elements, length) = (is_tuple && is_alive)
            .then(|| values.elements(object, count).ok())
            .flatten()?;
        let agrees = length == count as u64
            && (elements.iter().enumerate())
                .all(|(index, element)| agrees(values, *element, passed.get(index)));
        agrees.then_some((times, elements))
    });
    let (_, elements) = tuples.max_by_key(|(times, _)| **times)?;
    Some(elements)
}

/// Objects that words of the window refer to, outside of what libffi itself uses, and how often.
fn objects(
    values: &ValueReader<'_>,
    window: &Window,
    call: Option<&CallInterface>,
) -> BTreeMap<u64, (Object, usize)> {
    let mut found: BTreeMap<u64, (Object, usize)> = BTreeMap::new();
    let from = call.map_or(0, |call| call.address);
    let words = window.words().filter(|(address, _)| *address >= from);
    for (_, word) in words.rev().take(MOST_TRIES) {
        if let Some((_, count)) = found.get_mut(&word) {
            *count += 1;
        } else if values.is_mapped(word, 16)
            && let Ok(object) = values.object(word)
        {
            found.insert(word, (object, 1));
        }
    }
    found
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

/// Whether what reached the function may be what Python had; `true` where the two cannot be compared.
fn agrees(values: &ValueReader<'_>, element: u64, passed: Option<&Passed>) -> bool {
    let Ok(object) = values.object(element) else {
        return false;
    };
    // The declared types themselves are also a tuple of the same length.
    if object.type_name.starts_with("_ctypes.PyC") && object.type_name.ends_with("Type") {
        return false;
    }
    let Some((kind, bits)) = passed.and_then(|passed| Some((passed.kind, passed.bits?))) else {
        return true;
    };
    match &*object.type_name {
        "NoneType" => bits == 0,
        "int" | "long" | "bool" if kind.is_integer() || kind.is_pointer() => values
            .integer(element)
            .is_none_or(|number| same_low_bits(number.cast_unsigned(), bits, kind.bytes())),
        _ => true,
    }
}

fn same_low_bits(one: u64, other: u64, bytes: u64) -> bool {
    let unused = 64_u64.saturating_sub(bytes.saturating_mul(8)) as u32;
    one.checked_shl(unused).unwrap_or(0) == other.checked_shl(unused).unwrap_or(0)
}
