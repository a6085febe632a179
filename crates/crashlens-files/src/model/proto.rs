//! Protocol buffers of any size, read from a file by a schema: what a parser would refuse is found, and nothing large is
//! ever held.
//!
//! A message is either walked field by field ([`Kind::Walked`]), or handed on as a whole ([`Kind::Message`]); long values
//! stay in the file and are told by place. Semantics are for the visitor.
//!
//! Not the `prost` or `prost-reflect` crate: they hold the whole message in memory, stop at 2 GiB, and lose the byte of a flaw.

mod reader;
mod tree;

use std::io;

use crashlens_core::files::FlawKind;

pub(super) use reader::Reader;
pub(super) use tree::{Blob, Item, Node};

use crate::wire::{Tag, WireType};

/// Messages in messages; protobuf's own limit of recursion.
const DEEPEST: usize = 100;
/// So many values of one message handed on as a whole are kept; the rest is checked and dropped.
const MOST_ITEMS: usize = 100_000;

/// A message of a schema.
pub(super) struct Message {
    pub(super) name: &'static str,
    pub(super) fields: &'static [(u32, Kind)],
}

impl Message {
    /// Whether it is that one: each is there once.
    pub(super) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// What a field is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A message that may be huge: the visitor gets its fields.
    Walked(&'static Message),
    /// A message that the visitor gets as a whole.
    Message(&'static Message),
    /// Text, which must be UTF-8.
    Text,
    Bytes,
    Number,
    Numbers,
    Fixed32,
    Fixed32s,
    Fixed64s,
}

/// Why a file is no such message.
#[derive(Debug)]
pub(super) enum Failure {
    Io(io::Error),
    Fault(Fault),
}

/// What a parser of protocol buffers refuses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FlawKind,
    pub(super) at: u64,
    /// The message it is in.
    pub(super) within: &'static str,
    pub(super) detail: String,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Who is told of what is read.
pub(super) trait Visitor {
    /// A walked message begins.
    fn enter(&mut self, message: &'static Message);
    /// It has ended.
    fn leave(&mut self, message: &'static Message);
    /// A field of a walked message.
    fn item(&mut self, message: &'static Message, number: u32, item: Item);
}

/// Reads the whole file as one message.
pub(super) fn walk(
    reader: &mut Reader<'_>,
    message: &'static Message,
    visitor: &mut dyn Visitor,
) -> Result<(), Failure> {
    let end = reader.size();
    Walk { reader, depth: 0 }.walked(message, end, visitor)
}

struct Walk<'a, 'b> {
    reader: &'a mut Reader<'b>,
    depth: usize,
}

impl Walk<'_, '_> {
    fn fault<T>(
        &self,
        kind: FlawKind,
        within: &'static Message,
        detail: impl Into<String>,
    ) -> Result<T, Failure> {
        Err(Failure::Fault(Fault {
            kind,
            at: self.reader.position(),
            within: within.name,
            detail: detail.into(),
        }))
    }

    fn walked(
        &mut self,
        message: &'static Message,
        end: u64,
        visitor: &mut dyn Visitor,
    ) -> Result<(), Failure> {
        self.deeper(message)?;
        visitor.enter(message);
        while self.reader.position() < end {
            let tag = self.tag(message, end)?;
            match (known(message, tag.number), tag.kind) {
                (Some(Kind::Walked(inner)), WireType::Bytes) => {
                    let inner_end = self.length(message, end)?;
                    self.walked(inner, inner_end, visitor)?;
                }
                (Some(kind), _) => {
                    let mut left = MOST_ITEMS;
                    if let Some(item) = self.value(message, kind, tag, end, &mut left)? {
                        visitor.item(message, tag.number, item);
                    }
                }
                (None, _) => self.skip(message, tag, end)?,
            }
        }
        visitor.leave(message);
        self.depth -= 1;
        Ok(())
    }

    /// A message as a whole.
    fn tree(
        &mut self,
        message: &'static Message,
        end: u64,
        left: &mut usize,
    ) -> Result<Node, Failure> {
        self.deeper(message)?;
        let mut node = Node::at(self.reader.position());
        while self.reader.position() < end {
            let tag = self.tag(message, end)?;
            let Some(kind) = known(message, tag.number) else {
                self.skip(message, tag, end)?;
                continue;
            };
            if let Some(item) = self.value(message, kind, tag, end, left)? {
                node.add(tag.number, item, left);
            }
        }
        self.depth -= 1;
        Ok(node)
    }

    fn deeper(&mut self, message: &'static Message) -> Result<(), Failure> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fault(FlawKind::Malformed, message, "messages are nested too deep");
        }
        Ok(())
    }

    fn tag(&mut self, message: &'static Message, end: u64) -> Result<Tag, Failure> {
        match self.reader.tag(end)? {
            Ok(tag) => Ok(tag),
            Err(error) => self.fault(FlawKind::Malformed, message, error.to_string()),
        }
    }

    fn number(&mut self, message: &'static Message, end: u64) -> Result<u64, Failure> {
        match self.reader.varint(end)? {
            Ok(number) => Ok(number),
            Err(error) => self.fault(FlawKind::Malformed, message, error.to_string()),
        }
    }

    /// Where a field that begins with its length ends.
    fn length(&mut self, message: &'static Message, end: u64) -> Result<u64, Failure> {
        let length = self.number(message, end)?;
        let inner = self.reader.position().checked_add(length);
        match inner {
            Some(inner) if inner <= end => Ok(inner),
            _ => {
                let left = end - self.reader.position();
                // Only what reaches beyond the file itself is missing; the rest is damage.
                let is_cut = inner.is_none_or(|inner| inner > self.reader.size());
                let kind = if is_cut {
                    FlawKind::CutShort
                } else {
                    FlawKind::Malformed
                };
                let detail = format!("a field declares {length} bytes and {left} are left");
                self.fault(kind, message, detail)
            }
        }
    }

    fn fixed(&mut self, message: &'static Message, size: u64, end: u64) -> Result<Blob, Failure> {
        let at = self.reader.position();
        if end - at < size {
            return self.fault(FlawKind::CutShort, message, "it ends within a field");
        }
        let blob = self.reader.blob(size)?;
        Ok(blob)
    }

    /// The value of a field that the schema knows; `None` where it is stored as something else, which parsers skip.
    fn value(
        &mut self,
        message: &'static Message,
        kind: Kind,
        tag: Tag,
        end: u64,
        left: &mut usize,
    ) -> Result<Option<Item>, Failure> {
        let item = match (kind, tag.kind) {
            (Kind::Message(inner) | Kind::Walked(inner), WireType::Bytes) => {
                let inner_end = self.length(message, end)?;
                Item::Message(self.tree(inner, inner_end, left)?)
            }
            (Kind::Text, WireType::Bytes) => {
                let inner_end = self.length(message, end)?;
                match self.reader.text(inner_end)? {
                    Some(text) => Item::Text(text),
                    None => return self.fault(FlawKind::Malformed, message, "a text is not UTF-8"),
                }
            }
            (Kind::Bytes, WireType::Bytes) => {
                let length = self.length(message, end)? - self.reader.position();
                Item::Bytes(self.reader.blob(length)?)
            }
            (Kind::Number | Kind::Numbers, WireType::Varint) => {
                Item::Number(self.number(message, end)?)
            }
            (Kind::Numbers, WireType::Bytes) => Item::Bytes(self.packed(message, end)?),
            (Kind::Fixed32s, WireType::Bytes) => Item::Bytes(self.packed_fixed(message, 4, end)?),
            (Kind::Fixed64s, WireType::Bytes) => Item::Bytes(self.packed_fixed(message, 8, end)?),
            (Kind::Fixed32 | Kind::Fixed32s, WireType::Fixed32) => {
                Item::Bytes(self.fixed(message, 4, end)?)
            }
            (Kind::Fixed64s, WireType::Fixed64) => Item::Bytes(self.fixed(message, 8, end)?),
            _ => {
                self.skip(message, tag, end)?;
                return Ok(None);
            }
        };
        Ok(Some(item))
    }

    /// Packed numbers: each of them must end.
    fn packed(&mut self, message: &'static Message, end: u64) -> Result<Blob, Failure> {
        let inner_end = self.length(message, end)?;
        let start = self.reader.position();
        let mut count = 0;
        let mut first = Vec::new();
        while self.reader.position() < inner_end {
            let number = self.number(message, inner_end)?;
            if first.len() < tree::MOST_NUMBERS {
                first.push(number);
            }
            count += 1;
        }
        Ok(Blob {
            at: start,
            length: inner_end - start,
            count,
            numbers: first,
            bytes: None,
        })
    }

    fn packed_fixed(
        &mut self,
        message: &'static Message,
        size: u64,
        end: u64,
    ) -> Result<Blob, Failure> {
        let length = self.length(message, end)? - self.reader.position();
        if !length.is_multiple_of(size) {
            let detail = format!("a list of values of {size} bytes each has {length} bytes");
            return self.fault(FlawKind::Malformed, message, detail);
        }
        let mut blob = self.reader.blob(length)?;
        blob.count = length / size;
        Ok(blob)
    }

    /// A field that nobody knows.
    fn skip(&mut self, message: &'static Message, tag: Tag, end: u64) -> Result<(), Failure> {
        match tag.kind {
            WireType::Varint => self.number(message, end).map(|_| ()),
            WireType::Fixed64 => self.fixed(message, 8, end).map(|_| ()),
            WireType::Fixed32 => self.fixed(message, 4, end).map(|_| ()),
            WireType::Bytes => {
                let inner_end = self.length(message, end)?;
                self.reader.seek(inner_end);
                Ok(())
            }
            WireType::StartGroup => self.group(message, tag.number, end),
            WireType::EndGroup => self.fault(
                FlawKind::Malformed,
                message,
                "a group ends that did not begin",
            ),
        }
    }

    fn group(&mut self, message: &'static Message, number: u32, end: u64) -> Result<(), Failure> {
        self.deeper(message)?;
        while self.reader.position() < end {
            let tag = self.tag(message, end)?;
            if tag.kind == WireType::EndGroup {
                self.depth -= 1;
                return if tag.number == number {
                    Ok(())
                } else {
                    self.fault(FlawKind::Malformed, message, "groups do not match")
                };
            }
            self.skip(message, tag, end)?;
        }
        self.fault(FlawKind::Malformed, message, "a group does not end")
    }
}

fn known(message: &'static Message, number: u32) -> Option<Kind> {
    let field = message.fields.iter().find(|(known, _)| *known == number);
    field.map(|(_, kind)| *kind)
}
