//! The saved form of a capture.
//!
//! A line that names the format, then one zstd stream of sections: a name, a length, bytes. The
//! section `capture` holds [`CrashCapture`] as JSON. Readers skip sections they do not know, so new
//! kinds of evidence can be added without a new version; the version changes only if the framing does.

use std::io::{self, Read, Write};

use super::CrashCapture;

/// First line of every capture file.
const MAGIC: &[u8] = b"crashlens capture 1\n";
/// What any crashlens capture starts with, of whatever version.
const ANY_MAGIC: &[u8] = b"crashlens capture ";
/// No honest capture unpacks to more; a hostile one is stopped here.
const MAX_UNPACKED: u64 = 128 << 20;
/// Facts are text of which every byte may take ten once it is read.
const MAX_FACTS: usize = 32 << 20;
/// Small captures compress well at any level; 3 costs about 2 ms.
const LEVEL: i32 = 3;

/// A capture and what was saved with it.
#[derive(Debug, Clone, PartialEq)]
pub struct CaptureFile {
    /// The facts.
    pub capture: CrashCapture,
    /// The memory and symbols they were read from, in the unwinder's own form, so that the reading can be replayed.
    pub recording: Option<Vec<u8>>,
}

/// Why a file is not a capture.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It does not start as one.
    #[error("not a crashlens capture")]
    NotACapture,
    /// Made by a newer crashlens.
    #[error("this capture was made by a newer crashlens")]
    Newer,
    /// It ends early or its bytes are damaged.
    #[error("the capture is damaged")]
    Damaged(#[source] io::Error),
    /// The facts in it cannot be understood.
    #[error("the capture's facts cannot be read")]
    Facts(#[source] serde_json::Error),
    /// The facts in it are more than any process has.
    #[error("the capture's facts are too large")]
    TooLarge,
    /// It has no facts at all.
    #[error("the capture holds no facts")]
    Empty,
}

impl CaptureFile {
    /// Whether `bytes` start like a capture of any version.
    pub fn looks_like(bytes: &[u8]) -> bool {
        bytes.starts_with(ANY_MAGIC)
    }

    /// Writes the file.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        let mut stream = zstd::Encoder::new(out, LEVEL)?;
        write_section(&mut stream, "capture", &serde_json::to_vec(&self.capture)?)?;
        if let Some(recording) = &self.recording {
            write_section(&mut stream, "recording", recording)?;
        }
        stream.finish()?.flush()
    }

    /// Reads a file of any known version.
    pub fn read(bytes: &[u8]) -> Result<Self, FormatError> {
        let Some(packed) = bytes.strip_prefix(MAGIC) else {
            return Err(if Self::looks_like(bytes) {
                FormatError::Newer
            } else {
                FormatError::NotACapture
            });
        };
        let stream = zstd::Decoder::new(packed).map_err(FormatError::Damaged)?;
        Self::read_unpacked(stream.take(MAX_UNPACKED))
    }

    /// Reads the sections of a file once they are unpacked.
    #[doc(hidden)]
    pub fn read_unpacked(mut stream: impl Read) -> Result<Self, FormatError> {
        let mut capture = None;
        let mut recording = None;
        while let Some((name, content)) = read_section(&mut stream).map_err(FormatError::Damaged)? {
            match name.as_slice() {
                b"capture" if content.len() > MAX_FACTS => return Err(FormatError::TooLarge),
                b"capture" => {
                    capture = Some(serde_json::from_slice(&content).map_err(FormatError::Facts)?);
                }
                b"recording" => recording = Some(content),
                _ => {}
            }
        }
        Ok(Self {
            capture: capture.ok_or(FormatError::Empty)?,
            recording,
        })
    }
}

fn write_section(out: &mut impl Write, name: &str, content: &[u8]) -> io::Result<()> {
    out.write_all(&(name.len() as u32).to_le_bytes())?;
    out.write_all(name.as_bytes())?;
    out.write_all(&(content.len() as u64).to_le_bytes())?;
    out.write_all(content)
}

/// The next section; `None` at the end of the stream.
fn read_section(stream: &mut impl Read) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    // Only an end between two sections is a clean one; the decoder fails where its input breaks off.
    let mut length = [0; 4];
    if stream.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut length[1..])?;
    let name = read_bytes(stream, u64::from(u32::from_le_bytes(length)))?;
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let content = read_bytes(stream, u64::from_le_bytes(length))?;
    Ok(Some((name, content)))
}

/// Exactly `length` bytes, growing as they come: a length in a damaged file allocates nothing by itself.
fn read_bytes(stream: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let got = stream.take(length).read_to_end(&mut bytes)?;
    if got as u64 == length {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(sections: &[(&str, &[u8])]) -> Vec<u8> {
        let mut stream = zstd::Encoder::new(MAGIC.to_vec(), LEVEL).unwrap();
        for (name, content) in sections {
            write_section(&mut stream, name, content).unwrap();
        }
        stream.finish().unwrap()
    }

    #[test]
    fn files_that_are_not_captures_are_told_apart() {
        assert!(matches!(
            CaptureFile::read(b"\x7fELF"),
            Err(FormatError::NotACapture)
        ));
        assert!(matches!(
            CaptureFile::read(b"crashlens capture 9\n"),
            Err(FormatError::Newer)
        ));
        assert!(matches!(
            CaptureFile::read(MAGIC),
            Err(FormatError::Empty | FormatError::Damaged(_))
        ));
        assert!(matches!(
            CaptureFile::read(&packed(&[("capture", b"{}")])),
            Err(FormatError::Facts(_))
        ));
        assert!(matches!(
            CaptureFile::read(&packed(&[("later", b"?")])),
            Err(FormatError::Empty)
        ));
    }

    #[test]
    fn a_file_cut_short_is_damaged_not_empty() {
        let whole = packed(&[("later", &[7; 5000])]);
        for length in MAGIC.len() + 1..whole.len() {
            let cut = CaptureFile::read(&whole[..length]);
            assert!(
                matches!(cut, Err(FormatError::Damaged(_))),
                "{length}: {cut:?}"
            );
        }
    }

    #[test]
    fn a_section_that_claims_more_than_there_is_allocates_nothing() {
        let mut stream = zstd::Encoder::new(MAGIC.to_vec(), LEVEL).unwrap();
        stream.write_all(&u32::MAX.to_le_bytes()).unwrap();
        assert!(matches!(
            CaptureFile::read(&stream.finish().unwrap()),
            Err(FormatError::Damaged(_))
        ));
    }

    #[test]
    fn facts_that_would_fill_the_memory_are_refused() {
        let facts = vec![b' '; MAX_FACTS + 1];
        assert!(matches!(
            CaptureFile::read(&packed(&[("capture", &facts)])),
            Err(FormatError::TooLarge)
        ));
    }

    proptest! {
        #[test]
        fn damaged_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let file = [MAGIC, &bytes].concat();
            prop_assert!(CaptureFile::read(&file).is_err());
        }
    }
}
