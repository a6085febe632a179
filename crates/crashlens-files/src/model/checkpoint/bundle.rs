//! One checkpoint: every entry of its index against the bytes in its data files.

use std::collections::BTreeMap;
use std::io;

use crashlens_core::files::{FlawKind, NamedPart, Part};

use super::entry::{self, Entry, Header};
use super::listing::{list, list_all, trailing};
use super::values::{self, CHUNK, Outcome};
use super::{object_graph, table};
use crate::model::dtype;
use crate::model::parts::{Parts, last};
use crate::source::Source;

/// The version of the format that TensorFlow reads since 2016 (`kTensorBundleVersion`).
const VERSION: u64 = 1;
/// So many tensors with the same flaw are named; the rest is counted.
const MOST_NAMED: u64 = 10;

/// Reads the checkpoint of a prefix; `within` goes before the names of its files in what is told.
pub(in crate::model) fn read(parts: &mut Parts<'_>, prefix: &str, within: &str) {
    let part = Part::CheckpointIndex.written(format!("{within}{}.index", last(prefix)));
    let mut source = match parts.open(&format!("{prefix}.index")) {
        Ok(source) => source,
        Err(error) => return parts.failed(&part, &error),
    };
    if source.size() == 0 {
        return parts.flaw(FlawKind::Empty, part, None, "it has no bytes");
    }
    let table = match table::read(&mut source, parts.options.limits.memory) {
        Ok(table) => table,
        Err(error) => return parts.failed(&part, &error),
    };
    for fault in &table.faults {
        let place = part.clone().then(fault.part);
        parts.flaw(fault.kind, place, fault.at, fault.detail.clone());
    }
    let Some(header) = header(parts, &part, &table) else {
        return;
    };
    let bundle = Bundle {
        prefix,
        within,
        index: part,
        header,
    };
    let entries = bundle.entries(parts, &table.rows);
    bundle.slices(parts, &entries);
    bundle.shards(parts, entries);
}

/// The first entry; what TensorFlow cannot go on without.
fn header(parts: &mut Parts<'_>, part: &NamedPart, table: &table::Table) -> Option<Header> {
    let Some(first) = table.rows.first() else {
        if table.faults.is_empty() {
            parts.flaw(
                FlawKind::Malformed,
                part,
                None,
                "it has no entries, not even a header",
            );
        }
        return None;
    };
    if !first.key.is_empty() {
        if table.faults.is_empty() {
            parts.flaw(
                FlawKind::Malformed,
                part,
                first.at,
                "its first entry is no header",
            );
        }
        return None;
    }
    let header = match entry::header(&first.value) {
        Ok(header) => header,
        Err(error) => {
            let detail = format!("its header is no message: {error}");
            parts.flaw(FlawKind::Malformed, part, first.at, detail);
            return None;
        }
    };
    if header.min_consumer > VERSION || header.bad_consumers.contains(&VERSION) {
        let detail = format!(
            "it asks for a reader of version {}, and that of TensorFlow is {VERSION}",
            header.min_consumer
        );
        parts.flaw(FlawKind::Unsupported, part, first.at, detail);
    }
    Some(header)
}

struct Bundle<'a> {
    prefix: &'a str,
    within: &'a str,
    index: NamedPart,
    header: Header,
}

/// Tensors with the same flaw: the first are named.
#[derive(Default)]
struct Tally(u64);

impl Tally {
    fn is_named(&mut self) -> bool {
        self.0 += 1;
        self.0 <= MOST_NAMED
    }
}

impl Bundle<'_> {
    /// The entries that can be read, each checked by itself.
    fn entries(&self, parts: &mut Parts<'_>, rows: &[table::Row]) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut before: &[u8] = &[];
        for row in rows.iter().skip(1) {
            if row.key.as_slice() < before {
                let key = String::from_utf8_lossy(&row.key);
                let detail = format!("the entry {key} is not in its order");
                parts.flaw(FlawKind::Malformed, self.index.clone(), row.at, detail);
            }
            before = &row.key;
            if std::str::from_utf8(&row.key).is_err() && !row.key.starts_with(b"\0") {
                let key = String::from_utf8_lossy(&row.key);
                let detail = format!("the name {key} is not UTF-8, which Python asks for");
                parts.flaw(FlawKind::Malformed, self.index.clone(), row.at, detail);
            }
            match entry::entry(&row.key, &row.value) {
                Ok(entry) => {
                    if self.is_sound(parts, &entry, row.at) {
                        entries.push(entry);
                    }
                }
                Err((name, kind, detail)) => {
                    let detail = format!("the entry of {name} is no message: {detail}");
                    parts.flaw(kind, self.index.clone(), row.at, detail);
                }
            }
        }
        entries
    }

    /// Shape, type and size agree.
    fn is_sound(&self, parts: &mut Parts<'_>, entry: &Entry, at: u64) -> bool {
        let name = &entry.name;
        let mut flaw = |kind, detail: String| {
            parts.flaw(
                kind,
                self.index.clone(),
                at,
                format!("tensor {name}: {detail}"),
            );
            false
        };
        let elements = match dtype::elements(&entry.shape) {
            Ok(elements) => elements,
            Err((kind, detail)) => return flaw(kind, detail),
        };
        if !dtype::is_known(entry.dtype) {
            let detail = format!("there is no type {}", entry.dtype);
            return flaw(FlawKind::Malformed, detail);
        }
        if entry.slices > 0 {
            return true;
        }
        if entry.size < 0 || entry.offset < 0 {
            return flaw(FlawKind::Malformed, "its place is negative".to_owned());
        }
        let Some(size) = dtype::size(entry.dtype) else {
            return match entry.dtype {
                dtype::STRING | dtype::VARIANT => true,
                other => flaw(
                    FlawKind::Malformed,
                    format!("{} cannot be stored", dtype::name(other)),
                ),
            };
        };
        if elements.checked_mul(size) != Some(entry.size as u64) {
            let shape = &entry.shape;
            let dtype = dtype::name(entry.dtype);
            let detail = format!(
                "{dtype} {shape:?} does not have the {} bytes stored",
                entry.size
            );
            return flaw(FlawKind::Contradiction, detail);
        }
        true
    }

    /// A tensor that was saved in slices has them all.
    fn slices(&self, parts: &mut Parts<'_>, entries: &[Entry]) {
        let mut stored: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.is_slice) {
            *stored.entry(&entry.name).or_default() += 1;
        }
        for entry in entries.iter().filter(|entry| entry.slices > 0) {
            let there = stored.get(entry.name.as_str()).copied().unwrap_or(0);
            if there < entry.slices {
                let detail = format!(
                    "tensor {} was saved in {} slices, and {there} are there",
                    entry.name, entry.slices
                );
                parts.flaw(FlawKind::MissingPart, self.index.clone(), None, detail);
            }
        }
    }

    /// Every data file with what the index says of it.
    fn shards(&self, parts: &mut Parts<'_>, entries: Vec<Entry>) {
        let mut shards: BTreeMap<u64, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            if entry.slices == 0 {
                shards.entry(entry.shard).or_default().push(entry);
            } else {
                list(parts, &entry, 0);
            }
        }
        let mut buffer = vec![0; CHUNK];
        for (shard, mut entries) in shards {
            entries.sort_by_key(|entry| entry.offset);
            let of = self.header.shards;
            let ending = format!(".data-{shard:05}-of-{of:05}");
            let part = format!("{}{}{ending}", self.within, last(self.prefix));
            let part = Part::CheckpointData.written(part);
            match parts.open(&format!("{}{ending}", self.prefix)) {
                Ok(mut source) => self.shard(parts, &part, &mut source, &entries, &mut buffer),
                Err(error) => {
                    parts.failed(&part, &error);
                    list_all(parts, &entries);
                }
            }
        }
    }

    fn shard(
        &self,
        parts: &mut Parts<'_>,
        part: &NamedPart,
        source: &mut Source,
        entries: &[Entry],
        buffer: &mut [u8],
    ) {
        let end = entries
            .iter()
            .map(|entry| (entry.offset as u64).saturating_add(entry.size as u64))
            .max()
            .unwrap_or(0);
        if source.size() == 0 && end > 0 {
            parts.flaw(FlawKind::Empty, part, None, "it has no bytes");
            list_all(parts, entries);
            return;
        }
        let mut wrong = Tally::default();
        let mut missing = Tally::default();
        for entry in entries {
            let reach = (entry.offset as u64).saturating_add(entry.size as u64);
            let is_short = reach > source.size();
            if is_short && entry.dtype != dtype::STRING {
                lacking(parts, part, entry, source.size(), &mut missing);
                continue;
            }
            match self.tensor(parts, source, entry, buffer) {
                Ok(outcome) if is_short && outcome.is_broken() => {
                    lacking(parts, part, entry, source.size(), &mut missing);
                }
                Ok(outcome) => judge(parts, part, entry, outcome, &mut wrong),
                Err(error) => return parts.failed(part, &error),
            }
        }
        self.sum_up(parts, part, &wrong, &missing, entries.len());
        trailing(parts, part, source, end);
    }

    fn tensor(
        &self,
        parts: &Parts<'_>,
        source: &mut Source,
        entry: &Entry,
        buffer: &mut [u8],
    ) -> io::Result<Outcome> {
        let elements = dtype::elements(&entry.shape).unwrap_or(0);
        let is_big_endian = self.header.is_big_endian;
        match entry.dtype {
            dtype::STRING => {
                let keep = if entry.name == object_graph::KEY {
                    parts.options.limits.memory
                } else {
                    0
                };
                values::strings(source, entry, elements, is_big_endian, keep)
            }
            dtype::VARIANT => values::variants(source, entry, elements),
            _ => values::numbers(source, entry, is_big_endian, buffer),
        }
    }

    /// What was not named one by one, and what it looks like.
    fn sum_up(
        &self,
        parts: &mut Parts<'_>,
        part: &NamedPart,
        wrong: &Tally,
        missing: &Tally,
        of: usize,
    ) {
        if missing.0 > MOST_NAMED {
            let detail = format!("{} of {of} tensors reach beyond its end", missing.0);
            parts.flaw(FlawKind::CutShort, part, None, detail);
        }
        if wrong.0 > MOST_NAMED {
            let detail = format!("{} of {of} tensors do not have their checksums", wrong.0);
            parts.flaw(FlawKind::ChecksumMismatch, part, None, detail);
        }
        // A damaged place hits few tensors; one file of another save hits all that changed.
        if missing.0 == 0 && wrong.0 > 1 && wrong.0 * 2 > of as u64 {
            let detail = format!(
                "{} of {of} tensors do not have the checksums that {} has for them, and all of them fit: as when \
                 index and data are of two different saves, one of which was killed between the two",
                wrong.0, self.index
            );
            parts.flaw(FlawKind::Leftover, part, None, detail);
        }
    }
}

/// A tensor whose bytes are not all there.
fn lacking(parts: &mut Parts<'_>, part: &NamedPart, entry: &Entry, size: u64, missing: &mut Tally) {
    list(parts, entry, 0);
    if missing.is_named() {
        let reach = (entry.offset as u64).saturating_add(entry.size as u64);
        let name = &entry.name;
        let detail = format!("tensor {name} goes to byte {reach}, and the file has {size}");
        parts.flaw(FlawKind::CutShort, part, size, detail);
    }
}

/// A tensor against its checksum.
fn judge(
    parts: &mut Parts<'_>,
    part: &NamedPart,
    entry: &Entry,
    outcome: Outcome,
    wrong: &mut Tally,
) {
    list(parts, entry, outcome.not_finite);
    if let Some(length) = outcome.wild {
        let detail = format!(
            "tensor {}: its lengths have a right checksum and come to {length} bytes, of which {} are stored",
            entry.name, entry.size
        );
        return parts.flaw(FlawKind::WildLength, part, entry.offset as u64, detail);
    }
    let detail = match outcome.fault {
        Some(fault) => fault,
        None if outcome.crc != entry.crc => format!(
            "the checksum of its {} bytes is {:08x}, and the index has {:08x}",
            entry.size, outcome.crc, entry.crc
        ),
        None => {
            if entry.name == object_graph::KEY {
                if let Some(fault) = object_graph::fault(&outcome.strings) {
                    let detail = format!("the graph of saved objects: {fault}");
                    parts.flaw(FlawKind::Malformed, part, entry.offset as u64, detail);
                }
                parts.object_graph = Some(outcome.strings);
            }
            return;
        }
    };
    if wrong.is_named() {
        let detail = format!("tensor {}: {detail}", entry.name);
        parts.flaw(
            FlawKind::ChecksumMismatch,
            part,
            entry.offset as u64,
            detail,
        );
    }
}
