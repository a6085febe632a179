//! Values for people: as Python writes them, cut short, and with secrets masked.

use std::fmt::Write as _;

use crashlens_core::secrets::{self, HiddenBy, MASK};
use crashlens_core::{Array, Value};

use crate::Unreadable;

use super::super::arrays;
use super::number::{self, Integer};
use super::{Object, ValueReader, flags};

/// Characters of a string by itself, and of one in a container.
const LONGEST_ALONE: usize = 200;
const LONGEST_WITHIN: usize = 60;
/// Characters of one value in all.
const LONGEST: usize = 400;
/// Elements that are shown of a container by itself, and of one in another.
const MOST_ELEMENTS: usize = 8;
const MOST_ELEMENTS_WITHIN: usize = 4;
/// Containers in containers.
const DEEPEST: usize = 3;

/// What is not known of an object whose memory makes no sense.
const UNREADABLE: &str = "<unreadable>";

/// The value at `address`, held by something called `name`.
pub(super) fn value(values: &ValueReader<'_>, address: u64, name: Option<&str>) -> Value {
    let Ok(object) = values.object(address) else {
        return Value {
            type_name: UNREADABLE.to_owned(),
            text: None,
            array: None,
        };
    };
    let array = arrays::read(values, &object);
    let writer = Writer { values };
    let text = match array {
        Some(_) => None,
        None => writer.text(&object, 0, Concealment::by(name)),
    };
    Value {
        type_name: values.qualified_name(&object).to_string(),
        text: text.map(|text| cut(text, LONGEST)),
        array,
    }
}

/// The value of a small integer that is not kept as an object.
pub(crate) fn small_integer(number: i64, name: &str) -> Value {
    let text = match secrets::hidden_by_name(name) {
        HiddenBy::Everything => MASK.to_owned(),
        _ => Integer::small(number).decimal(),
    };
    Value {
        type_name: "int".to_owned(),
        text: Some(text),
        array: None,
    }
}

/// What must not be shown because of what it is called, whatever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Concealment(HiddenBy);

impl Concealment {
    fn by(name: Option<&str>) -> Self {
        Self(name.map_or(HiddenBy::Nothing, secrets::hidden_by_name))
    }

    /// What holds for something called `name` inside of something that is concealed.
    fn within(self, name: Option<&str>) -> Self {
        Self(self.0.max(Self::by(name).0))
    }

    fn masks(self, text: &str) -> String {
        if self.0 == HiddenBy::Nothing {
            secrets::mask_value(text).into_owned()
        } else {
            secrets::mask_hidden(text).into_owned()
        }
    }
}

struct Writer<'a> {
    values: &'a ValueReader<'a>,
}

impl Writer<'_> {
    /// `None` where only the type can be told.
    fn text(&self, object: &Object, depth: usize, concealed: Concealment) -> Option<String> {
        let text = self.plain(object, depth, concealed).ok().flatten()?;
        let is_harmless = matches!(&*object.type_name, "NoneType" | "bool" | "ellipsis");
        if concealed.0 == HiddenBy::Everything && !is_harmless && !text.is_empty() {
            return Some(MASK.to_owned());
        }
        Some(text)
    }

    fn plain(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<Option<String>, Unreadable> {
        let address = object.address;
        let text = match &*object.type_name {
            "NoneType" => "None".to_owned(),
            "ellipsis" => "Ellipsis".to_owned(),
            "bool" => self.boolean(object)?,
            "float" => number::float(self.values.float_at(address, 16)?),
            "complex" => number::complex(
                self.values.float_at(address, 16)?,
                self.values.float_at(address, 24)?,
            ),
            "bytearray" => format!("bytearray({})", self.bytes(object, depth, concealed)?),
            "range" | "xrange" => self.range(object)?,
            "slice" => self.slice(object, depth, concealed)?,
            "set" | "frozenset" => self.set(object, depth, concealed)?,
            _ => return self.by_flags(object, depth, concealed),
        };
        Ok(Some(text))
    }

    /// Built-in kinds of which there are subclasses.
    fn by_flags(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<Option<String>, Unreadable> {
        let is_python2 = self.values.layout().version.0 == 2;
        let text = if object.is(flags::INT) || (is_python2 && object.is(flags::SMALL_INT)) {
            self.values.integer_of(object)?.decimal()
        } else if object.is(flags::TEXT) {
            let prefix = if is_python2 { "u" } else { "" };
            let text = self.values.text(object.address).ok_or(Unreadable {
                address: object.address,
            })?;
            quoted(prefix, &concealed.masks(&text), longest(depth), is_python2)
        } else if object.is(flags::BYTES) {
            self.bytes(object, depth, concealed)?
        } else if object.is(flags::LIST) || object.is(flags::TUPLE) {
            self.sequence(object, depth, concealed)?
        } else if object.is(flags::DICT) {
            self.dictionary(object, depth, concealed)?
        } else if self
            .values
            .bases(object)
            .iter()
            .any(|base| &**base == "float")
        {
            number::float(self.values.float_at(object.address, 16)?)
        } else {
            return Ok(None);
        };
        Ok(Some(text))
    }

    fn boolean(&self, object: &Object) -> Result<String, Unreadable> {
        let number = self.values.integer_of(object)?.decimal();
        Ok(if number == "0" { "False" } else { "True" }.to_owned())
    }

    fn bytes(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let prefix = if self.values.layout().version.0 == 2 && object.is(flags::BYTES) {
            ""
        } else {
            "b"
        };
        let (bytes, length) = self.values.byte_string(object)?;
        let mut text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        if length > bytes.len() as u64 {
            text.push('…');
        }
        Ok(quoted(
            prefix,
            &concealed.masks(&text),
            longest(depth),
            true,
        ))
    }

    fn range(&self, object: &Object) -> Result<String, Unreadable> {
        let number = |offset| self.values.pointer(object.address, offset);
        if &*object.type_name == "xrange" {
            let [start, step, length] = [number(16)?, number(24)?, number(32)?];
            let stop = length.wrapping_mul(step).wrapping_add(start).cast_signed();
            return Ok(format!(
                "xrange({}, {stop}, {})",
                start.cast_signed(),
                step.cast_signed()
            ));
        }
        let part = |offset| {
            let part = self.values.object(number(offset)?)?;
            Ok::<_, Unreadable>(self.values.integer_of(&part)?.decimal())
        };
        let (start, stop, step) = (part(16)?, part(24)?, part(32)?);
        Ok(match step.as_str() {
            "1" => format!("range({start}, {stop})"),
            _ => format!("range({start}, {stop}, {step})"),
        })
    }

    fn slice(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let part = |offset| {
            let part = self.values.pointer(object.address, offset)?;
            Ok::<_, Unreadable>(self.element(part, depth, concealed))
        };
        Ok(format!(
            "slice({}, {}, {})",
            part(16)?,
            part(24)?,
            part(32)?
        ))
    }

    fn sequence(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let most = if depth < DEEPEST {
            most_elements(depth)
        } else {
            0
        };
        let (elements, length) = self.values.elements(object, most)?;
        let mut announced = Announced::default();
        let shown: Vec<String> = elements
            .iter()
            .map(|element| {
                let text = self.values.text(*element);
                let concealed = announced.conceals(concealed, text.as_deref());
                self.element(*element, depth, concealed)
            })
            .collect();
        let is_tuple = object.is(flags::TUPLE);
        let mut inner = joined(&shown, length);
        if is_tuple && length == 1 && !shown.is_empty() {
            inner.push(',');
        }
        Ok(if is_tuple {
            format!("({inner})")
        } else {
            format!("[{inner}]")
        })
    }

    fn set(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let most = if depth < DEEPEST {
            most_elements(depth)
        } else {
            0
        };
        let (elements, length) = self.values.set_elements(object.address, most)?;
        let shown: Vec<String> = elements
            .iter()
            .map(|element| self.element(*element, depth, concealed))
            .collect();
        let inner = joined(&shown, length);
        Ok(match (&*object.type_name, length) {
            (name, 0) => format!("{name}()"),
            ("set", _) => format!("{{{inner}}}"),
            (name, _) => format!("{name}({{{inner}}})"),
        })
    }

    fn dictionary(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Result<String, Unreadable> {
        let most = if depth < DEEPEST {
            most_elements(depth)
        } else {
            0
        };
        let (entries, length) = self.values.entries(object.address, most)?;
        let shown: Vec<String> = entries
            .iter()
            .map(|(key, value)| {
                let name = self.name_of(*key);
                let key = self.element(*key, depth, concealed);
                let concealed = concealed.within(name.as_deref());
                format!("{key}: {}", self.element(*value, depth, concealed))
            })
            .collect();
        Ok(format!("{{{}}}", joined(&shown, length)))
    }

    /// The text of a key that may announce a secret.
    fn name_of(&self, key: u64) -> Option<String> {
        self.values.text(key).or_else(|| {
            let key = self.values.object(key).ok()?;
            let (bytes, _) = key
                .is(flags::BYTES)
                .then(|| self.values.byte_string(&key).ok())??;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        })
    }

    /// An element of a container.
    fn element(&self, address: u64, depth: usize, concealed: Concealment) -> String {
        let Ok(object) = self.values.object(address) else {
            return UNREADABLE.to_owned();
        };
        if let Some(array) = arrays::read(self.values, &object) {
            return array_text(&self.values.qualified_name(&object), &array);
        }
        self.text(&object, depth + 1, concealed)
            .unwrap_or_else(|| format!("<{}>", self.values.qualified_name(&object)))
    }
}

/// What the elements before announce of the next one: `["--password", "…"]`, the lines of a private key.
#[derive(Default)]
struct Announced {
    secret: bool,
    private_key: bool,
}

impl Announced {
    fn conceals(&mut self, concealed: Concealment, text: Option<&str>) -> Concealment {
        let follows = self.secret || self.private_key;
        if let Some(text) = text {
            let begins = secrets::begins_private_key(text);
            self.private_key = (self.private_key || begins) && !text.contains("-----END ");
            self.secret = secrets::announces_secret(text);
        } else {
            self.secret = false;
        }
        if follows {
            Concealment(concealed.0.max(HiddenBy::Texts))
        } else {
            concealed
        }
    }
}

fn longest(depth: usize) -> usize {
    if depth == 0 {
        LONGEST_ALONE
    } else {
        LONGEST_WITHIN
    }
}

fn most_elements(depth: usize) -> usize {
    if depth == 0 {
        MOST_ELEMENTS
    } else {
        MOST_ELEMENTS_WITHIN
    }
}

/// Elements and how many more there are.
fn joined(shown: &[String], length: u64) -> String {
    let mut text = shown.join(", ");
    let more = length.saturating_sub(shown.len() as u64);
    if more > 0 {
        let comma = if shown.is_empty() { "" } else { ", " };
        let _ = write!(text, "{comma}… {more} more");
    }
    text
}

fn array_text(type_name: &str, array: &Array) -> String {
    let dtype = array.dtype.as_deref().unwrap_or("?");
    let shape = array.shape.as_ref().map(|shape| {
        let extents: Vec<String> = shape
            .iter()
            .map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string()))
            .collect();
        format!("[{}]", extents.join(", "))
    });
    format!("<{type_name} {dtype}{}>", shape.unwrap_or_default())
}

/// A string as Python writes it: quoted, with what cannot be seen escaped, at most `longest` characters of it.
fn quoted(prefix: &str, text: &str, longest: usize, ascii: bool) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut written = format!("{prefix}{quote}");
    let mut letters = text.chars();
    for letter in letters.by_ref().take(longest) {
        let code = u32::from(letter);
        let _ = match letter {
            '\\' => write!(written, "\\\\"),
            '\n' => write!(written, "\\n"),
            '\r' => write!(written, "\\r"),
            '\t' => write!(written, "\\t"),
            _ if letter == quote => write!(written, "\\{quote}"),
            ' '..='~' => write!(written, "{letter}"),
            _ if code < 0x100 && (ascii || letter.is_control() || code == 0xa0 || code == 0xad) => {
                write!(written, "\\x{code:02x}")
            }
            _ if ascii && letter != '…' && code < 0x1_0000 => write!(written, "\\u{code:04x}"),
            _ if ascii && letter != '…' => write!(written, "\\U{code:08x}"),
            _ if letter.is_whitespace() => write!(written, "\\u{code:04x}"),
            _ => write!(written, "{letter}"),
        };
    }
    written.push(quote);
    if letters.next().is_some() {
        written.push('…');
    }
    written
}

fn cut(mut text: String, longest: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(longest) {
        text.truncate(end);
        text.push('…');
    }
    text
}
