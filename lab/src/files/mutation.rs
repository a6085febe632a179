//! Ways to damage a file. The name of one says all that is needed to do it again.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};

use super::seal::Seal;
use super::sums::{adler32, crc32};

/// One way to damage a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// None at all.
    Whole,
    /// Only the first bytes are left.
    Cut(usize),
    Flip {
        at: usize,
        bit: u8,
    },
    Set {
        at: usize,
        value: u8,
    },
    Zero {
        at: usize,
        length: usize,
    },
    Delete {
        at: usize,
        length: usize,
    },
    /// Noise is put in.
    Insert {
        at: usize,
        length: usize,
    },
    /// Two ranges change places.
    Swap {
        first: usize,
        second: usize,
        length: usize,
    },
    /// Line ends as a transfer in text mode changes them.
    CrLf,
    /// Read as Latin-1 and written as UTF-8.
    Utf8,
    /// Noise behind the end.
    Garbage(usize),
    /// A copy of itself behind the end.
    Twice,
    /// Bytes are overwritten.
    Edit {
        at: usize,
        bytes: Vec<u8>,
    },
    /// Bytes are overwritten, and the checksum over them is made right.
    Sealed {
        at: usize,
        bytes: Vec<u8>,
    },
    /// What is packed in it is damaged, and then packed with right checksums.
    Packed(Box<Mutation>),
}

/// A file to damage.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub format: &'a str,
    /// Of a folder, the path below it.
    pub member: &'a str,
    pub content: &'a [u8],
    /// The same before it was packed.
    pub unpacked: Option<&'a [u8]>,
}

impl Mutation {
    /// The damaged content.
    pub fn apply(&self, subject: &Subject<'_>) -> Result<Vec<u8>> {
        let original = subject.content;
        match self {
            Self::CrLf => Ok(text_mode(original)),
            Self::Utf8 => {
                let text: String = original.iter().map(|byte| char::from(*byte)).collect();
                Ok(text.into_bytes())
            }
            Self::Packed(inner) => {
                let content = subject.unpacked.context("nothing is packed in it")?;
                let damaged = inner.apply(&Subject {
                    format: "tfrecord",
                    content,
                    ..*subject
                })?;
                packed(subject.format, &damaged)
            }
            _ => {
                let mut bytes = original.to_vec();
                self.change(&mut bytes)
                    .with_context(|| format!("{self} is outside of the file"))?;
                if let Self::Sealed { at, .. } = self {
                    let seal = Seal::of(subject.format, subject.member);
                    seal.context("it has no checksum")?
                        .apply(original, &mut bytes, *at)
                        .context("no checksum covers that byte")?;
                }
                Ok(bytes)
            }
        }
    }

    /// Damages bytes where they are.
    fn change(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let range = |at: usize, length: usize| at..at.saturating_add(length);
        match self {
            Self::Cut(keep) => bytes.truncate(*keep),
            Self::Flip { at, bit } => *bytes.get_mut(*at)? ^= 1 << bit,
            Self::Set { at, value } => *bytes.get_mut(*at)? = *value,
            Self::Zero { at, length } => bytes.get_mut(range(*at, *length))?.fill(0),
            Self::Delete { at, length } => {
                bytes.get(range(*at, *length))?;
                bytes.drain(range(*at, *length));
            }
            Self::Insert { at, length } => {
                bytes.get(..*at)?;
                bytes.splice(at..at, noise(at ^ length, *length));
            }
            Self::Swap {
                first,
                second,
                length,
            } => {
                let one = bytes.get(range(*first, *length))?.to_vec();
                let other = bytes.get(range(*second, *length))?.to_vec();
                bytes[range(*first, *length)].copy_from_slice(&other);
                bytes[range(*second, *length)].copy_from_slice(&one);
            }
            Self::Garbage(length) => bytes.extend(noise(*length, *length)),
            Self::Twice => bytes.extend_from_within(..),
            Self::Edit { at, bytes: new } | Self::Sealed { at, bytes: new } => {
                bytes.get_mut(range(*at, new.len()))?.copy_from_slice(new);
            }
            Self::Whole | Self::CrLf | Self::Utf8 | Self::Packed(_) => {}
        }
        Some(())
    }
}

fn text_mode(original: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(original.len());
    for byte in original {
        if *byte == b'\n' {
            bytes.push(b'\r');
        }
        bytes.push(*byte);
    }
    bytes
}

fn noise(seed: usize, length: usize) -> Vec<u8> {
    let mut chance = Chance::new(&seed.to_string());
    (0..length)
        .map(|_| u8::try_from(chance.below(256)).unwrap_or(0))
        .collect()
}

/// In stored blocks, which need no compressor.
fn packed(format: &str, content: &[u8]) -> Result<Vec<u8>> {
    let mut blocks = Vec::new();
    let mut parts = content.chunks(0xffff).peekable();
    while let Some(part) = parts.next() {
        let length = u16::try_from(part.len())?;
        blocks.push(u8::from(parts.peek().is_none()));
        blocks.extend(length.to_le_bytes());
        blocks.extend((!length).to_le_bytes());
        blocks.extend(part);
    }
    if content.is_empty() {
        blocks.extend([1, 0, 0, 0xff, 0xff]);
    }
    Ok(match format {
        "tfrecord-gzip" => {
            let head: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
            let length = u32::try_from(content.len())?.to_le_bytes();
            [head, &blocks, &crc32(&[content]).to_le_bytes(), &length].concat()
        }
        "tfrecord-zlib" => [&[0x78, 1], &blocks[..], &adler32(content).to_be_bytes()].concat(),
        _ => bail!("{format} files are not packed"),
    })
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => write!(f, "whole"),
            Self::Cut(keep) => write!(f, "cut-{keep}"),
            Self::Flip { at, bit } => write!(f, "flip-{at}-{bit}"),
            Self::Set { at, value } => write!(f, "set-{at}-{value}"),
            Self::Zero { at, length } => write!(f, "zero-{at}-{length}"),
            Self::Delete { at, length } => write!(f, "delete-{at}-{length}"),
            Self::Insert { at, length } => write!(f, "insert-{at}-{length}"),
            Self::Swap {
                first,
                second,
                length,
            } => write!(f, "swap-{first}-{second}-{length}"),
            Self::CrLf => write!(f, "crlf"),
            Self::Utf8 => write!(f, "utf8"),
            Self::Garbage(length) => write!(f, "garbage-{length}"),
            Self::Twice => write!(f, "twice"),
            Self::Edit { at, bytes } => write!(f, "edit-{at}-{}", hex(bytes)),
            Self::Sealed { at, bytes } => write!(f, "sealed-{at}-{}", hex(bytes)),
            Self::Packed(inner) => write!(f, "packed-{inner}"),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Result<Vec<u8>> {
    ensure!(text.is_ascii(), "no hexadecimal digits");
    (0..text.len() / 2)
        .map(|at| Ok(u8::from_str_radix(&text[2 * at..2 * at + 2], 16)?))
        .collect()
}

impl FromStr for Mutation {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(inner) = text.strip_prefix("packed-") {
            return Ok(Self::Packed(Box::new(inner.parse()?)));
        }
        let words: Vec<&str> = text.split('-').collect();
        if let ["edit" | "sealed", at, bytes] = words[..] {
            let (at, bytes) = (at.parse()?, from_hex(bytes)?);
            return Ok(if words[0] == "edit" {
                Self::Edit { at, bytes }
            } else {
                Self::Sealed { at, bytes }
            });
        }
        let numbers = words[1..].iter().map(|word| word.parse());
        let numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
        Ok(match (words[0], &numbers[..]) {
            ("whole", []) => Self::Whole,
            ("cut", &[keep]) => Self::Cut(keep),
            ("flip", &[at, bit @ 0..8]) => Self::Flip {
                at,
                bit: u8::try_from(bit)?,
            },
            ("set", &[at, value]) => Self::Set {
                at,
                value: u8::try_from(value)?,
            },
            ("zero", &[at, length]) => Self::Zero { at, length },
            ("delete", &[at, length]) => Self::Delete { at, length },
            ("insert", &[at, length]) => Self::Insert { at, length },
            ("swap", &[first, second, length]) => Self::Swap {
                first,
                second,
                length,
            },
            ("crlf", []) => Self::CrLf,
            ("utf8", []) => Self::Utf8,
            ("garbage", &[length]) => Self::Garbage(length),
            ("twice", []) => Self::Twice,
            _ => bail!("there is no mutation {text}"),
        })
    }
}

/// Numbers by chance that are the same on every machine (splitmix64).
#[derive(Debug)]
pub struct Chance(u64);

impl Chance {
    /// Of a text (FNV-1a).
    pub fn new(seed: &str) -> Self {
        let start = 0xcbf2_9ce4_8422_2325_u64;
        Self(seed.bytes().fold(start, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    /// Below a limit; zero where that is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^= value >> 31;
        let limit = u64::try_from(limit.max(1)).unwrap_or(1);
        usize::try_from(value % limit).unwrap_or(0)
    }
}
