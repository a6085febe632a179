//! `numpy.dtype`: what the elements are, as `str(dtype)` says it.

use crashlens_core::secrets;

use super::super::super::objects::at;
use super::super::super::values::{Object, ValueReader, flags};

const SCALAR_TYPE: u64 = 16;
const KIND: u64 = 24;
const BYTE_ORDER: u64 = 26;
const NUMBER: u64 = 28;

/// `tp_name` of a type.
const TYPE_NAME: u64 = 24;
const LONGEST_NAME: usize = 64;

/// Where the versions differ.
struct Layout {
    size: u64,
    subarray: u64,
    fields: u64,
    names: u64,
    time_unit: u64,
}

const NUMPY_1: Layout = Layout {
    size: 32,
    subarray: 40,
    fields: 48,
    names: 56,
    time_unit: 80,
};

const NUMPY_2: Layout = Layout {
    size: 40,
    subarray: 88,
    fields: 96,
    names: 104,
    time_unit: 112,
};

/// Names and sizes of the elementary types, by their numbers.
const ELEMENTARY: [(&str, u64); 18] = [
    ("bool", 1),
    ("int8", 1),
    ("uint8", 1),
    ("int16", 2),
    ("uint16", 2),
    ("int32", 4),
    ("uint32", 4),
    ("int64", 8),
    ("uint64", 8),
    ("int64", 8),
    ("uint64", 8),
    ("float32", 4),
    ("float64", 8),
    ("float128", 16),
    ("complex64", 8),
    ("complex128", 16),
    ("complex256", 32),
    ("object", 8),
];
const BYTES: i32 = 18;
const TEXT: i32 = 19;
const VOID: i32 = 20;
const DATETIME: i32 = 21;
const TIMEDELTA: i32 = 22;
const HALF: i32 = 23;
/// Types that a library registered, such as `bfloat16`.
const FIRST_USER_TYPE: i32 = 256;

const TIME_UNITS: [&str; 15] = [
    "Y", "M", "W", "B", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic",
];

/// Fields of a record that are named, and how deep records in records are.
const MOST_FIELDS: usize = 8;
const DEEPEST: u32 = 3;
/// Elements of more bytes are not believed.
const LARGEST_ELEMENT: u64 = 1 << 40;

/// An element type.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dtype {
    pub(super) name: String,
    /// Bytes of an element.
    pub(super) size: u64,
}

/// The type at `address`; `None` if there is none, or not a sound one.
pub(super) fn read(values: &ValueReader<'_>, address: u64) -> Option<Dtype> {
    let head = Head::read(values, address)?;
    let name = head.name(values, DEEPEST)?;
    Some(Dtype {
        // Fields have names that the program gave.
        name: secrets::mask_line(&name).into_owned(),
        size: head.size,
    })
}

/// What every `numpy.dtype` has.
struct Head {
    object: Object,
    layout: &'static Layout,
    kind: u8,
    byte_order: u8,
    number: i32,
    size: u64,
}

impl Head {
    fn read(values: &ValueReader<'_>, address: u64) -> Option<Self> {
        let object = values.object(address).ok()?;
        let bases = values.bases(&object);
        if !bases.iter().any(|base| base.as_ref() == "numpy.dtype") {
            return None;
        }
        let memory = values.memory();
        let place = |offset| at(address, offset).ok();
        // NumPy 1 has the alignment here, which is never 0; NumPy 2 the upper half of its flags.
        let is_first = memory.u32(place(36)?).ok()? != 0;
        let (layout, size) = if is_first {
            (&NUMPY_1, u64::from(memory.u32(place(NUMPY_1.size)?).ok()?))
        } else {
            (&NUMPY_2, memory.u64(place(NUMPY_2.size)?).ok()?)
        };
        let head = Self {
            object,
            layout,
            kind: memory.u8(place(KIND)?).ok()?,
            byte_order: memory.u8(place(BYTE_ORDER)?).ok()?,
            number: memory.i32(place(NUMBER)?).ok()?,
            size,
        };
        head.is_sound().then_some(head)
    }

    fn is_sound(&self) -> bool {
        let of_its_size = self.fixed_size().is_none_or(|size| size == self.size);
        of_its_size
            && self.size < LARGEST_ELEMENT
            && self.kind.is_ascii_alphabetic()
            && b"<>=|".contains(&self.byte_order)
    }

    fn elementary(&self) -> Option<(&'static str, u64)> {
        if self.number == HALF {
            return Some(("float16", 2));
        }
        let index = usize::try_from(self.number).ok()?;
        ELEMENTARY.get(index).copied()
    }

    fn fixed_size(&self) -> Option<u64> {
        match self.number {
            DATETIME | TIMEDELTA => Some(8),
            _ => self.elementary().map(|(_, size)| size),
        }
    }

    /// As `str(dtype)` has it.
    fn name(&self, values: &ValueReader<'_>, depth: u32) -> Option<String> {
        if self.number == VOID
            && let Some(composed) = self.composed(values, depth)
        {
            return Some(composed);
        }
        let unit = || self.time_unit(values);
        Some(match self.number {
            _ if self.byte_order == b'>' => self.code(values)?,
            BYTES | TEXT | VOID => self.code(values)?,
            DATETIME => format!("datetime64{}", unit()?),
            TIMEDELTA => format!("timedelta64{}", unit()?),
            number if number >= FIRST_USER_TYPE => self.registered_name(values)?,
            _ => match self.elementary() {
                Some((name, _)) => name.to_owned(),
                None => self.registered_name(values)?,
            },
        })
    }

    /// As `dtype.str` has it: byte order, kind and size.
    fn code(&self, values: &ValueReader<'_>) -> Option<String> {
        let order = match self.byte_order {
            b'=' => '<',
            order => char::from(order),
        };
        let kind = char::from(self.kind);
        Some(match self.number {
            TEXT => format!("{order}{kind}{}", self.size / 4),
            DATETIME | TIMEDELTA => format!("{order}{kind}8{}", self.time_unit(values)?),
            17 => format!("{order}{kind}"),
            number if number >= FIRST_USER_TYPE => self.registered_name(values)?,
            _ => format!("{order}{kind}{}", self.size),
        })
    }

    /// As it stands in a list of fields.
    fn field_code(&self, values: &ValueReader<'_>) -> Option<String> {
        match self.number {
            0 => Some("?".to_owned()),
            _ => self
                .code(values)
                .map(|code| code.trim_start_matches('|').to_owned()),
        }
    }

    /// The name of the scalar's type, or for types of the new kind their own; without the module.
    fn registered_name(&self, values: &ValueReader<'_>) -> Option<String> {
        let own = self.object.type_name.as_ref();
        let name = if own == "numpy.dtype" || own.starts_with("numpy.dtype[") {
            let scalar = values.pointer(self.object.address, SCALAR_TYPE).ok()?;
            values
                .object(scalar)
                .ok()
                .filter(|scalar| scalar.is(flags::TYPE))?;
            values.c_string(values.pointer(scalar, TYPE_NAME).ok()?, LONGEST_NAME)?
        } else {
            own.to_owned()
        };
        name.rsplit('.').next().map(str::to_owned)
    }

    /// `[ns]`, or nothing for a time without a unit.
    fn time_unit(&self, values: &ValueReader<'_>) -> Option<String> {
        let unit = values
            .pointer(self.object.address, self.layout.time_unit)
            .ok()?;
        let number = |offset| values.memory().i32(at(unit, offset).ok()?).ok();
        let (base, count) = (number(32)?, number(36)?);
        match *TIME_UNITS.get(usize::try_from(base).ok()?)? {
            "generic" => Some(String::new()),
            name if count == 1 => Some(format!("[{name}]")),
            name => Some(format!("[{count}{name}]")),
        }
    }

    /// A record, or an array as an element.
    fn composed(&self, values: &ValueReader<'_>, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let pointer = |offset| values.pointer(self.object.address, offset).ok();
        let subarray = pointer(self.layout.subarray)?;
        if subarray != 0 {
            let (element, shape) = Self::subarray(values, subarray, depth)?;
            return Some(format!("({element}, {shape})"));
        }
        let names = values.object(pointer(self.layout.names)?).ok()?;
        if !names.is(flags::TUPLE) {
            return None;
        }
        let fields = pointer(self.layout.fields)?;
        let (names, count) = values.elements(&names, MOST_FIELDS).ok()?;
        let mut listed = Vec::new();
        for name in &names {
            let name = values.text(*name)?;
            let field = values.object(values.lookup(fields, &name)?).ok()?;
            let dtype = *values.elements(&field, 1).ok()?.0.first()?;
            let field = Self::read(values, dtype)?;
            listed.push(format!("('{name}', {})", field.as_field(values, depth)?));
        }
        if count > names.len() as u64 {
            listed.push("…".to_owned());
        }
        Some(format!("[{}]", listed.join(", ")))
    }

    /// As it stands in a list of fields: quoted, and with its shape.
    fn as_field(&self, values: &ValueReader<'_>, depth: u32) -> Option<String> {
        let subarray = values
            .pointer(self.object.address, self.layout.subarray)
            .ok()?;
        if self.number == VOID && subarray != 0 {
            let (element, shape) = Self::subarray(values, subarray, depth)?;
            return Some(format!("{element}, {shape}"));
        }
        match (self.number == VOID).then(|| self.composed(values, depth)) {
            Some(Some(record)) => Some(record),
            _ => self.field_code(values).map(|code| format!("'{code}'")),
        }
    }

    /// The element and the shape of a type that is an array.
    fn subarray(values: &ValueReader<'_>, subarray: u64, depth: u32) -> Option<(String, String)> {
        let element = Self::read(values, values.pointer(subarray, 0).ok()?)?;
        let shape = values.object(values.pointer(subarray, 8).ok()?).ok()?;
        if !shape.is(flags::TUPLE) {
            return None;
        }
        let (dimensions, count) = values.elements(&shape, super::MOST_DIMENSIONS).ok()?;
        let dimensions: Option<Vec<_>> = dimensions
            .iter()
            .map(|dimension| Some(values.integer(*dimension)?.to_string()))
            .collect();
        let comma = if count == 1 { "," } else { "" };
        let shape = format!("({}{comma})", dimensions?.join(", "));
        Some((element.as_field(values, depth.checked_sub(1)?)?, shape))
    }
}
