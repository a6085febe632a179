//! The class of a C++ object and its bases, from the type information that every table of virtual functions has.
//!
//! The layout is that of the Itanium ABI, which GCC and Clang share; no symbols are needed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::ReadMemory;
use crate::image::Images;

/// The longest names are those of kernels that are templates of templates: some hundred bytes.
const LONGEST_NAME: usize = 2048;
/// Kernels have up to six ancestors.
const MAX_ANCESTORS: usize = 16;
/// Names are read in pieces that never leave a page.
const PIECE: u64 = 64;

/// Mangled names of a class and of all it inherits from, the class itself first.
pub(super) type Lineage = Rc<[String]>;

/// What is known of classes by now.
pub(super) struct Classes<'scene> {
    memory: &'scene dyn ReadMemory,
    images: &'scene Images,
    by_table: RefCell<HashMap<u64, Option<Lineage>>>,
}

/// How a type information record refers to the bases of its class.
enum Bases {
    None,
    One,
    Several,
}

impl<'scene> Classes<'scene> {
    pub(super) fn new(memory: &'scene dyn ReadMemory, images: &'scene Images) -> Self {
        Self {
            memory,
            images,
            by_table: RefCell::default(),
        }
    }

    /// The class of the object whose first word is `table`; `None` when that is no table of virtual functions.
    pub(super) fn of(&self, table: u64) -> Option<Lineage> {
        if !table.is_multiple_of(8) || self.images.at(table).is_none() {
            return None;
        }
        if let Some(known) = self.by_table.borrow().get(&table) {
            return known.clone();
        }
        let found = self.lineage(table);
        self.by_table.borrow_mut().insert(table, found.clone());
        found
    }

    fn lineage(&self, table: u64) -> Option<Lineage> {
        // Only the table of the whole object, not of one of its later bases, has no way to go to its top.
        if self.memory.u64(table.checked_sub(16)?).ok()? != 0 {
            return None;
        }
        let mut names = Vec::new();
        let mut next = vec![self.memory.u64(table.checked_sub(8)?).ok()?];
        while let Some(record) = next.pop() {
            if names.len() >= MAX_ANCESTORS {
                break;
            }
            names.push(self.name(record)?);
            next.extend(self.bases(record));
        }
        Some(names.into())
    }

    /// The mangled name in the type information record at `record`.
    fn name(&self, record: u64) -> Option<String> {
        if !record.is_multiple_of(8) || self.images.at(record).is_none() {
            return None;
        }
        let text = self.memory.u64(record.checked_add(8)?).ok()?;
        self.images.at(text)?;
        let name = self.text(text)?;
        // The mark of names that are not to be compared across libraries.
        let name = name.strip_prefix('*').unwrap_or(&name);
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// The record's own class says what follows its name.
    fn kind(&self, record: u64) -> Option<Bases> {
        let table = self.memory.u64(record).ok()?;
        let own = self.memory.u64(table.checked_sub(8)?).ok()?;
        match self.name(own)?.as_str() {
            "N10__cxxabiv117__class_type_infoE" => Some(Bases::None),
            "N10__cxxabiv120__si_class_type_infoE" => Some(Bases::One),
            "N10__cxxabiv121__vmi_class_type_infoE" => Some(Bases::Several),
            _ => None,
        }
    }

    fn bases(&self, record: u64) -> Vec<u64> {
        let first = |offset: u64| self.memory.u64(record.checked_add(offset)?).ok();
        match self.kind(record) {
            Some(Bases::One) => first(16).into_iter().collect(),
            Some(Bases::Several) => {
                let count = first(16).map_or(0, |word| word >> 32);
                (0..count.min(MAX_ANCESTORS as u64))
                    .filter_map(|index| first(24 + 16 * index))
                    .collect()
            }
            Some(Bases::None) | None => Vec::new(),
        }
    }

    /// Text of visible ASCII up to its zero byte.
    fn text(&self, start: u64) -> Option<String> {
        let mut text = String::new();
        let mut at = start;
        while text.len() < LONGEST_NAME {
            let length = PIECE - at % PIECE;
            let piece = self.memory.bytes(at, length as usize).ok()?;
            for byte in piece {
                match byte {
                    0 => return Some(text),
                    visible if visible.is_ascii_graphic() => text.push(char::from(visible)),
                    _ => return None,
                }
            }
            at = at.checked_add(length)?;
        }
        None
    }
}
