//! Values of Python objects, read without running any of their code.
//!
//! Responsible for telling what an object is and for reading the built-in kinds of values and the attributes of
//! instances. How values are written is in [`shown`], arrays and tensors are in [`super::arrays`]. All memory is
//! confidential and under a budget of its own; whatever is shown is masked first.

mod attributes;
mod containers;
mod dictionary;
mod format;
mod number;
mod quoted;
mod shown;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crashlens_core::Value;

pub(crate) use format::ValueFormat;

use crate::{ProcessSnapshot, ReadMemory, Unreadable};

use super::budget::BudgetedMemory;
use super::objects::at;
use super::offsets::{self, ObjectLayout, TextOffsets};
use super::texts::{LONGEST_TEXT, Python2Unicode, TextReader};

pub(crate) use self::shown::small_integer;

/// Reads and bytes for all values of a process: some thousand variables of ordinary size.
const MOST_READS: u32 = 60_000;
const MOST_BYTES: usize = 8 << 20;

/// A type with a longer name is none.
const LONGEST_NAME: usize = 256;
/// How far a type's ancestors are followed.
const MOST_BASES: usize = 64;
/// Objects that are larger by themselves are none.
const LARGEST_OBJECT: u64 = 1 << 24;

const TYPE_OF_OBJECT: u64 = 8;
/// Number of elements of a sized object, and the first thing in others.
const SIZE: u64 = 16;

const TYPE_NAME: u64 = 24;
const TYPE_BASIC_SIZE: u64 = 32;
const TYPE_ITEM_SIZE: u64 = 40;
const TYPE_FLAGS: u64 = 168;
const TYPE_BASE: u64 = 256;
const TYPE_DICTIONARY: u64 = 264;
const TYPE_DICTIONARY_OFFSET: u64 = 288;

/// Bits of a type's flags that tell what its instances are.
pub(crate) mod flags {
    pub(crate) const INLINE_VALUES: u64 = 1 << 2;
    pub(crate) const MANAGED_DICT: u64 = 1 << 4;
    pub(crate) const HEAP_TYPE: u64 = 1 << 9;
    pub(crate) const READY: u64 = 1 << 12;
    /// Python 2 only.
    pub(crate) const SMALL_INT: u64 = 1 << 23;
    pub(crate) const INT: u64 = 1 << 24;
    pub(crate) const LIST: u64 = 1 << 25;
    pub(crate) const TUPLE: u64 = 1 << 26;
    pub(crate) const BYTES: u64 = 1 << 27;
    pub(crate) const TEXT: u64 = 1 << 28;
    pub(crate) const DICT: u64 = 1 << 29;
    pub(crate) const EXCEPTION: u64 = 1 << 30;
    pub(crate) const TYPE: u64 = 1 << 31;
}

/// Reads values from the memory of a process.
pub(crate) struct ValueReader<'a> {
    memory: &'a BudgetedMemory<'a>,
    snapshot: &'a ProcessSnapshot,
    layout: ObjectLayout,
    texts: TextReader<'a>,
    types: RefCell<HashMap<u64, Result<Rc<Type>, Unreadable>>>,
    qualified: RefCell<HashMap<u64, Rc<str>>>,
}

/// The head of an object, and of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) address: u64,
    pub(crate) type_address: u64,
    /// `tp_name`: with the module for types of extensions, without it for those of Python code.
    pub(crate) type_name: Rc<str>,
    pub(crate) basic_size: u64,
    pub(crate) flags: u64,
}

impl Object {
    pub(crate) fn is(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }
}

#[derive(Debug)]
struct Type {
    name: Rc<str>,
    basic_size: u64,
    flags: u64,
    base: u64,
}

/// The budget of a reader: [`ValueReader`] borrows it.
pub(crate) fn budget(confidential: &dyn ReadMemory) -> BudgetedMemory<'_> {
    BudgetedMemory::new(confidential, MOST_READS, MOST_BYTES)
}

impl<'a> ValueReader<'a> {
    pub(crate) fn new(
        memory: &'a BudgetedMemory<'a>,
        snapshot: &'a ProcessSnapshot,
        layout: ObjectLayout,
        text: TextOffsets,
        python2: Option<Python2Unicode>,
    ) -> Self {
        let texts = TextReader {
            memory,
            offsets: text,
            python2,
        };
        Self {
            memory,
            snapshot,
            layout,
            texts,
            types: RefCell::default(),
            qualified: RefCell::default(),
        }
    }

    /// Confidential memory: what is read here may be shown only masked.
    pub(crate) fn memory(&self) -> &dyn ReadMemory {
        self.memory
    }

    pub(crate) fn snapshot(&self) -> &ProcessSnapshot {
        self.snapshot
    }

    pub(crate) fn layout(&self) -> &ObjectLayout {
        &self.layout
    }

    /// Whether there is memory at all of `length` bytes from `start`, by the process's mappings.
    pub(crate) fn is_mapped(&self, start: u64, length: u64) -> bool {
        let Some(end) = start.checked_add(length) else {
            return false;
        };
        let mut position = start;
        while let Some(mapping) = self.snapshot.mapping_at(position) {
            if mapping.end.0 >= end {
                return true;
            }
            position = mapping.end.0;
        }
        false
    }

    /// The object at `address`, if there is one.
    pub(crate) fn object(&self, address: u64) -> Result<Object, Unreadable> {
        if !address.is_multiple_of(8) {
            return Err(Unreadable { address });
        }
        let type_address = self.pointer(address, TYPE_OF_OBJECT)?;
        let kind = self.type_at(type_address)?;
        Ok(Object {
            address,
            type_address,
            type_name: Rc::clone(&kind.name),
            basic_size: kind.basic_size,
            flags: kind.flags,
        })
    }

    fn type_at(&self, address: u64) -> Result<Rc<Type>, Unreadable> {
        if let Some(known) = self.types.borrow().get(&address) {
            return known.clone();
        }
        let kind = self.read_type(address).map(Rc::new);
        self.types.borrow_mut().insert(address, kind.clone());
        kind
    }

    /// A type is known by its own type, whose instances are types, and by what any type has.
    fn read_type(&self, address: u64) -> Result<Type, Unreadable> {
        let not_a_type = Unreadable { address };
        if !address.is_multiple_of(8) {
            return Err(not_a_type);
        }
        let metatype = self.pointer(address, TYPE_OF_OBJECT)?;
        let makes_types = self.pointer(metatype, TYPE_FLAGS)? & flags::TYPE != 0;
        let flags = self.pointer(address, TYPE_FLAGS)?;
        let basic_size = self.pointer(address, TYPE_BASIC_SIZE)?;
        if !makes_types || flags & flags::READY == 0 || !(16..LARGEST_OBJECT).contains(&basic_size)
        {
            return Err(not_a_type);
        }
        let name = self
            .c_string(self.pointer(address, TYPE_NAME)?, LONGEST_NAME)
            .filter(|name| is_type_name(name))
            .ok_or(not_a_type)?;
        Ok(Type {
            name: name.into(),
            basic_size,
            flags,
            base: self.pointer(address, TYPE_BASE)?,
        })
    }

    /// Names of the type of `object` and of its ancestors along `tp_base`, as `tp_name` has them.
    pub(crate) fn bases(&self, object: &Object) -> Vec<Rc<str>> {
        let mut names = vec![Rc::clone(&object.type_name)];
        let mut address = object.type_address;
        while let Ok(kind) = self.type_at(address)
            && let Ok(base) = self.type_at(kind.base)
            && names.len() < MOST_BASES
        {
            names.push(Rc::clone(&base.name));
            address = kind.base;
        }
        names
    }

    /// The type's name with its module: `collections.OrderedDict`, but `int`.
    pub(crate) fn qualified_name(&self, object: &Object) -> Rc<str> {
        if let Some(known) = self.qualified.borrow().get(&object.type_address) {
            return Rc::clone(known);
        }
        let name = Rc::clone(&object.type_name);
        let module = (object.is(flags::HEAP_TYPE) && !name.contains('.'))
            .then(|| self.module_of(object.type_address))
            .flatten()
            .filter(|module| !matches!(module.as_str(), "builtins" | "__builtin__"));
        let name = module.map_or(name.clone(), |module| format!("{module}.{name}").into());
        let mut known = self.qualified.borrow_mut();
        known.insert(object.type_address, Rc::clone(&name));
        name
    }

    fn module_of(&self, type_address: u64) -> Option<String> {
        let dictionary = self.pointer(type_address, TYPE_DICTIONARY).ok()?;
        let module = self.text(self.lookup(dictionary, "__module__")?)?;
        is_type_name(&module).then_some(module)
    }

    /// What `address` holds, for people: cut short, and masked.
    pub(crate) fn value(&self, address: u64) -> Value {
        shown::value(self, address, None)
    }

    /// The same for what a variable, an attribute or a key called `name` holds.
    pub(crate) fn named_value(&self, name: &str, address: u64) -> Value {
        shown::value(self, address, Some(name))
    }

    /// The string at `address`, cut at some length; also a byte string in Python 2. Not masked.
    pub(crate) fn text(&self, address: u64) -> Option<String> {
        let object = self.object(address).ok()?;
        if object.is(flags::TEXT) {
            return match self.layout.version {
                (2, _) => self.texts.python2_unicode(address).ok(),
                _ => self.texts.text(address).ok(),
            };
        }
        if self.layout.version.0 == 2 && object.is(flags::BYTES) {
            let (bytes, _) = self.byte_string(&object).ok()?;
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        None
    }

    /// The first bytes of a byte string or byte array, and how many there are. Not masked.
    pub(crate) fn byte_string(&self, object: &Object) -> Result<(Vec<u8>, u64), Unreadable> {
        let length = self.pointer(object.address, SIZE)?;
        let kept = length.min(LONGEST_TEXT);
        if length == 0 {
            return Ok((Vec::new(), 0));
        }
        let start = if object.is(flags::BYTES) {
            at(object.address, self.texts.offsets.bytes_start)?
        } else {
            self.pointer(object.address, self.layout.bytearray_start)?
        };
        Ok((self.memory().bytes(start, kept as usize)?, length))
    }

    /// The addresses of the first elements of a list or tuple, and how many there are.
    pub(crate) fn elements(
        &self,
        object: &Object,
        most: usize,
    ) -> Result<(Vec<u64>, u64), Unreadable> {
        let length = self.pointer(object.address, SIZE)?;
        if length > i64::MAX as u64 {
            return Err(Unreadable {
                address: object.address,
            });
        }
        let kept = length.min(most as u64) as usize;
        let start = if object.is(flags::TUPLE) {
            at(object.address, self.layout.tuple_items)?
        } else if kept == 0 {
            return Ok((Vec::new(), length));
        } else {
            self.pointer(object.address, 24)?
        };
        Ok((self.words(start, kept)?, length))
    }

    /// `count` words from `start`; the caller has bounded `count`.
    pub(crate) fn words(&self, start: u64, count: usize) -> Result<Vec<u64>, Unreadable> {
        let bytes = self.memory().bytes(start, count.saturating_mul(8))?;
        let words = bytes.as_chunks().0.iter();
        Ok(words.map(|word| u64::from_le_bytes(*word)).collect())
    }

    pub(crate) fn pointer(&self, address: u64, offset: u64) -> Result<u64, Unreadable> {
        self.memory().u64(at(address, offset)?)
    }

    /// A C string that is UTF-8 and ends within `most` bytes. Not masked.
    pub(crate) fn c_string(&self, address: u64, most: usize) -> Option<String> {
        const PIECE: usize = 32;
        let mut text = Vec::new();
        while text.len() < most {
            let start = at(address, text.len() as u64).ok()?;
            // Up to the next multiple, so that no page is touched needlessly.
            let length = PIECE - (start as usize % PIECE);
            let piece = self.memory().bytes(start, length).ok()?;
            match piece.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(piece.get(..end)?);
                    return String::from_utf8(text).ok();
                }
                None => text.extend_from_slice(&piece),
            }
        }
        None
    }
}

/// Identifiers in any script, parted by dots; angle brackets as in `<locals>`.
fn is_type_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.<>[], -".contains(letter);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_part)
}

/// For the fuzzers: asks everything of objects at some addresses. Texts are read by the table of 3.12 where a
/// version publishes its own.
pub(super) fn read_everything(
    memory: &dyn ReadMemory,
    snapshot: &ProcessSnapshot,
    version: (u8, u8),
) {
    let texts = offsets::table(version).or_else(|| offsets::table((3, 12)));
    let (Some(layout), Some(offsets)) = (offsets::layout(version), texts) else {
        return;
    };
    let python2 = (version == (2, 7)).then_some(Python2Unicode {
        unicode_type: 0,
        character_size: 2,
    });
    let budget = budget(memory);
    let values = ValueReader::new(&budget, snapshot, layout, offsets.text, python2);
    for address in (0x1_0000..0x1_1000).step_by(64) {
        values.named_value("value", address);
        values.integer(address);
        if let Ok(object) = values.object(address) {
            values.bases(&object);
            values.attribute(&object, "shape");
        }
    }
}

#[cfg(test)]
mod tests;
