//! Numbers in the text of Python values, and which of them stand out under which name.

use super::Oddity;

/// Text beyond this is not looked at.
const LONGEST: usize = 4096;
/// From here on a number does not fit, or just fits, into 32 bits: sizes made of it overflow.
const HUGE: i128 = i32::MAX as i128;

/// Parts of names whose values may be anything: random seeds, bounds, masks, names.
const ANY_VALUE: [&str; 16] = [
    "seed",
    "minval",
    "maxval",
    "mask",
    "timeout",
    "fingerprint",
    "default",
    "dtype",
    "name",
    "parallel",
    "container",
    "buffer",
    "ctx",
    "device",
    "attrs",
    "config",
];
/// Parts of names for which small negative numbers count from the end, or mean "to be found out".
const FROM_THE_END: [&str; 10] = [
    "axis", "axes", "dim", "shape", "perm", "start", "begin", "end", "offset", "delta",
];
/// Parts of names for which zero is no sensible size or step.
const NEVER_ZERO: [&str; 15] = [
    "ksize", "stride", "rate", "dilation", "block", "num_", "size", "depth", "group", "width",
    "height", "window", "divisor", "shards", "count",
];
/// Parts of names for which an empty list is a sensible value.
const OFTEN_EMPTY: [&str; 9] = [
    "shape", "padding", "dilation", "axis", "axes", "perm", "args", "tout", "names",
];

/// What stands out.
pub(super) enum Odd {
    /// The value, or an element of it.
    Value(Oddity),
    /// A tensor in a list.
    EmptyElement(String),
}

/// Whether the name says that any value is sensible.
pub(super) fn takes_any(name: &str) -> bool {
    holds(name, &ANY_VALUE)
}

/// What stands out in a value that Python writes as `text`.
pub(super) fn odd(name: &str, type_name: &str, text: &str) -> Option<Odd> {
    let text = text.get(..text.floor_char_boundary(LONGEST.min(text.len())))?;
    match type_name {
        "int" => whole(name, text.trim()).map(Odd::Value),
        "float" => {
            matches!(text.trim(), "nan" | "inf" | "-inf").then_some(Odd::Value(Oddity::NotFinite))
        }
        "list" | "tuple" => in_list(name, text),
        _ => None,
    }
}

fn in_list(name: &str, text: &str) -> Option<Odd> {
    if text.chars().all(|c| "[](), ".contains(c)) {
        return (!holds(name, &OFTEN_EMPTY)).then_some(Odd::Value(Oddity::Empty));
    }
    if let Some(element) = empty_tensor(text) {
        return Some(Odd::EmptyElement(element));
    }
    if text.contains(['<', '\'', '"']) {
        return None;
    }
    let numbers = text.split([',', '[', ']', '(', ')']).map(str::trim);
    numbers
        .filter(|it| !it.contains('…'))
        .filter_map(|number| whole(name, number))
        .min()
        .map(Odd::Value)
}

/// An element written `<EagerTensor float32[0, 3]>`, as `float32[0, 3]`.
fn empty_tensor(text: &str) -> Option<String> {
    text.split('<').skip(1).find_map(|element| {
        let inside = element.split('>').next()?;
        let kind = inside.split_once(' ')?.1;
        let extents = kind.split_once('[')?.1.strip_suffix(']')?;
        let is_empty = extents.split(',').any(|extent| extent.trim() == "0");
        is_empty.then(|| kind.to_owned())
    })
}

fn whole(name: &str, number: &str) -> Option<Oddity> {
    let is_number = number
        .strip_prefix('-')
        .unwrap_or(number)
        .starts_with(|c: char| c.is_ascii_digit());
    let is_whole = is_number && number.chars().skip(1).all(|c| c.is_ascii_digit());
    if !is_whole {
        return None;
    }
    // Longer than 128 bits is huge, too.
    let Ok(value) = number.parse::<i128>() else {
        return Some(Oddity::Huge);
    };
    // -1 says "as many as there are" under these names.
    let is_open = value == -1 && (name.starts_with("num_") || name.starts_with("max_"));
    let from_the_end = holds(name, &FROM_THE_END) || is_open;
    match value {
        value if value >= HUGE || value <= -HUGE => Some(Oddity::Huge),
        value if value < -16 || (value < 0 && !from_the_end) => Some(Oddity::Negative),
        0 if holds(name, &NEVER_ZERO) => Some(Oddity::Zero),
        _ => None,
    }
}

fn holds(name: &str, parts: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    parts.iter().any(|part| name.contains(part))
}
