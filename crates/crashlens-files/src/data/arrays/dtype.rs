//! Types of NumPy arrays, by the words that their files have for them.

use super::literal::Literal;

/// Fields of a structured type, those of its fields included.
const MOST_FIELDS: usize = 10_000;
/// Bytes of one element; NumPy counts them in 32 bits.
const LARGEST: u64 = i32::MAX as u64;

/// The type of an array's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dtype {
    /// `float32`, `<U5`, `structured`.
    pub(super) name: String,
    /// Bytes of an element; `None` where the words are right and too seldom used to be understood here.
    pub(super) size: Option<u64>,
    /// Whether elements are Python objects, which are pickled.
    pub(super) has_objects: bool,
    /// What the values are, where they can be looked at.
    pub(super) number: Option<Number>,
}

/// Numbers in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) kind: NumberKind,
    pub(super) bytes: u8,
    pub(super) big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Float,
    /// Two floats a value.
    Complex,
    Signed,
    Unsigned,
}

impl Dtype {
    fn opaque(name: impl Into<String>, size: Option<u64>) -> Self {
        Self {
            name: name.into(),
            size,
            has_objects: false,
            number: None,
        }
    }
}

/// The type that a header names; `None` where NumPy knows none of that name.
pub(super) fn parse(descr: &Literal) -> Option<Dtype> {
    parse_within(descr, &mut 0)
}

fn parse_within(descr: &Literal, fields: &mut usize) -> Option<Dtype> {
    match descr {
        Literal::Text(text) => of_text(text),
        Literal::List(list) => structured(list, fields),
        // A type and the shape of one element of it.
        Literal::Tuple(pair) => match pair.as_slice() {
            [of, shape] => repeated(&parse_within(of, fields)?, shape),
            _ => None,
        },
        _ => None,
    }
}

fn structured(list: &[Literal], fields: &mut usize) -> Option<Dtype> {
    let mut names: Vec<&str> = Vec::new();
    let (mut size, mut has_objects) = (Some(0_u64), false);
    for field in list {
        *fields += 1;
        let Literal::Tuple(parts) = field else {
            return None;
        };
        let (name, of, shape) = match parts.as_slice() {
            [name, of] => (name, of, None),
            [name, of, shape] => (name, of, Some(shape)),
            _ => return None,
        };
        let name = match name {
            Literal::Text(name) => name.as_str(),
            // A title and a name.
            Literal::Tuple(pair) => match pair.as_slice() {
                [Literal::Text(_), Literal::Text(name)] => name.as_str(),
                _ => return None,
            },
            _ => return None,
        };
        if *fields > MOST_FIELDS || (!name.is_empty() && names.contains(&name)) {
            return None;
        }
        names.push(name);
        let mut dtype = parse_within(of, fields)?;
        if let Some(shape) = shape {
            dtype = repeated(&dtype, shape)?;
        }
        has_objects |= dtype.has_objects;
        size = size.and_then(|size| size.checked_add(dtype.size?));
    }
    Some(Dtype {
        has_objects,
        ..Dtype::opaque("structured", size.filter(|size| *size <= LARGEST))
    })
}

fn repeated(of: &Dtype, shape: &Literal) -> Option<Dtype> {
    let dimensions = match shape {
        Literal::Integer(_) => std::slice::from_ref(shape),
        Literal::Tuple(dimensions) => dimensions.as_slice(),
        _ => return None,
    };
    let mut size = of.size;
    for dimension in dimensions {
        let Literal::Integer(dimension) = dimension else {
            return None;
        };
        let dimension = u64::try_from(*dimension).ok()?;
        size = size.and_then(|size| size.checked_mul(dimension));
    }
    Some(Dtype {
        has_objects: of.has_objects,
        ..Dtype::opaque(format!("{}[]", of.name), size)
    })
}

fn of_text(text: &str) -> Option<Dtype> {
    if let Some(dtype) = of_name(text) {
        return Some(dtype);
    }
    // `f4,i2` and `(2,)f4` are types too; nothing writes them into files.
    if text.contains(',') || text.starts_with('(') {
        return Some(Dtype::opaque("structured", None));
    }
    // So is `2f4`.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if let (count @ 1.., Some(of)) = (digits, text.get(digits..)) {
        let count = text.get(..count)?.parse().ok()?;
        return repeated(&of_text(of)?, &Literal::Integer(count));
    }
    let (big_endian, code) = match text.split_at_checked(1)? {
        (">", code) => (true, code),
        ("<" | "=" | "|", code) => (false, code),
        _ => (false, text),
    };
    let letter = code.chars().next()?;
    let size = code.get(letter.len_utf8()..)?;
    if matches!(letter, 'M' | 'm') {
        return time(code);
    }
    if size.is_empty() {
        return of_letter(letter, big_endian);
    }
    let size: u64 = match size.trim_start_matches(['+', ' ', '0']) {
        "" => 0,
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    let text_size = size.checked_mul(if letter == 'U' { 4 } else { 1 })?;
    match (letter, size) {
        ('b', 1) => Some(Dtype::opaque("bool", Some(1))),
        ('i', 1 | 2 | 4 | 8) => Some(number(NumberKind::Signed, size, big_endian)),
        ('u', 1 | 2 | 4 | 8) => Some(number(NumberKind::Unsigned, size, big_endian)),
        ('f', 2 | 4 | 8 | 16) => Some(number(NumberKind::Float, size, big_endian)),
        ('c', 8 | 16 | 32) => Some(number(NumberKind::Complex, size, big_endian)),
        ('O', 4 | 8) => of_letter('O', false),
        ('S' | 'a' | 'U' | 'V', _) if text_size <= LARGEST => {
            Some(Dtype::opaque(text, Some(text_size)))
        }
        _ => None,
    }
}

/// `M8[ns]`: a date or a span of time.
fn time(code: &str) -> Option<Dtype> {
    const UNITS: [&str; 14] = [
        "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic",
    ];
    let unit = code.get(1..)?;
    let unit = unit.strip_prefix('8').unwrap_or(unit);
    let is_right = unit.is_empty()
        || unit
            .strip_prefix('[')
            .and_then(|unit| unit.strip_suffix(']'))
            .is_some_and(|unit| {
                let unit = unit.trim_start_matches(|c: char| c.is_ascii_digit());
                let (unit, divisor) = unit.split_once('/').unwrap_or((unit, ""));
                UNITS.contains(&unit) && divisor.bytes().all(|b| b.is_ascii_digit())
            });
    let name = if code.starts_with('M') {
        "datetime64"
    } else {
        "timedelta64"
    };
    is_right.then(|| Dtype::opaque(name, Some(8)))
}

fn of_letter(letter: char, big_endian: bool) -> Option<Dtype> {
    use NumberKind::{Complex, Float, Signed, Unsigned};
    let (kind, size) = match letter {
        'b' => (Signed, 1),
        'h' => (Signed, 2),
        'i' => (Signed, 4),
        'l' | 'q' | 'p' | 'n' => (Signed, 8),
        'B' => (Unsigned, 1),
        'H' => (Unsigned, 2),
        'I' => (Unsigned, 4),
        'L' | 'Q' | 'P' | 'N' => (Unsigned, 8),
        'e' => (Float, 2),
        'f' => (Float, 4),
        'd' => (Float, 8),
        'g' => (Float, 16),
        'F' => (Complex, 8),
        'D' => (Complex, 16),
        'G' => (Complex, 32),
        '?' => return Some(Dtype::opaque("bool", Some(1))),
        'c' => return Some(Dtype::opaque("|S1", Some(1))),
        'S' | 'U' | 'V' => return Some(Dtype::opaque(letter, Some(0))),
        'O' => {
            return Some(Dtype {
                has_objects: true,
                ..Dtype::opaque("object", None)
            });
        }
        _ => return None,
    };
    Some(number(kind, size, big_endian))
}

/// Words that NumPy takes for types, in the spelling that has a size of its own.
fn of_name(name: &str) -> Option<Dtype> {
    let code = match name {
        "bool" | "bool_" => "?",
        "int8" | "byte" => "b",
        "uint8" | "ubyte" => "B",
        "int16" | "short" => "h",
        "uint16" | "ushort" => "H",
        "int32" | "intc" => "i",
        "uint32" | "uintc" => "I",
        "int64" | "int" | "int_" | "intp" | "longlong" => "q",
        "uint64" | "uint" | "uintp" | "ulonglong" => "Q",
        "float16" | "half" => "e",
        "float32" | "single" => "f",
        "float64" | "float" | "double" => "d",
        "complex64" | "csingle" => "F",
        "complex128" | "complex" | "cdouble" => "D",
        "object" | "object_" => "O",
        "longdouble" | "float128" => "g",
        "str" | "str_" | "bytes" | "bytes_" | "void" => return Some(Dtype::opaque(name, Some(0))),
        // Known where TensorFlow has registered it.
        "bfloat16" => return Some(Dtype::opaque(name, Some(2))),
        _ => return None,
    };
    of_letter(code.chars().next()?, false)
}

fn number(kind: NumberKind, size: u64, big_endian: bool) -> Dtype {
    let word = match kind {
        NumberKind::Float => "float",
        NumberKind::Complex => "complex",
        NumberKind::Signed => "int",
        NumberKind::Unsigned => "uint",
    };
    let number = Number {
        kind,
        bytes: size as u8,
        big_endian,
    };
    Dtype {
        // The long double of C has 80 bits, which nothing here computes with.
        number: (size <= 8 || (kind == NumberKind::Complex && size == 16)).then_some(number),
        ..Dtype::opaque(format!("{word}{}", size * 8), Some(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(text: &str) -> Option<u64> {
        parse(&Literal::Text(text.to_owned())).and_then(|dtype| dtype.size)
    }

    #[test]
    fn words_of_numpy_have_the_sizes_that_numpy_says() {
        for (text, bytes) in [
            ("<f4", 4),
            (">f8", 8),
            ("|u1", 1),
            ("<U5", 20),
            ("|S3", 3),
            ("<c16", 16),
            ("|b1", 1),
            ("<M8[ns]", 8),
            ("<M8[25s]", 8),
            ("<e", 2),
            ("<f16", 16),
            ("float32", 4),
            ("|V7", 7),
            ("=i2", 2),
            ("q", 8),
            ("<f04", 4),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn words_that_numpy_does_not_know_are_no_types() {
        for text in [
            "", "<f4 ", "<f3", "<i16", "<d4", "!f4", "<M8[x]", "<M4", "u", "f4\n", "<b2", "B1",
            "<U-1", "Float64",
        ] {
            assert_eq!(parse(&Literal::Text(text.to_owned())), None, "{text}");
        }
    }

    #[test]
    fn structured_types_are_the_sum_of_their_fields() {
        let descr = "[('a', '<i4'), ('b', '<f8', (2, 3)), ('c', [('d', '|u1')])]";
        let descr = super::super::literal::parse(descr, true).expect("a literal");
        assert_eq!(parse(&descr).and_then(|dtype| dtype.size), Some(4 + 48 + 1));
        let twice = super::super::literal::parse("[('a', '<i4'), ('a', '<i4')]", true);
        assert_eq!(parse(&twice.expect("a literal")), None);
    }
}
