//! Values for people: as Python writes them, cut short, and with secrets masked.

use crashlens_core::Value;
use crashlens_core::secrets::{self, HiddenBy, MASK};

use crate::Unreadable;

use super::super::arrays;
use super::number::{self, Integer};
use super::quoted::quoted;
use super::{Object, ValueReader, flags};

/// Characters of a string by itself, and of one in a container.
const LONGEST_ALONE: usize = 200;
const LONGEST_WITHIN: usize = 100;
/// Characters of one value in all.
const LONGEST: usize = 400;
/// What is not known of an object whose memory makes no sense.
pub(super) const UNREADABLE: &str = "<unreadable>";

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
pub(super) struct Concealment(pub(super) HiddenBy);

impl Concealment {
    fn by(name: Option<&str>) -> Self {
        Self(name.map_or(HiddenBy::Nothing, secrets::hidden_by_name))
    }

    /// What holds for something called `name` inside of something that is concealed.
    pub(super) fn within(self, name: Option<&str>) -> Self {
        Self(self.0.max(Self::by(name).0))
    }

    fn masks(self, text: &str) -> String {
        match self.0 {
            HiddenBy::Nothing => secrets::mask_value(text),
            HiddenBy::Codes => secrets::mask_code(text),
            HiddenBy::Texts | HiddenBy::Everything => secrets::mask_hidden(text),
        }
        .into_owned()
    }
}

pub(super) struct Writer<'a> {
    pub(super) values: &'a ValueReader<'a>,
}

impl Writer<'_> {
    /// `None` where only the type can be told.
    pub(super) fn text(
        &self,
        object: &Object,
        depth: usize,
        concealed: Concealment,
    ) -> Option<String> {
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
            let number = self.values.integer_of(object)?.decimal();
            let suffix = if is_python2 && object.is(flags::INT) {
                "L"
            } else {
                ""
            };
            format!("{number}{suffix}")
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
        } else if object.is(flags::EXCEPTION) {
            self.exception(object, depth, concealed)?
        } else if self
            .values
            .bases(object)
            .iter()
            .any(|base| &**base == "float")
        {
            number::float(self.values.float_at(object.address, 16)?)
        } else {
            return self.by_attributes(object, depth, concealed);
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
            let [start, stride, length] = [number(16)?, number(24)?, number(32)?];
            let end = length
                .wrapping_mul(stride)
                .wrapping_add(start)
                .cast_signed();
            return Ok(format!(
                "xrange({}, {end}, {})",
                start.cast_signed(),
                stride.cast_signed()
            ));
        }
        let part = |offset| {
            let part = self.values.object(number(offset)?)?;
            Ok::<_, Unreadable>(self.values.integer_of(&part)?.decimal())
        };
        let (start, end, stride) = (part(16)?, part(24)?, part(32)?);
        Ok(match stride.as_str() {
            "1" => format!("range({start}, {end})"),
            _ => format!("range({start}, {end}, {stride})"),
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
}

fn longest(depth: usize) -> usize {
    if depth == 0 {
        LONGEST_ALONE
    } else {
        LONGEST_WITHIN
    }
}

fn cut(mut text: String, longest: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(longest) {
        text.truncate(end);
        text.push('…');
    }
    text
}
