//! Attributes of instances, wherever a version keeps them.

use crate::Unreadable;

use super::super::objects::at;
use super::super::offsets::{DictionaryFormat, InstanceFormat};
use super::{Object, SIZE, TYPE_DICTIONARY_OFFSET, TYPE_ITEM_SIZE, ValueReader, flags};

/// Attributes of one instance that are looked at.
const MOST_ATTRIBUTES: usize = 1024;

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
        let dictionary = if !is_managed {
            self.dictionary_by_offset(object)?
        } else {
            let before = |words: u64| {
                let address = object.address.checked_sub(words * 8);
                let address = address.ok_or(Unreadable {
                    address: object.address,
                })?;
                self.memory().u64(address)
            };
            match self.layout.instance {
                InstanceFormat::TwoPointers => match (before(3)?, before(4)?) {
                    (0, 0) => 0,
                    (0, values) => return self.own_values(object, values),
                    (dictionary, _) => dictionary,
                },
                InstanceFormat::TaggedPointer => match before(3)? {
                    tagged if tagged & 1 == 1 => {
                        return self.own_values(object, at(tagged, 1)?);
                    }
                    dictionary => dictionary,
                },
                _ => match before(3)? {
                    0 if object.is(flags::INLINE_VALUES) => {
                        let block = at(object.address, object.basic_size)?;
                        let is_valid = self.memory().u8(at(block, 3)?)? == 1;
                        return if is_valid {
                            self.own_values(object, block)
                        } else {
                            Ok(Vec::new())
                        };
                    }
                    dictionary => dictionary,
                },
            }
        };
        if dictionary == 0 {
            return Ok(Vec::new());
        }
        // Only what is one is read as one: with a wrong offset this would be anything.
        if !self.object(dictionary)?.is(flags::DICT) {
            return Err(Unreadable {
                address: dictionary,
            });
        }
        Ok(self.entries(dictionary, MOST_ATTRIBUTES)?.0)
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
