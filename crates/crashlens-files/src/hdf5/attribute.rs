//! Attributes: small values beside an object. Keras keeps its versions and its model there.

use super::message::Cursor;
use super::tree::{Hdf5, inside};
use super::types::{ElementType, TEXT, element_type, shape};
use crate::fault::Stop;

/// A text that is kept; a model's configuration may have megabytes.
const LONGEST_TEXT: u64 = 16 << 20;

/// An attribute.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    element: ElementType,
    elements: u64,
    value: Vec<u8>,
}

/// Reads an attribute message; `None` where it is damaged.
pub(super) fn attribute(body: &[u8]) -> Option<Attribute> {
    let mut cursor = Cursor::of(body);
    let version = cursor.u8()?;
    let flags = cursor.u8()?;
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
    // A type that is kept elsewhere is not followed.
    let element = if flags & 1 == 0 {
        element_type(&mut Cursor::of(kind))?
    } else {
        return None;
    };
    let dimensions = shape(&mut Cursor::of(space))?;
    let elements = dimensions.map_or(Some(0), |it| {
        it.iter().try_fold(1_u64, |all, one| all.checked_mul(*one))
    })?;
    let needed = elements.checked_mul(u64::from(element.size))?;
    (cursor.rest.len() as u64 >= needed).then(|| Attribute {
        name: String::from_utf8_lossy(name.get(..end).unwrap_or_default()).into_owned(),
        element,
        elements,
        value: cursor.rest.to_vec(),
    })
}

impl Hdf5<'_, '_> {
    /// The text of an attribute that is one.
    pub(super) fn attribute_text(
        &mut self,
        part: &str,
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
        let part = format!("{part}, attribute `{}`", attribute.name);
        self.heap_object(&part, heap, index, u64::from(length))
    }

    /// An object of a global heap.
    fn heap_object(
        &mut self,
        part: &str,
        address: u64,
        wanted: u32,
        length: u64,
    ) -> Result<Option<Vec<u8>>, Stop> {
        let heap = self.place(address);
        inside(self, part, heap, 16, "the heap of its text")?;
        let head: [u8; 4] = self.pages.bytes(heap)?;
        let size = self.pages.u64(heap + 8)?;
        if &head != b"GCOL" {
            let fault =
                crate::fault::Fault::malformed(part, heap, "its text is not where it should be");
            return Err(fault.into());
        }
        inside(self, part, heap, size, "the heap of its text")?;
        let end = heap + size;
        let mut at = heap + 16;
        while at.saturating_add(16) <= end {
            let index = u32::from(self.pages.u16(at)?);
            let stored = self.pages.u64(at + 8)?;
            if index == wanted {
                inside(self, part, at + 16, stored.max(length), "its text")?;
                let length = length.min(stored).min(LONGEST_TEXT);
                return Ok(Some(self.pages.stretch(at + 16, length as usize)?));
            }
            let Some(step) = stored.checked_next_multiple_of(8).filter(|_| index != 0) else {
                break;
            };
            at = at.saturating_add(16).saturating_add(step);
        }
        Ok(None)
    }
}
