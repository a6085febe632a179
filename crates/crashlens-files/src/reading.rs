//! One file being read: where it comes from, what is allowed, what was seen so far.

use std::io::{self, BufReader, Seek as _, SeekFrom};
use std::time::Duration;

use crashlens_core::files::{Contents, FileFacts, Flaw, FlawKind, NamedPart};

use crate::source::Source;
use crate::store::Store;

/// Bytes that are read at a time.
const BLOCK: usize = 256 * 1024;
/// So many flaws of one file are told; the first is what matters.
const MOST_FLAWS: usize = 50;

/// What readers are asked for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What the files are for.
    pub purpose: Purpose,
    /// Decode everything, and look at the values.
    pub full: bool,
    /// What a file may ask of us.
    pub limits: Limits,
    /// Names of arrays and columns whose values are looked at in any case, because they hold labels.
    pub labels: Vec<String>,
}

impl Options {
    /// Whether the values of an array or a column are to be looked at.
    pub(crate) fn wants_values(&self, name: &str) -> bool {
        self.full || self.is_label(name)
    }

    /// Whether what has this name holds labels.
    pub(crate) fn is_label(&self, name: &str) -> bool {
        self.labels.iter().any(|label| label == name)
    }
}

/// What files are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To train on.
    #[default]
    Data,
    /// To load as a model.
    Model,
}

/// What a file may ask of us.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Pixels of an image, all frames together.
    pub pixels: u64,
    /// Bytes held in memory for one file.
    pub memory: u64,
    /// Bytes that a compressed part may become.
    pub unpacked: u64,
    /// Time for one file.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // The largest image that is trained on somewhere; 16 times that of a good camera.
            pixels: 512 << 20,
            memory: 64 << 20,
            unpacked: 64 << 30,
            time: Duration::from_mins(10),
        }
    }
}

/// One file being read.
pub(crate) struct Reading<'a> {
    pub(crate) path: &'a str,
    pub(crate) source: Source,
    pub(crate) store: &'a dyn Store,
    pub(crate) options: &'a Options,
    pub(crate) facts: FileFacts,
}

impl Reading<'_> {
    /// Notes a flaw: where, as a noun, and what was seen, as a sentence without its end.
    pub(crate) fn flaw(
        &mut self,
        kind: FlawKind,
        part: impl Into<NamedPart>,
        detail: impl Into<String>,
    ) {
        self.flaw_at(kind, part, None, detail);
    }

    /// The same with a byte of the file.
    pub(crate) fn flaw_at(
        &mut self,
        kind: FlawKind,
        part: impl Into<NamedPart>,
        at: impl Into<Option<u64>>,
        detail: impl Into<String>,
    ) {
        if self.facts.flaws.len() < MOST_FLAWS {
            self.facts.flaws.push(Flaw {
                kind,
                part: part.into(),
                at: at.into(),
                detail: detail.into(),
            });
        }
    }

    /// Notes what the file holds.
    pub(crate) fn holds(&mut self, contents: Contents) {
        self.facts.contents = contents;
    }

    /// A buffered reader from the beginning.
    pub(crate) fn reader(&mut self) -> io::Result<BufReader<&mut Source>> {
        self.source.seek(SeekFrom::Start(0))?;
        Ok(BufReader::with_capacity(BLOCK, &mut self.source))
    }

    /// All bytes, where they are not more than may be held in memory.
    pub(crate) fn whole(&mut self) -> io::Result<Option<Vec<u8>>> {
        let size = self.source.size();
        if size > self.options.limits.memory {
            return Ok(None);
        }
        self.source.bytes_at(0, size as usize).map(Some)
    }
}
