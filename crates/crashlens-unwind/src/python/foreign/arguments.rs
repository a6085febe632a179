//! The arguments as Python had them: the tuple that agrees with what reached the function.
//!
//! The tuple is held for as long as the call runs, so its address is among the words of the stack.

use std::collections::BTreeMap;

use super::super::values::{Object, ValueReader, flags};
use super::window::{Passed, Window};

/// Words of the stack that are tried as objects.
const MOST_TRIES: usize = 1024;

/// Objects of ctypes: where their bytes are. The same in all versions.
pub(super) const DATA_POINTER: u64 = 16;
/// Objects of cffi: their type, and where their bytes are, or what they point to.
pub(super) const CFFI_TYPE: u64 = 16;
pub(super) const CFFI_DATA: u64 = 24;

/// Objects that words of the window refer to, and how often.
pub(super) type Objects = BTreeMap<u64, (Object, usize)>;

/// The objects that words from the address `from` on refer to.
pub(super) fn objects(values: &ValueReader<'_>, window: &Window, from: u64) -> Objects {
    let mut found = Objects::new();
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

/// The addresses of the arguments: elements of the tuple that agrees with what reached the function.
pub(super) fn find(
    values: &ValueReader<'_>,
    candidates: &Objects,
    passed: &[Passed],
) -> Option<Vec<u64>> {
    let tuples = candidates.values().filter_map(|(object, times)| {
        let is_tuple = object.is(flags::TUPLE) && &*object.type_name == "tuple";
        // Tuples that are kept for later use are referred to by nobody.
        let is_alive = values
            .memory()
            .u64(object.address)
            .is_ok_and(|references| references != 0);
        let (elements, length) = (is_tuple && is_alive)
            .then(|| values.elements(object, passed.len()).ok())
            .flatten()?;
        let agrees = length == passed.len() as u64
            && (elements.iter().zip(passed))
                .all(|(element, passed)| agrees(values, *element, *passed));
        agrees.then_some((times, elements))
    });
    let tuples: Vec<_> = tuples.collect();
    // Where nothing can be compared, every tuple of that length agrees.
    let is_compared = passed.iter().any(|passed| passed.bits.is_some());
    if !is_compared && tuples.len() > 1 {
        return None;
    }
    let (_, elements) = tuples.into_iter().max_by_key(|(times, _)| **times)?;
    Some(elements)
}

/// Whether what reached the function may be what Python had; `true` where the two cannot be compared.
fn agrees(values: &ValueReader<'_>, element: u64, passed: Passed) -> bool {
    let Ok(object) = values.object(element) else {
        return false;
    };
    // The declared types, and what converts to them, are tuples of the same length.
    let name = &*object.type_name;
    let is_declaration = name.starts_with("builtin_") || name == "method" || is_cffi_type(&object);
    if object.is(flags::TYPE) || is_declaration {
        return false;
    }
    let kind = passed.kind;
    let Some(bits) = passed.bits else {
        return true;
    };
    let is_same = |number: u64| same_low_bits(number, bits, kind.bytes());
    match name {
        "NoneType" => bits == 0,
        "int" | "long" | "bool" => values
            .integer(element)
            .is_none_or(|number| is_same(number.cast_unsigned())),
        "bytes" if kind.is_pointer() => bits.checked_sub(element).is_some_and(|head| head < 64),
        _ if is_ctypes_data(values, &object) => {
            let data = values.pointer(element, DATA_POINTER).unwrap_or_default();
            // Arrays are passed by their address, everything else by its value.
            bits == data || values.pointer(data, 0).is_ok_and(is_same)
        }
        _ if is_cffi_data(values, &object) => {
            let data = values.pointer(element, CFFI_DATA).unwrap_or_default();
            bits == data || values.pointer(data, 0).is_ok_and(is_same)
        }
        _ => true,
    }
}

fn same_low_bits(one: u64, other: u64, bytes: u64) -> bool {
    let unused = 64_u64.saturating_sub(bytes.saturating_mul(8)) as u32;
    one.checked_shl(unused).unwrap_or(0) == other.checked_shl(unused).unwrap_or(0)
}

/// Whether it is an object of ctypes that holds C data.
pub(super) fn is_ctypes_data(values: &ValueReader<'_>, object: &Object) -> bool {
    let bases = values.bases(object);
    bases.iter().any(|name| &**name == "_ctypes._CData")
}

/// Whether it is an object of cffi that holds C data, or points to it.
pub(super) fn is_cffi_data(values: &ValueReader<'_>, object: &Object) -> bool {
    let is_data = |name: &str| matches!(name, "_cffi_backend._CDataBase" | "_cffi_backend.CData");
    values.bases(object).iter().any(|name| is_data(name))
}

pub(super) fn is_cffi_type(object: &Object) -> bool {
    matches!(
        &*object.type_name,
        "_cffi_backend.CType" | "_cffi_backend.CTypeDescr"
    )
}
