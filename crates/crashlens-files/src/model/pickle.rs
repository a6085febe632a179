//! Pickles: their instructions are listed, never run.
//!
//! A pickle is a program. What it would import and call is told; nothing is imported, called or made here.

mod lines;
mod machine;
mod names;
mod opcodes;
mod text;

use std::io::{self, BufRead, Read};

use crashlens_core::files::{Contents, FlawKind, ModelFacts, Operation};

use self::lines::{has_whole_escapes, is_number, unquoted};
use self::machine::{Machine, Thing};
use self::names::known;
use self::opcodes::{Argument, FRAME, LATEST, PROTO, STOP, argument};
use crate::fault::{Stop, note};
use crate::reading::Reading;
use crate::zipped::{self, Member};

/// A line, a name, a number: longer ones are read past.
const LONGEST_NAME: u64 = 512;
/// Instructions; a pickle of a million numbers has a few million.
const MOST_INSTRUCTIONS: u64 = 200_000_000;

/// What a pickle does.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Callables it names, with how often each is called.
    pub(crate) callables: Vec<Operation>,
    /// Why it would fail: kind, byte, sentence.
    pub(crate) fault: Option<(FlawKind, u64, String)>,
    /// Bytes up to its end.
    pub(crate) length: u64,
}

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let head = reading.source.bytes_at(0, 4)?;
    if head == b"PK\x03\x04" {
        return read_zipped(reading);
    }
    let size = reading.source.size();
    let program = disassemble(&mut reading.reader()?)?;
    match program.fault {
        // joblib lays the bytes of an array between the instructions; what comes behind cannot be followed.
        Some(_) if is_of_joblib(&program.callables) => {}
        Some((kind, at, detail)) => reading.flaw_at(kind, "the pickle", at, detail),
        None if program.length < size => {
            let detail = format!("{} bytes come behind its end", size - program.length);
            reading.flaw_at(
                FlawKind::TrailingBytes,
                "the pickle",
                program.length,
                detail,
            );
        }
        None => {}
    }
    reading.holds(Contents::Model(Box::new(ModelFacts {
        producer: Some("pickle".to_owned()),
        operations: program.callables,
        ..ModelFacts::default()
    })));
    Ok(())
}

fn is_of_joblib(callables: &[Operation]) -> bool {
    let mut names = callables.iter().map(|callable| callable.name.as_str());
    names.any(|name| name.starts_with("joblib.") && name.ends_with("NumpyArrayWrapper"))
}

/// The pickles in a zip archive: what PyTorch saves.
fn read_zipped(reading: &mut Reading<'_>) -> io::Result<()> {
    let members = match zipped::members(&mut reading.source) {
        Ok(members) => members,
        Err(Stop::Io(error)) => return Err(error),
        Err(Stop::Fault(fault)) => {
            note(reading, [fault]);
            return Ok(());
        }
    };
    let mut facts = ModelFacts {
        producer: Some("pickle".to_owned()),
        ..ModelFacts::default()
    };
    let memory = reading.options.limits.memory;
    for member in &members {
        let is_pickle = member.name.rsplit('.').next() == Some("pkl");
        let keep = if is_pickle { memory } else { 0 };
        match zipped::check(&mut reading.source, member, keep) {
            Ok(bytes) if is_pickle && bytes.len() as u64 == member.size => {
                let program = disassemble(&mut bytes.as_slice())?;
                told(reading, member, program.fault);
                facts.operations.extend(program.callables);
            }
            Ok(_) => {}
            Err(Stop::Fault(fault)) => note(reading, [fault]),
            Err(Stop::Io(error)) => return Err(error),
        }
    }
    reading.holds(Contents::Model(Box::new(facts)));
    Ok(())
}

fn told(reading: &mut Reading<'_>, member: &Member, fault: Option<(FlawKind, u64, String)>) {
    if let Some((kind, at, detail)) = fault {
        let part = format!("member `{}`, byte {at}", member.name);
        reading.flaw(kind, part, detail);
    }
}

/// Follows the instructions of a pickle up to its end.
pub(crate) fn disassemble(reader: &mut impl BufRead) -> io::Result<Program> {
    let mut walk = Walk {
        reader,
        at: 0,
        frame_end: 0,
        machine: Machine::default(),
    };
    let outcome = walk.all();
    let fault = match outcome {
        Ok(()) => None,
        Err(Halt::Wrong(detail)) => Some((FlawKind::Malformed, walk.at, detail)),
        Err(Halt::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let detail = "it ends before the instruction that ends it".to_owned();
            Some((FlawKind::CutShort, walk.at, detail))
        }
        Err(Halt::Io(error)) => return Err(error),
    };
    let used = std::mem::take(&mut walk.machine.used).into_iter();
    let callables = used.map(|(name, callable)| Operation {
        name,
        count: callable.called.max(callable.named),
        first: format!("byte {}", callable.at),
        custom: false,
    });
    Ok(Program {
        callables: callables.collect(),
        fault,
        length: walk.at,
    })
}

enum Halt {
    Wrong(String),
    Io(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for Halt {
    fn from(wrong: String) -> Self {
        Self::Wrong(wrong)
    }
}

struct Walk<'a, R> {
    reader: &'a mut R,
    at: u64,
    /// The unpickler reads a frame at once, however early the pickle ends within it.
    frame_end: u64,
    machine: Machine,
}

impl<R: BufRead> Walk<'_, R> {
    fn all(&mut self) -> Result<(), Halt> {
        for _ in 0..MOST_INSTRUCTIONS {
            let start = self.at;
            let [code] = self.fixed()?;
            let Some(argument) = argument(code) else {
                self.at = start;
                return Err(format!("there is no instruction {code:#04x}").into());
            };
            if code == STOP {
                self.machine.stop()?;
                return self.pass(self.frame_end.saturating_sub(self.at));
            }
            match argument {
                Argument::Nothing => self.machine.plain(code, start)?,
                Argument::Fixed(bytes) => self.number(code, bytes)?,
                Argument::Counted(bytes) => self.counted(code, bytes)?,
                Argument::Line => self.line_argument(code)?,
                Argument::TwoLines => {
                    let (module, name) = (self.text()?, self.text()?);
                    let name = format!("{module}.{name}");
                    known(&name)?;
                    if code == b'c' {
                        self.machine.callable(name, start)?;
                    } else {
                        self.machine.call_from_mark(Some((name, start)))?;
                    }
                }
            }
        }
        Err(format!("more than {MOST_INSTRUCTIONS} instructions").into())
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Halt> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    /// A number of 1, 2, 4 or 8 bytes, the least first.
    fn little(&mut self, bytes: usize) -> Result<u64, Halt> {
        Ok(match bytes {
            1 => self.fixed::<1>()?[0].into(),
            2 => u16::from_le_bytes(self.fixed()?).into(),
            4 => u32::from_le_bytes(self.fixed()?).into(),
            _ => u64::from_le_bytes(self.fixed()?),
        })
    }

    fn number(&mut self, code: u8, bytes: usize) -> Result<(), Halt> {
        let number = self.little(bytes)?;
        match code {
            PROTO if number > u64::from(LATEST) => {
                return Err(
                    format!("its protocol is {number}; Python knows up to {LATEST}").into(),
                );
            }
            PROTO => {}
            FRAME => self.frame_end = self.at.saturating_add(number),
            b'h' | b'j' => self.machine.get(number)?,
            b'q' | b'r' => self.machine.put(number)?,
            0x82..=0x84 => {
                return Err(format!("it names extension {number}, which nobody registers").into());
            }
            _ => self.machine.push(Thing::Number)?,
        }
        Ok(())
    }

    fn counted(&mut self, code: u8, bytes: usize) -> Result<(), Halt> {
        let length = self.little(bytes)?;
        // A signed length in the old string and long instructions.
        if matches!(code, b'T' | 0x8b) && length >= 1 << 31 {
            return Err(format!("it declares {} bytes", (length as u32).cast_signed()).into());
        }
        let is_bytes = matches!(code, b'U' | b'T');
        let is_text = is_bytes || matches!(code, b'X' | 0x8c | 0x8d);
        if is_text && length <= LONGEST_NAME {
            let mut text = vec![0; length as usize];
            self.reader.read_exact(&mut text)?;
            self.at += length;
            return match String::from_utf8(text) {
                Ok(text) => Ok(self.machine.push_name(&text)?),
                Err(error) if is_bytes || text::is_utf8(error.as_bytes()) => {
                    Ok(self.machine.push(Thing::Text)?)
                }
                Err(_) => Err("a text is not UTF-8".to_owned().into()),
            };
        }
        if is_text && !is_bytes {
            self.pass_text(length)?;
        } else {
            self.pass(length)?;
        }
        let thing = match code {
            0x8a | 0x8b => Thing::Number,
            _ if is_text => Thing::Text,
            _ => Thing::Object,
        };
        Ok(self.machine.push(thing)?)
    }

    fn pass(&mut self, length: u64) -> Result<(), Halt> {
        let passed = io::copy(&mut self.reader.by_ref().take(length), &mut io::sink())?;
        self.at += passed;
        if passed < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(())
    }

    fn pass_text(&mut self, length: u64) -> Result<(), Halt> {
        let passed = text::pass(self.reader, length)?;
        if passed.length < length {
            self.at += passed.length;
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        if !passed.is_utf8 {
            return Err("a text is not UTF-8".to_owned().into());
        }
        self.at += length;
        Ok(())
    }

    /// The text up to the end of the line; what is longer than a name is cut.
    fn text(&mut self) -> Result<String, Halt> {
        let mut line = Vec::new();
        let read = self
            .reader
            .by_ref()
            .take(LONGEST_NAME)
            .read_until(b'\n', &mut line)?;
        self.at += read as u64;
        if line.last() == Some(&b'\n') {
            line.pop();
        } else {
            self.rest_of_line()?;
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn rest_of_line(&mut self) -> Result<(), Halt> {
        loop {
            let there = self.reader.fill_buf()?;
            if there.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let end = memchr::memchr(b'\n', there);
            let length = end.map_or(there.len(), |end| end + 1);
            self.reader.consume(length);
            self.at += length as u64;
            if end.is_some() {
                return Ok(());
            }
        }
    }

    fn line_argument(&mut self, code: u8) -> Result<(), Halt> {
        let text = self.text()?;
        let is_long = text.len() as u64 >= LONGEST_NAME;
        match code {
            b'g' | b'p' => {
                let place = text.trim().parse::<u64>();
                let place = place.map_err(|_| format!("`{text}` is no place in the memo"))?;
                if code == b'g' {
                    self.machine.get(place)?;
                } else {
                    self.machine.put(place)?;
                }
            }
            b'S' => match unquoted(&text) {
                Some(name) => self.machine.push_name(name)?,
                None if is_long => self.machine.push(Thing::Text)?,
                None => return Err("a text has no quotes around it".to_owned().into()),
            },
            b'V' if !is_long && !has_whole_escapes(&text) => {
                return Err("a text has half an escape in it".to_owned().into());
            }
            b'V' => self.machine.push_name(&text)?,
            b'P' => self.machine.push(Thing::Object)?,
            _ if is_long || is_number(code, &text) => self.machine.push(Thing::Number)?,
            _ => return Err(format!("`{text}` is no number").into()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
