//! Whether every offset of a flatbuffer leads to what the schema says is there, as the verifier of flatbuffers asks.
//!
//! TensorFlow Lite runs that verifier on some ways to a model and not on others. What it asks is asked here, and no more;
//! what is odd beyond that is noted as damage where nobody looks.

use std::io;

use crashlens_core::files::{FlawKind, NamedPart, Part};

use super::flat::{Flat, Found};
use super::schema::{Field, Kind, Schema};
use crate::fault::{Fault, Stop};
use crate::pages::Pages;

/// The verifier's limits; offsets that meet could otherwise keep it busy for ever.
const MOST_TABLES: u64 = 1_000_000;
const DEEPEST: u32 = 64;
/// So many damaged parts that nobody looks at are told.
const MOST_IDLE: usize = 5;

enum Step {
    Field(&'static str),
    Item(u64),
}

struct Verifier<'a, 'b> {
    flat: Flat<'a, 'b>,
    schema: &'static Schema,
    path: Vec<Step>,
    tables: u64,
    depth: u32,
    idle: Vec<Fault>,
}

/// Walks the whole model up to the first fault, which comes first; damage where nobody looks does not end the walk.
pub(super) fn verify(pages: &mut Pages<'_>, schema: &'static Schema) -> io::Result<Vec<Fault>> {
    let mut verifier = Verifier {
        flat: Flat { pages },
        schema,
        path: Vec::new(),
        tables: 0,
        depth: 0,
        idle: Vec::new(),
    };
    let walked = verifier
        .offset(0)
        .and_then(|root| verifier.table(root, "Model"));
    match walked {
        Err(Stop::Io(error)) => return Err(error),
        Err(Stop::Fault(fault)) => verifier.idle.insert(0, fault),
        Ok(()) => {}
    }
    Ok(verifier.idle)
}

impl Verifier<'_, '_> {
    fn part(&self) -> NamedPart {
        let mut part = String::new();
        for step in &self.path {
            match step {
                Step::Field(name) if part.is_empty() => part.push_str(name),
                Step::Field(name) => part.extend([".", name]),
                Step::Item(number) => part.extend(["[", &number.to_string(), "]"]),
            }
        }
        if part.is_empty() {
            Part::Model.into()
        } else {
            Part::Field.written(part)
        }
    }

    fn fault(&self, at: u64, detail: impl Into<String>) -> Stop {
        Stop::Fault(Fault {
            kind: FlawKind::Irregular,
            part: self.part(),
            at: Some(at),
            detail: detail.into(),
        })
    }

    /// Notes what the verifier does not ask.
    fn idle(&mut self, at: u64, detail: impl Into<String>) {
        if self.idle.len() < MOST_IDLE {
            self.idle.push(Fault {
                kind: FlawKind::IdlePart,
                part: self.part(),
                at: Some(at),
                detail: detail.into(),
            });
        }
    }

    fn need(&self, at: u64, length: u64, what: &str) -> Result<(), Stop> {
        let size = self.flat.pages.size();
        match at.checked_add(length) {
            Some(end) if end <= size => Ok(()),
            _ => Err(self.fault(
                at,
                format!("{what} would be {length} bytes at byte {at}, and the file ends at {size}"),
            )),
        }
    }

    fn aligned(&self, at: u64, to: u64, what: &str) -> Result<(), Stop> {
        if at.is_multiple_of(to) {
            return Ok(());
        }
        Err(self.fault(at, format!("{what} is not at a multiple of {to} bytes")))
    }

    /// Where the offset at `at` leads to.
    fn offset(&mut self, at: u64) -> Result<u64, Stop> {
        self.need(at, 4, "an offset")?;
        self.aligned(at, 4, "an offset")?;
        let offset = self.flat.pages.u32(at)?;
        if offset == 0 || offset > i32::MAX.cast_unsigned() {
            return Err(self.fault(at, format!("its offset is {offset}, which leads nowhere")));
        }
        let target = at + u64::from(offset);
        self.need(target, 1, "what its offset leads to")?;
        Ok(target)
    }

    fn table(&mut self, at: u64, name: &str) -> Result<(), Stop> {
        self.tables += 1;
        self.depth += 1;
        if self.tables > MOST_TABLES || self.depth > DEEPEST {
            let detail = format!("more than {MOST_TABLES} tables, or {DEEPEST} in each other");
            return Err(self.fault(at, detail));
        }
        let found = self.header(at)?;
        let fields = self
            .schema
            .table(name)
            .map_or(&[][..], |table| &table.fields);
        let mut spans = Vec::with_capacity(fields.len());
        for (id, field) in fields.iter().enumerate() {
            let (Some(field), Some(offset)) = (field, self.flat.field_offset(&found, id)?) else {
                continue;
            };
            self.path.push(Step::Field(field.name));
            self.field(&found, id, *field, offset)?;
            spans.push((offset, offset + stored(field.kind), field.name));
            self.path.pop();
        }
        self.apart(at, spans);
        self.depth -= 1;
        Ok(())
    }

    /// The table's list of fields, which stands elsewhere.
    fn header(&mut self, at: u64) -> Result<Found, Stop> {
        self.aligned(at, 4, "a table")?;
        self.need(at, 4, "a table")?;
        let back = self.flat.pages.i32(at)?;
        let list = at.checked_add_signed(-i64::from(back));
        let Some(list) = list else {
            return Err(self.fault(at, "its list of fields would be before the file"));
        };
        self.need(list, 2, "its list of fields")?;
        self.aligned(list, 2, "its list of fields")?;
        let length = u64::from(self.flat.pages.u16(list)?);
        if length % 2 != 0 {
            return Err(self.fault(list, format!("its list of fields has {length} bytes")));
        }
        self.need(list, length, "its list of fields")?;
        if length < 4 {
            self.idle(list, format!("its list of fields has {length} bytes"));
        }
        Ok(Found { at, list, length })
    }

    /// No two fields share bytes; a list of fields that was changed often makes them do so.
    fn apart(&mut self, at: u64, mut spans: Vec<(u64, u64, &'static str)>) {
        spans.sort_unstable();
        for pair in spans.windows(2) {
            if let [(_, end, one), (start, _, other)] = pair
                && start < end
            {
                let detail = format!("its fields {one} and {other} lie on each other");
                self.idle(at, detail);
                return;
            }
        }
        if let Some((offset, _, one)) = spans.first()
            && *offset < 4
        {
            self.idle(at, format!("its field {one} lies on the table's own head"));
        }
    }

    fn field(&mut self, found: &Found, id: usize, field: Field, offset: u64) -> Result<(), Stop> {
        let at = found.at + offset;
        let size = stored(field.kind);
        self.need(at, size, "its value")?;
        self.aligned(at, size, "its value")?;
        match field.kind {
            Kind::Number(_) => Ok(()),
            Kind::Numbers(bytes) => {
                let start = self.offset(at)?;
                self.vector(start, bytes).map(|_| ())
            }
            Kind::Text => {
                let start = self.offset(at)?;
                self.text(start)
            }
            Kind::Texts => self.each(at, Self::text),
            Kind::Table(name) => {
                let target = self.offset(at)?;
                self.table(target, name)
            }
            Kind::Tables(name) => self.each(at, |this, target| this.table(target, name)),
            Kind::Union(name) => self.union(found, id, name, at),
        }
    }

    fn union(&mut self, found: &Found, id: usize, name: &str, at: u64) -> Result<(), Stop> {
        let target = self.offset(at)?;
        let Some(tells) = id.checked_sub(1) else {
            return Ok(());
        };
        let number = self.flat.u8(found, tells)?;
        match self.schema.member(name, i64::from(number)) {
            None | Some("NONE") => Ok(()),
            Some(member) => self.table(target, member),
        }
    }

    /// Where the items of the vector at `start` begin, and how many there are.
    fn vector(&mut self, start: u64, bytes: u64) -> Result<(u64, u64), Stop> {
        self.aligned(start, 4, "a list")?;
        self.need(start, 4, "a list")?;
        let count = u64::from(self.flat.pages.u32(start)?);
        let left = self.flat.pages.size() - start - 4;
        if count * bytes > left {
            let detail =
                format!("it declares {count} items of {bytes} bytes and {left} bytes are left");
            return Err(self.fault(start, detail));
        }
        Ok((start + 4, count))
    }

    /// What the items of a list of offsets lead to. Where they lead is not held against the file before it is looked at.
    fn each(
        &mut self,
        at: u64,
        mut check: impl FnMut(&mut Self, u64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let start = self.offset(at)?;
        let (start, count) = self.vector(start, 4)?;
        for number in 0..count {
            self.path.push(Step::Item(number));
            let item = start + 4 * number;
            let target = item + u64::from(self.flat.pages.u32(item)?);
            check(self, target)?;
            self.path.pop();
        }
        Ok(())
    }

    /// A text ends with a zero that its length does not count; readers rely on it.
    fn text(&mut self, start: u64) -> Result<(), Stop> {
        let (start, length) = self.vector(start, 1)?;
        let end = start + length;
        self.need(end, 1, "the zero at its end")?;
        if self.flat.pages.u8(end)? != 0 {
            return Err(self.fault(end, "its text has no zero at its end"));
        }
        Ok(())
    }
}

/// Bytes of a field in its table.
fn stored(kind: Kind) -> u64 {
    match kind {
        Kind::Number(bytes) => bytes,
        _ => 4,
    }
}
