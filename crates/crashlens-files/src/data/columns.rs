//! Parquet and Arrow: first and last bytes, and whether the footer is where they say.
//!
//! The footers themselves are not read: TensorFlow has no reader of its own for either, and the crates
//! that do bring two to three dozen others (`parquet` 60 without its features 23, `arrow-ipc` 30).

#[cfg(test)]
mod tests;

use std::io;

use crashlens_core::files::{FlawKind, Format, Part};

use crate::reading::Reading;

/// How one of the two formats begins and ends.
struct Frame {
    start: &'static [u8],
    /// The last bytes, and those of a file whose footer is encrypted.
    ends: &'static [&'static [u8]],
    /// Bytes at the beginning that cannot be part of the footer.
    head: u64,
}

const PARQUET: Frame = Frame {
    start: b"PAR1",
    ends: &[b"PAR1", b"PARE"],
    head: 4,
};

const ARROW: Frame = Frame {
    start: b"ARROW1",
    ends: &[b"ARROW1"],
    head: 8,
};

pub(crate) fn read(reading: &mut Reading<'_>, format: Format) -> io::Result<()> {
    let frame = if format == Format::Parquet {
        PARQUET
    } else {
        ARROW
    };
    let size = reading.source.size();
    let start = reading.source.bytes_at(0, frame.start.len())?;
    if start != frame.start {
        let detail = format!("it does not begin with {}", frame.start.escape_ascii());
        reading.flaw_at(FlawKind::Malformed, Part::FirstBytes, 0, detail);
    }
    // Length of the footer, and the last bytes.
    let tail = 4 + frame.start.len() as u64;
    let Some(footer_end) = size.checked_sub(tail).filter(|end| *end >= frame.head) else {
        let detail = format!("it has {size} bytes and no room for a footer");
        reading.flaw_at(FlawKind::CutShort, Part::Footer, size, detail);
        return Ok(());
    };
    let last = reading.source.bytes_at(footer_end, tail as usize)?;
    let end = last.get(4..).unwrap_or_default();
    if !frame.ends.contains(&end) {
        let detail = format!("it does not end with {}", frame.start.escape_ascii());
        reading.flaw_at(FlawKind::CutShort, Part::LastBytes, footer_end + 4, detail);
        return Ok(());
    }
    let length = last.first_chunk().copied().map_or(0, u32::from_le_bytes);
    let room = footer_end - frame.head;
    if length == 0 || u64::from(length) > room {
        let detail = format!("it declares {length} bytes, and {room} are before it");
        reading.flaw_at(FlawKind::Contradiction, Part::Footer, footer_end, detail);
    }
    Ok(())
}
