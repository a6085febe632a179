//! TFRecord, plain or compressed: frames, checksums, and the features of the examples in them.
//!
//! Where a file ends within a record, TensorFlow raises; where it ends within the twelve bytes before one, TensorFlow
//! takes that for the end. The parts of flaws tell the two apart.
//!
//! Not the `tfrecord` crate: the order in which TensorFlow fails decides which records are lost, and that crate has another.
//! Checksums are those of `crc32c`, decompression is done by `flate2`.

mod example;
mod framing;
#[cfg(test)]
mod tests;
mod unpack;

use std::io::{self, Read, Seek as _, SeekFrom};

use crashlens_core::files::{Contents, Extent, Flaw, FlawKind, Format, NamedPart, Part, Records};

use crate::reading::Reading;
use example::Tally;
use framing::{End, Frames, Record};
pub(crate) use framing::{HEAD, length_of};
use unpack::Ending;
pub(crate) use unpack::{Unpacker, Wrapping};

/// Lengths up to this are read or refused by TensorFlow; above it, memory for them may not be had.
const MOST_SANE: u64 = 1 << 32;
/// From here on TensorFlow takes a length for negative, and refuses it.
const NEGATIVE: u64 = i64::MAX as u64 - 3;
/// Damaged records of a file that are told one by one.
const DAMAGED_TOLD: usize = 10;
/// Least memory for a record that is to be looked into.
const SMALLEST_WHOLE: u64 = 1 << 16;

/// What was seen while walking.
struct Walk {
    tally: Tally,
    large: u64,
    not_examples: u64,
    damaged: u64,
    /// Records without any data.
    hollow: u64,
    flaws: Vec<Flaw>,
}

pub(crate) fn read(reading: &mut Reading<'_>, format: Format) -> io::Result<()> {
    let most_whole = (reading.options.limits.memory / 2).max(SMALLEST_WHOLE);
    let most = reading.options.limits.unpacked;
    let size = reading.source.size();
    let mut walk = Walk::new(reading.options.full);
    reading.source.seek(SeekFrom::Start(0))?;
    let source = &mut reading.source;
    let (count, flaws) = match format {
        Format::TfRecordGzip => {
            let input = Unpacker::new(source, Wrapping::Gzip, most);
            walk.packed(Frames::new(input, None, most_whole), Wrapping::Gzip)?
        }
        Format::TfRecordZlib => {
            let input = Unpacker::new(source, Wrapping::Zlib, most);
            walk.packed(Frames::new(input, None, most_whole), Wrapping::Zlib)?
        }
        _ => walk.plain(Frames::new(source, Some(size), most_whole))?,
    };
    if reading.options.full {
        reading.facts.extent = Extent::Full;
    }
    for flaw in flaws {
        reading.flaw_at(flaw.kind, flaw.part, flaw.at, flaw.detail);
    }
    walk.conclude(reading, count);
    Ok(())
}

impl Walk {
    fn new(full: bool) -> Self {
        Self {
            tally: Tally::new(full),
            large: 0,
            not_examples: 0,
            damaged: 0,
            hollow: 0,
            flaws: Vec::new(),
        }
    }

    fn visit(&mut self, number: u64, at: Option<u64>, record: &Record<'_>) {
        match record {
            Record::Whole(bytes) => {
                self.hollow += u64::from(bytes.is_empty());
                self.not_examples += u64::from(!self.tally.add(number, bytes));
            }
            Record::Large => self.large += 1,
            Record::Damaged => {
                self.damaged += 1;
                if self.flaws.len() < DAMAGED_TOLD {
                    self.flaws.push(flaw(
                        FlawKind::ChecksumMismatch,
                        Part::Record.number(number),
                        at,
                        "its data is not that of its checksum",
                    ));
                }
            }
        }
    }

    fn plain(&mut self, mut frames: Frames<impl Read>) -> io::Result<(u64, Vec<Flaw>)> {
        let (count, end) = frames.walk(|number, at, record| {
            self.visit(number, Some(at), &record);
        })?;
        let mut flaws = std::mem::take(&mut self.flaws);
        flaws.extend(end_flaw(count, Some(frames.at()), end, false));
        Ok((count, flaws))
    }

    fn packed<R: Read>(
        &mut self,
        mut frames: Frames<Unpacker<R>>,
        wrapping: Wrapping,
    ) -> io::Result<(u64, Vec<Flaw>)> {
        let (count, end) = frames.walk(|number, _, record| self.visit(number, None, &record))?;
        let mut flaws = std::mem::take(&mut self.flaws);
        if end == End::BadLength {
            // What is behind it was not unpacked, so nothing can be said of how the stream ends.
            flaws.extend(end_flaw(count, None, end, true));
            return Ok((count, flaws));
        }
        let stream = wrapping.stream();
        match frames.input().ending().clone() {
            Ending::Open | Ending::Whole => flaws.extend(end_flaw(count, None, end, true)),
            Ending::NoTrailer => {
                flaws.extend(end_flaw(count, None, end, true));
                flaws.push(flaw(
                    FlawKind::CutShort,
                    wrapping.trailer(),
                    None,
                    "the data is all there, and the checksum behind it is not",
                ));
            }
            Ending::Cut => flaws.push(cut(count, end, wrapping)),
            Ending::Damaged { at, why } => {
                flaws.push(flaw(FlawKind::Malformed, stream, at, why));
            }
            Ending::BadChecksum { at } => flaws.push(flaw(
                FlawKind::ChecksumMismatch,
                stream,
                at,
                "its data is not that of its checksum",
            )),
            Ending::Trailed { at, by_another } => {
                flaws.extend(end_flaw(count, None, end, true));
                flaws.push(if by_another {
                    flaw(
                        FlawKind::TrailingBytes,
                        Part::SecondZlibStream,
                        at,
                        "it follows the first, where reading ends",
                    )
                } else if wrapping == Wrapping::Gzip {
                    let detail = "a single byte follows the GZIP stream";
                    flaw(FlawKind::TrailingBytes, Part::LastBytes, at, detail)
                } else {
                    flaw(FlawKind::TrailingBytes, stream, at, "other bytes follow it")
                });
            }
            Ending::TooLarge => flaws.push(flaw(
                FlawKind::TooLarge,
                stream,
                None,
                "it unpacks to more than is allowed",
            )),
        }
        Ok((count, flaws))
    }

    /// What is said of the whole file.
    fn conclude(mut self, reading: &mut Reading<'_>, count: u64) {
        if self.damaged > DAMAGED_TOLD as u64 {
            let detail = format!(
                "{} of {count} have data that is not that of the checksum",
                self.damaged
            );
            reading.flaw(FlawKind::ChecksumMismatch, Part::Records, detail);
        }
        let ignored = |flaw: &Flaw| flaw.part.id == Part::LastBytes;
        if count == 0 && reading.facts.flaws.iter().all(ignored) {
            reading.flaw(FlawKind::Empty, Part::File, "there is no record in it");
        } else if count > 0 && self.hollow == count {
            let detail = format!("none of the {count} has any data");
            reading.flaw(FlawKind::Empty, Part::Records, detail);
        }
        let examples = self.tally.examples;
        if let Some(first) = self.tally.first_other.take()
            && examples > self.not_examples
        {
            let detail = format!(
                "it is no example, as {examples} records are ({} are not)",
                self.not_examples
            );
            reading.flaw(FlawKind::Contradiction, Part::Record.number(first), detail);
        }
        if let Some(first) = self.tally.first_clipped {
            let detail = format!(
                "a length in it goes beyond its end, as in {} records in all; TensorFlow's parser stops at the end",
                self.tally.clipped
            );
            reading.flaw(FlawKind::Blemish, Part::Record.number(first), detail);
        }
        // Bytes that are an example only because they are nothing.
        let features = self.tally.features();
        let not_examples = if examples == 0 {
            count
        } else {
            self.not_examples + self.large + self.damaged
        };
        for feature in features.iter().filter(|feature| feature.not_finite > 0) {
            let part = Part::Feature.named(&feature.name);
            let detail = format!("{} of its values are NaN or infinite", feature.not_finite);
            reading.flaw(FlawKind::NotFinite, part, detail);
        }
        reading.holds(Contents::Records(Records {
            count,
            not_examples,
            features,
        }));
    }
}

fn flaw(
    kind: FlawKind,
    part: impl Into<NamedPart>,
    at: impl Into<Option<u64>>,
    detail: impl Into<String>,
) -> Flaw {
    Flaw {
        kind,
        part: part.into(),
        at: at.into(),
        detail: detail.into(),
    }
}

/// What the end of the records says, where nothing else is wrong with the stream they came in.
fn end_flaw(count: u64, at: Option<u64>, end: End, packed: bool) -> Option<Flaw> {
    let record = Part::Record.number(count);
    match end {
        End::Clean => None,
        End::InHead {
            few,
            is_begun: true,
        } => Some(flaw(
            FlawKind::CutShort,
            Part::NextRecord,
            at,
            format!("it was begun, and only {few} bytes of it are there"),
        )),
        End::InHead { few, .. } => Some(flaw(
            FlawKind::TrailingBytes,
            Part::LastBytes,
            at,
            format!("{few} bytes follow {count} whole records, too few for another"),
        )),
        End::BadLength => Some(flaw(
            FlawKind::ChecksumMismatch,
            record,
            at,
            "its length is not that of the length's checksum",
        )),
        End::Beyond { length, left } => {
            let kind = match length {
                0..=MOST_SANE => FlawKind::CutShort,
                // Unpacked data is appended as it comes, so no length is asked of memory at once.
                _ if packed => FlawKind::CutShort,
                NEGATIVE.. => FlawKind::Malformed,
                _ => FlawKind::WildLength,
            };
            let detail =
                format!("it declares {length} bytes and a checksum of 4, and {left} are left");
            Some(flaw(kind, record, at, detail))
        }
    }
}

/// A compressed stream that ends too early.
fn cut(count: u64, end: End, wrapping: Wrapping) -> Flaw {
    let name = wrapping.name();
    match end {
        End::Beyond { length, left } => flaw(
            FlawKind::CutShort,
            Part::Record.number(count),
            None,
            format!(
                "the {name} stream ends in it: it declares {length} bytes and a checksum of 4, and {left} are left"
            ),
        ),
        // A cut hardly ever falls between two records: it is the mark of the end that is missing.
        End::Clean if count > 0 => flaw(
            FlawKind::CutShort,
            wrapping.end(),
            None,
            format!("it is missing, after {count} whole records"),
        ),
        _ => flaw(
            FlawKind::CutShort,
            Part::NextRecord,
            None,
            format!("the {name} stream ends after {count} records, within the head of another"),
        ),
    }
}
