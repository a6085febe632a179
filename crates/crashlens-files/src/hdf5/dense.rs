//! Links and attributes that are so many that a heap holds them, and a tree by their names finds them.

use super::message::{Cursor, Message};
use super::tree::{Hdf5, NOWHERE, link};
use crate::fault::Stop;
use crashlens_core::files::NamedPart;

/// Of one object.
const MOST: usize = 200_000;
/// Bytes of a link or an attribute; longer ones are kept in another way.
const LONGEST: u64 = 64 << 10;
/// Bytes of all attributes of an object that are held.
const MOST_BYTES: u64 = 64 << 20;
const LINK_INFO: u16 = 2;
const ATTRIBUTE_INFO: u16 = 0x15;
/// Kinds of trees: of links and of attributes, by their names.
const BY_LINK: u8 = 5;
const BY_ATTRIBUTE: u8 = 8;

impl<'a, 'b> Hdf5<'a, 'b> {
    /// Names and headers of the links of a group that stand in a heap.
    pub(super) fn dense_links(
        &mut self,
        part: &NamedPart,
        messages: &[Message],
    ) -> Result<Vec<(String, u64)>, Stop> {
        let info = messages.iter().find(|it| it.kind == LINK_INFO);
        let places = info.and_then(|it| places(&it.body, 8));
        // A hash of the name comes before what names the object.
        let links = self.dense(part, places, BY_LINK, 4..11)?;
        Ok(links.iter().filter_map(|body| link(body)).collect())
    }

    /// Attributes of an object that stand in a heap.
    pub(super) fn dense_attributes(
        &mut self,
        part: &NamedPart,
        messages: &[Message],
    ) -> Result<Vec<Vec<u8>>, Stop> {
        let info = messages.iter().find(|it| it.kind == ATTRIBUTE_INFO);
        let places = info.and_then(|it| places(&it.body, 2));
        self.dense(part, places, BY_ATTRIBUTE, 0..8)
    }

    /// What a heap holds, in the order of a tree; `id` is where its records name it.
    fn dense(
        &mut self,
        part: &NamedPart,
        places: Option<(u64, u64)>,
        kind: u8,
        id: std::ops::Range<usize>,
    ) -> Result<Vec<Vec<u8>>, Stop> {
        let Some((heap, tree)) = places.filter(|(heap, _)| *heap != NOWHERE) else {
            return Ok(Vec::new());
        };
        let Some(heap) = self.fractal_heap(part, heap)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let mut held = 0_u64;
        let mut visit = |file: &mut Hdf5<'a, 'b>, record: &[u8]| {
            // The byte behind it says of an attribute that it stands in yet another heap.
            let is_shared = kind == BY_ATTRIBUTE && record.get(id.end).is_none_or(|it| it & 2 != 0);
            let place = record.get(id.clone()).and_then(|id| heap.find(id));
            if let Some((at, length)) = place.filter(|it| !is_shared && it.1 <= LONGEST)
                && found.len() < MOST
                && held < MOST_BYTES
            {
                held += length;
                found.push(file.pages.stretch(at, length as usize)?);
            }
            Ok(())
        };
        self.records(part, tree, kind, &mut visit)?;
        Ok(found)
    }
}

/// Heap and tree that a message names; a counter of so many bytes may come first.
fn places(body: &[u8], counter: usize) -> Option<(u64, u64)> {
    let mut cursor = Cursor::of(body);
    let (version, flags) = (cursor.u8()?, cursor.u8()?);
    if version != 0 {
        return None;
    }
    if flags & 1 != 0 {
        cursor.skip(counter)?;
    }
    Some((cursor.u64()?, cursor.u64()?))
}
