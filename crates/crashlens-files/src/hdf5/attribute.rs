//! Attributes: small values beside an object. Keras keeps its versions and its model there.

use crashlens_core::files::{NamedPart, Part};
use std::collections::HashSet;

use super::message::Cursor;
use super::tree::{Hdf5, HeapObject, inside};
use super::types::{ElementType, FAR, TEXT, element_type, shape};
use crate::fault::{Fault, Stop};

/// A text that is kept; a model's configuration may have megabytes.
const LONGEST_TEXT: u64 = 16 << 20;

/// Texts of an attribute that are looked for.
const MOST_TEXTS: u64 = 10_000;

/// An attribute.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    element: ElementType,
    elements: u64,
    value: Vec<u8>,
}

impl Attribute {
    /// Whether h5py cannot hand its value over, as NumPy has no such numbers.
    pub(super) fn is_foreign(&self) -> bool {
        self.element.is_foreign
    }
}

/// Whether type or space of an attribute are kept elsewhere, under a name of their own: such a one is not followed.
pub(super) fn is_elsewhere(body: &[u8]) -> bool {
    matches!(body, [2 | 3, flags, ..] if flags & 3 != 0)
}

/// Reads an attribute message; `None` where it is damaged.
pub(super) fn attribute(body: &[u8]) -> Option<Attribute> {
    let mut cursor = Cursor::of(body);
    let version = cursor.u8()?;
    cursor.skip(1)?;
    let sizes = [cursor.u16()?, cursor.u16()?, cursor.u16()?].map(usize::from);
    if !(1..=3).contains(&version) {
        return None;
    }
    if version == 3 {
        cursor.skip(1)?;
    }
    let pad = |size: usize| {
        if version == 1 {
            size.next_multiple_of(8)
        } else {
            size
        }
    };
    let name = cursor.take(pad(sizes[0]))?;
    let kind = cursor.take(pad(sizes[1]))?;
    let space = cursor.take(pad(sizes[2]))?;
    let end = memchr::memchr(0, name).unwrap_or(name.len());
    let element = element_type(&mut Cursor::of(kind))?;
    let dimensions = shape(&mut Cursor::of(space))?;
    let elements = dimensions
        .iter()
        .try_fold(1_u64, |all, one| all.checked_mul(*one))?;
    let needed = elements.checked_mul(u64::from(element.size))?;
    (cursor.rest.len() as u64 >= needed).then(|| Attribute {
        name: String::from_utf8_lossy(name.get(..end).unwrap_or_default()).into_owned(),
        element,
        elements,
        value: cursor.rest.to_vec(),
    })
}

impl Hdf5<'_, '_> {
    /// That the texts of an attribute are there, wherever they are kept.
    pub(super) fn attribute_texts(
        &mut self,
        part: &NamedPart,
        attribute: &Attribute,
    ) -> Result<(), Stop> {
        if attribute.element.class != FAR {
            return Ok(());
        }
        let part = part.clone().then(Part::Attribute.named(&attribute.name));
        let wanted = attribute.elements.min(MOST_TEXTS).saturating_mul(16);
        let value = attribute.value.get(..wanted as usize);
        let value = value.unwrap_or(&attribute.value);
        self.far_values(&part, value, attribute.element.is_far_text)
    }

    /// That what values of no fixed length refer to is in its heap.
    pub(super) fn far_values(
        &mut self,
        part: &NamedPart,
        values: &[u8],
        is_text: bool,
    ) -> Result<(), Stop> {
        for value in values.as_chunks::<16>().0 {
            let mut cursor = Cursor::of(value);
            let place = (cursor.u32(), cursor.u64(), cursor.u32());
            let (Some(length), Some(heap), Some(index)) = place else {
                break;
            };
            // One without an address is empty.
            if length == 0 || heap == 0 {
                continue;
            }
            // Of anything else than a text it is not known here how many bytes an element has.
            let least = if is_text { u64::from(length) } else { 0 };
            if self.in_heap(part, heap, index, least)?.is_none() {
                let detail = format!("value {index} is not in its heap");
                return Err(Fault::malformed(part, None, detail).into());
            }
        }
        Ok(())
    }

    /// The text of an attribute that is one.
    pub(super) fn attribute_text(
        &mut self,
        part: &NamedPart,
        attribute: &Attribute,
    ) -> Result<Option<Vec<u8>>, Stop> {
        if attribute.elements != 1 {
            return Ok(None);
        }
        if attribute.element.class == TEXT {
            let size = attribute.element.size as usize;
            let text = attribute.value.get(..size).unwrap_or_default();
            let end = memchr::memchr(0, text).unwrap_or(text.len());
            return Ok(text.get(..end).map(<[u8]>::to_vec));
        }
        if !attribute.element.is_far_text {
            return Ok(None);
        }
        let mut cursor = Cursor::of(&attribute.value);
        let (Some(length), Some(heap), Some(index)) = (cursor.u32(), cursor.u64(), cursor.u32())
        else {
            return Ok(None);
        };
        let part = part.clone().then(Part::Attribute.named(&attribute.name));
        self.heap_object(&part, heap, index, u64::from(length))
    }

    /// The texts of an attribute that is a list of them.
    pub(super) fn attribute_list(
        &mut self,
        part: &NamedPart,
        attribute: &Attribute,
    ) -> Result<Option<Vec<String>>, Stop> {
        let count = attribute.elements.min(MOST_TEXTS) as usize;
        // NumPy makes an empty list one of numbers.
        if count == 0 {
            return Ok(Some(Vec::new()));
        }
        let shown = |text: &[u8]| {
            let end = memchr::memchr(0, text).unwrap_or(text.len());
            String::from_utf8_lossy(text.get(..end).unwrap_or_default()).into_owned()
        };
        if attribute.element.class == TEXT {
            let size = (attribute.element.size as usize).max(1);
            let texts = attribute.value.chunks(size).take(count);
            return Ok(Some(texts.map(shown).collect()));
        }
        if !attribute.element.is_far_text {
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut cursor = Cursor::of(&attribute.value);
        for _ in 0..count {
            let (Some(length), Some(heap), Some(index)) =
                (cursor.u32(), cursor.u64(), cursor.u32())
            else {
                break;
            };
            let text = self.heap_object(part, heap, index, u64::from(length))?;
            texts.push(shown(&text.unwrap_or_default()));
        }
        Ok(Some(texts))
    }

    /// The bytes of an object of a global heap.
    fn heap_object(
        &mut self,
        part: &NamedPart,
        address: u64,
        wanted: u32,
        length: u64,
    ) -> Result<Option<Vec<u8>>, Stop> {
        let Some(object) = self.in_heap(part, address, wanted, length)? else {
            return Ok(None);
        };
        let length = length.min(LONGEST_TEXT);
        Ok(Some(self.pages.stretch(object.at, length as usize)?))
    }

    /// An object of a global heap.
    fn in_heap(
        &mut self,
        part: &NamedPart,
        address: u64,
        wanted: u32,
        length: u64,
    ) -> Result<Option<HeapObject>, Stop> {
        let heap = self.place(address);
        if !self.heaps.contains_key(&heap) {
            let mut objects = self.heap(part, heap)?;
            objects.sort_unstable_by_key(|it| it.index);
            self.heaps.insert(heap, objects);
        }
        let objects = self.heaps.get(&heap).map_or(&[][..], Vec::as_slice);
        let found = objects.binary_search_by_key(&wanted, |it| it.index).ok();
        let Some(object) = found.and_then(|at| objects.get(at)).copied() else {
            return Ok(None);
        };
        if object.size < length {
            let detail = format!("a text of {length} bytes has {} in its heap", object.size);
            return Err(Fault::malformed(part, object.at, detail).into());
        }
        Ok(Some(object))
    }

    /// What is in a global heap: objects one behind the other, each a multiple of 8 bytes.
    fn heap(&mut self, part: &NamedPart, heap: u64) -> Result<Vec<HeapObject>, Stop> {
        inside(self, part, heap, 16, "the heap of its text")?;
        let letters: [u8; 4] = self.pages.bytes(heap)?;
        let size = self.pages.u64(heap + 8)?;
        if &letters != b"GCOL" {
            return Err(Fault::malformed(part, heap, "its text is not where it should be").into());
        }
        inside(self, part, heap, size, "the heap of its text")?;
        let end = heap + size;
        let mut at = heap + 16;
        let mut objects: Vec<HeapObject> = Vec::new();
        let mut seen = HashSet::new();
        while at + 16 <= end {
            let index = u32::from(self.pages.u16(at)?);
            let stored = self.pages.u64(at + 8)?;
            // Number 0 is what is free; its size counts its own head.
            let step = match index {
                0 => Some(stored),
                _ => stored
                    .checked_next_multiple_of(8)
                    .and_then(|it| it.checked_add(16)),
            };
            let next = step.filter(|it| *it > 0).and_then(|it| at.checked_add(it));
            let Some(next) = next.filter(|next| *next <= end && (index == 0 || seen.insert(index)))
            else {
                let detail =
                    format!("text {index} of its heap has {stored} bytes, which do not fit");
                return Err(Fault::malformed(part, at, detail).into());
            };
            if index != 0 {
                objects.push(HeapObject {
                    index,
                    at: at + 16,
                    size: stored,
                });
            }
            at = next;
        }
        Ok(objects)
    }
}
