//! Attributes of instances, wherever a version keeps them.

use crate::Unreadable;

use super::super::objects::at;
use super::super::offsets::{DictionaryFormat, InstanceFormat};
use super::{Object, SIZE, TYPE_DICTIONARY_OFFSET, TYPE_ITEM_SIZE, ValueReader, flags};

/// Attributes of one instance that are looked at.
const MOST_ATTRIBUTES: usize = 1024;

/// Where the attributes of an instance are.
enum Place {
    /// In a dictionary, at 0 for none.
    Dictionary(u64),
    /// In a block of values whose names the type has.
    Values(u64),
}

impl ValueReader<'_> {
    /// Address of what the instance has as its attribute `name`. Not what its class has.
    pub(crate) fn attribute(&self, object: &Object, name: &str) -> Option<u64> {
        let attributes = self.attributes(object).ok()?;
        self.find(&attributes, name)
    }

    /// Addresses of names and values of all attributes that the instance itself has.
    pub(crate) fn attributes(&self, object: &Object) -> Result<Vec<(u64, u64)>, Unreadable> {
        let is_managed =
            object.is(flags::MANAGED_DICT) && self.layout.instance != InstanceFormat::Offset;
        let place = if is_managed {
            self.managed(object)?
        } else {
            Place::Dictionary(self.dictionary_by_offset(object)?)
        };
        match place {
            Place::Dictionary(0) => Ok(Vec::new()),
            // Only what is one is read as one: with a wrong offset this would be anything.
            Place::Dictionary(address) if !self.object(address)?.is(flags::DICT) => {
                Err(Unreadable { address })
            }
            Place::Dictionary(address) => Ok(self.entries(address, MOST_ATTRIBUTES)?.0),
            Place::Values(block) => self.own_values(object, block),
        }
    }

    /// Where the interpreter itself manages the attributes of an instance, from 3.11 on.
    fn managed(&self, object: &Object) -> Result<Place, Unreadable> {
        let before = |words: u64| {
            let address = object.address.checked_sub(words * 8);
            let address = address.ok_or(Unreadable {
                address: object.address,
            })?;
            self.memory().u64(address)
        };
        let place = match (self.layout.instance, before(3)?) {
            (InstanceFormat::TwoPointers, 0) => match before(4)? {
                0 => Place::Dictionary(0),
                block => Place::Values(block),
            },
            (InstanceFormat::TaggedPointer, tagged) if tagged & 1 == 1 => {
                Place::Values(at(tagged, 1)?)
            }
            (InstanceFormat::Inline, 0) if object.is(flags::INLINE_VALUES) => {
                let block = at(object.address, object.basic_size)?;
                match self.memory().u8(at(block, 3)?)? {
                    1 => Place::Values(block),
                    _ => Place::Dictionary(0),
                }
            }
            (_, dictionary) => Place::Dictionary(dictionary),
        };
        Ok(place)
    }

    /// The values that an instance keeps without a dictionary; the type has their names.
    fn own_values(&self, object: &Object, block: u64) -> Result<Vec<(u64, u64)>, Unreadable> {
        let keys = self.pointer(object.type_address, self.layout.cached_keys)?;
        let values = match self.layout.dictionary {
            DictionaryFormat::LoggedIndices { values } => values,
            _ => 0,
        };
        self.shared_entries(keys, at(block, values)?)
    }

    /// Address of the dictionary at the type's offset; 0 for none.
    fn dictionary_by_offset(&self, object: &Object) -> Result<u64, Unreadable> {
        let offset = self.pointer(object.type_address, TYPE_DICTIONARY_OFFSET)?;
        match offset.cast_signed() {
            0 => Ok(0),
            1.. => self.pointer(object.address, offset),
            // After the elements of an object of varying size.
            from_end => {
                let items = self.pointer(object.address, SIZE)?.cast_signed();
                let item = self.pointer(object.type_address, TYPE_ITEM_SIZE)?;
                let size = items
                    .unsigned_abs()
                    .checked_mul(item)
                    .and_then(|items| items.checked_add(object.basic_size))
                    .and_then(|size| size.checked_next_multiple_of(8))
                    .and_then(|size| size.checked_add_signed(from_end))
                    .ok_or(Unreadable {
                        address: object.address,
                    })?;
                self.pointer(object.address, size)
            }
        }
    }
}
