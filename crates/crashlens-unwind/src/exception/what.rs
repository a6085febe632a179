//! What a thrown object says: what its `what()` would return, or the value itself where a plain one was thrown.

use crate::ReadMemory;
use crate::text;

use super::type_info::{Kind, TypeInfo};
use crate::arch::Leaf;

/// Place of `what` in the table of `std::exception`: after two destructors.
const WHAT: u64 = 16;
/// Longer strings are not believed.
const LONGEST_STRING: u64 = 1 << 24;

/// Classes whose `what()` puts its text together when it is called, and where the text comes from.
const LAYOUTS: &[(&str, Layout)] = &[
    // PyTorch since 1.0: the message without its backtrace.
    ("N3c105ErrorE", Layout::String { at: 8 }),
    // pybind11 since 2.10: the type of the Python exception, with its message once somebody asked.
    ("N8pybind1117error_already_setE", Layout::PythonError),
];

/// Where a class keeps its message.
#[derive(Debug, Clone, Copy)]
enum Layout {
    String { at: u64 },
    PythonError,
}

/// What `object`, which is of type `info`, says.
pub(super) fn words(memory: &dyn ReadMemory, info: &TypeInfo, object: u64) -> Option<String> {
    match (info.kind, info.mangled.as_str()) {
        (Kind::Pointer, "PKc" | "Pc") => text::c_string(memory, memory.u64(object).ok()?),
        (Kind::Fundamental, name) => number(memory, name, object),
        (_, "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") => string(memory, object),
        // The string of the old ABI.
        (_, "Ss") => counted_string(memory, object),
        (Kind::Class | Kind::SingleBase | Kind::ManyBases, _) => of_class(memory, info, object),
        _ => None,
    }
}

fn of_class(memory: &dyn ReadMemory, info: &TypeInfo, object: u64) -> Option<String> {
    returned_by_what(memory, info, object)
        .or_else(|| by_layout(memory, info, object))
        .or_else(|| {
            let keeps_text = |base: &TypeInfo| {
                matches!(
                    base.mangled.as_str(),
                    "St13runtime_error" | "St11logic_error"
                )
            };
            let (_, place) = info.find_base(memory, object, &keeps_text)?;
            counted_string(memory, place.checked_add(8)?)
        })
        .filter(|text| !text.is_empty())
}

fn returned_by_what(memory: &dyn ReadMemory, info: &TypeInfo, object: u64) -> Option<String> {
    let (_, place) = info.find_base(memory, object, &|base| base.mangled == "St9exception")?;
    let table = memory.u64(place).ok()?;
    let function = memory.u64(table.checked_add(WHAT)?).ok()?;
    let leaf = Leaf {
        memory,
        thread_pointer: 0,
        callee: &|_| None,
    };
    text::c_string(memory, leaf.returned(function, place)?)
}

fn by_layout(memory: &dyn ReadMemory, info: &TypeInfo, object: u64) -> Option<String> {
    for (class, layout) in LAYOUTS {
        let Some((_, place)) = info.find_base(memory, object, &|base| base.mangled == *class)
        else {
            continue;
        };
        return match layout {
            Layout::String { at } => string(memory, place.checked_add(*at)?),
            Layout::PythonError => {
                let fetched = memory.u64(place.checked_add(8)?).ok()?;
                // Behind the type, the value and the traceback.
                string(memory, fetched.checked_add(24)?)
            }
        };
    }
    let is_status = |base: &TypeInfo| base.mangled.ends_with("17BadStatusOrAccessE");
    let (_, place) = info.find_base(memory, object, &is_status)?;
    status(memory, place.checked_add(8)?)
}

/// The message of an `absl::Status`. Its representation is a pointer, or a bare code, told apart by low bits whose
/// meaning has changed over the years; a code is small in all of them.
fn status(memory: &dyn ReadMemory, place: u64) -> Option<String> {
    let representation = memory.u64(place).ok()? & !3;
    if representation < 0x1_0000 {
        return None;
    }
    // Behind a count of references and the code.
    string(memory, representation.checked_add(8)?)
}

/// A `std::string`: pointer, length, and either the text itself or the room there is.
fn string(memory: &dyn ReadMemory, place: u64) -> Option<String> {
    const IN_PLACE: u64 = 15;
    let inside = place.checked_add(16)?;
    let (start, length) = (
        memory.u64(place).ok()?,
        memory.u64(place.checked_add(8)?).ok()?,
    );
    let room = if start == inside {
        IN_PLACE
    } else {
        memory.u64(inside).ok()?
    };
    (length <= room && room < LONGEST_STRING)
        .then(|| text::counted(memory, start, length))
        .flatten()
}

/// A string that is one pointer to text with its length before it: what standard exceptions keep, and the
/// `std::string` of the old ABI.
fn counted_string(memory: &dyn ReadMemory, place: u64) -> Option<String> {
    let start = memory.u64(place).ok()?;
    let length = memory.u64(start.checked_sub(24)?).ok()?;
    let room = memory.u64(start.checked_sub(16)?).ok()?;
    (length <= room && room < LONGEST_STRING)
        .then(|| text::counted(memory, start, length))
        .flatten()
}

/// A number or a truth value, as C++ writes it.
fn number(memory: &dyn ReadMemory, name: &str, object: u64) -> Option<String> {
    Some(match name {
        "b" => (memory.u8(object).ok()? != 0).to_string(),
        "c" => {
            let letter = char::from(memory.u8(object).ok()?);
            letter.is_ascii_graphic().then(|| letter.to_string())?
        }
        "s" => (memory.u16(object).ok()? as i16).to_string(),
        "t" => memory.u16(object).ok()?.to_string(),
        "i" => memory.i32(object).ok()?.to_string(),
        "j" => memory.u32(object).ok()?.to_string(),
        "l" | "x" => (memory.u64(object).ok()? as i64).to_string(),
        "m" | "y" => memory.u64(object).ok()?.to_string(),
        "f" => f32::from_bits(memory.u32(object).ok()?).to_string(),
        "d" => f64::from_bits(memory.u64(object).ok()?).to_string(),
        _ => return None,
    })
}
