//! From instruction to instruction, without running one.

use std::io::{self, BufRead, Read as _};

use super::joblib::{Laid, Lies, Reader};
use super::lines::{has_whole_escapes, is_number, unquoted};
use super::machine::{Machine, Thing};
use super::names::known;
use super::opcodes::{Argument, FRAME, LATEST, PROTO, STOP, argument};
use super::text;

/// A line, a name, a number: longer ones are read past.
const LONGEST_NAME: u64 = 512;
/// Instructions; a pickle of a million numbers has a few million.
const MOST_INSTRUCTIONS: u64 = 200_000_000;

/// Why the instructions cannot be followed.
pub(super) enum Halt {
    Wrong(String),
    /// Nobody knows where the next instruction is.
    Lost,
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

/// The way through a pickle.
pub(super) struct Walk<'a, R> {
    input: &'a mut R,
    reader: Reader,
    pub(super) at: u64,
    /// The unpickler reads a frame at once, however early the pickle ends within it.
    frame_end: u64,
    pub(super) machine: Machine,
}

impl<'a, R: BufRead> Walk<'a, R> {
    pub(super) fn new(input: &'a mut R, reader: Reader) -> Self {
        Self {
            input,
            reader,
            at: 0,
            frame_end: 0,
            machine: Machine::default(),
        }
    }

    /// From the first instruction to the one that ends it.
    pub(super) fn all(&mut self) -> Result<(), Halt> {
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
                Argument::Nothing => {
                    self.machine.plain(code, start)?;
                    if let Some(laid) = self.machine.laid.take() {
                        self.pass_array(laid)?;
                    }
                }
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
        self.input.read_exact(&mut bytes)?;
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
            b'K' | b'M' | b'J' if i32::try_from(number).is_ok() => {
                self.machine.push(Thing::Natural(number as u32))?;
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
            self.input.read_exact(&mut text)?;
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

    /// What joblib laid behind the state of a wrapper.
    fn pass_array(&mut self, laid: Laid) -> Result<(), Halt> {
        if self.reader == Reader::Python {
            return Ok(());
        }
        match laid.lies() {
            None => Err(Halt::Lost),
            Some(Lies::Bytes(length)) => {
                if laid.is_aligned {
                    let [padding] = self.fixed()?;
                    self.pass(padding.into())?;
                }
                self.pass(length)
            }
            Some(Lies::Pickle) => {
                // Plain Python reads it.
                let mut inner = Walk {
                    input: &mut *self.input,
                    reader: Reader::Python,
                    at: self.at,
                    frame_end: 0,
                    machine: self.machine.within(),
                };
                let outcome = inner.all();
                self.at = inner.at;
                self.machine.used = inner.machine.used;
                outcome
            }
        }
    }

    fn pass(&mut self, length: u64) -> Result<(), Halt> {
        let passed = io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
        self.at += passed;
        if passed < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(())
    }

    fn pass_text(&mut self, length: u64) -> Result<(), Halt> {
        let passed = text::pass(self.input, length)?;
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
            .input
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
            let there = self.input.fill_buf()?;
            if there.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let end = memchr::memchr(b'\n', there);
            let length = end.map_or(there.len(), |end| end + 1);
            self.input.consume(length);
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
            b'I' | b'L' if let Ok(natural) = text.trim_end_matches('L').parse() => {
                self.machine.push(Thing::Natural(natural))?;
            }
            _ if is_long || is_number(code, &text) => self.machine.push(Thing::Number)?,
            _ => return Err(format!("`{text}` is no number").into()),
        }
        Ok(())
    }
}
