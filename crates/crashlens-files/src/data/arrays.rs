//! NumPy arrays: one in a file, or several in a zip.
//!
//! Not the `npyz` crate: it does not refuse what NumPy refuses, and what counts is whether `np.load` reads the file.

mod dtype;
mod header;
mod literal;
#[cfg(test)]
mod tests;
mod values;

use std::io::{self, BufReader, Read};

use crashlens_core::files::{Array, Contents, Extent, FlawKind, Format, NamedPart, Part};

use crate::fault::{Stop, note};
use crate::model::pickle::{Reader, disassemble};
use crate::reading::{Options, Reading};
use crate::source::Source;
use crate::zipped::{self, Member, Stream};
use header::Header;
use values::Values;

/// Members of a zip that are looked at.
const MOST_MEMBERS: usize = 100_000;
/// Arrays that are told.
const ARRAYS_TOLD: usize = 1000;
/// Bytes that are read at a time.
const BLOCK: usize = 128 * 1024;

/// What was seen of one array.
struct Seen {
    array: Option<Array>,
    flaws: Vec<(FlawKind, String)>,
}

pub(crate) fn read(reading: &mut Reading<'_>, format: Format) -> io::Result<()> {
    if reading.options.full {
        reading.facts.extent = Extent::Full;
    }
    if format == Format::Npz {
        return archive(reading);
    }
    let size = reading.source.size();
    let with_values = reading.options.wants_values(reading.facts.stem());
    let seen = one(&mut reading.reader()?, Some(size), with_values)?;
    for (kind, detail) in seen.flaws {
        reading.flaw(kind, Part::Array, detail);
    }
    reading.holds(Contents::Arrays(seen.array.into_iter().collect()));
    Ok(())
}

/// One array. Its data is read only where it must be: for its values, or where nothing tells its size.
fn one(input: &mut impl Read, size: Option<u64>, with_values: bool) -> io::Result<Seen> {
    let mut flaws = Vec::new();
    let header = match header::read(input)? {
        Ok(header) => header,
        Err(no_header) => {
            flaws.push((no_header.kind, no_header.why));
            let array = None;
            return Ok(Seen { array, flaws });
        }
    };
    let wanted = header.data();
    let mut values = header.dtype.number.filter(|_| with_values).map(Values::of);
    let mut callables = Vec::new();
    if header.dtype.has_objects {
        let why = "its elements are Python objects, which are pickled";
        flaws.push((FlawKind::Unsupported, why.to_owned()));
        callables = disassemble(&mut BufReader::new(input), Reader::Python)?.callables;
    } else {
        let there = match size {
            Some(size) if values.is_none() => size.saturating_sub(header.length),
            _ => scan(input, wanted, values.as_mut())?,
        };
        flaws.extend(amount(&header, wanted, there));
    }
    let not_finite = values.as_ref().map_or(0, |values| values.not_finite);
    if not_finite > 0 {
        let detail = format!("{not_finite} of its values are NaN or infinite");
        flaws.push((FlawKind::NotFinite, detail));
    }
    let array = Some(Array {
        name: String::new(),
        dtype: header.dtype.name,
        shape: header.shape,
        range: values.and_then(|values| values.range()),
        not_finite,
        callables,
    });
    Ok(Seen { array, flaws })
}

/// Whether there is as much data as shape and type ask for.
fn amount(header: &Header, wanted: Option<u64>, there: u64) -> Option<(FlawKind, String)> {
    let Header { dtype, shape, .. } = header;
    let Some(wanted) = wanted else {
        // A type of unknown size says nothing; a product beyond 64 bits does.
        dtype.size?;
        let detail = format!("its shape {shape:?} has more elements than can be counted");
        return Some((FlawKind::CutShort, detail));
    };
    if there < wanted {
        let name = &dtype.name;
        let detail = format!("{shape:?} of {name} are {wanted} bytes, and {there} are there");
        return Some((FlawKind::CutShort, detail));
    }
    let more = there - wanted;
    let detail = || format!("{more} bytes follow the {wanted} of its shape and type");
    (more > 0).then(|| (FlawKind::TrailingBytes, detail()))
}

/// Reads to the end; how many bytes there were.
fn scan(
    input: &mut impl Read,
    wanted: Option<u64>,
    mut values: Option<&mut Values>,
) -> io::Result<u64> {
    let mut block = vec![0; BLOCK];
    let mut total = 0_u64;
    loop {
        let read = match input.read(&mut block) {
            Ok(0) => return Ok(total),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Some(values) = values.as_mut() {
            let left = wanted.unwrap_or(0).saturating_sub(total);
            let data = usize::try_from(left).unwrap_or(usize::MAX).min(read);
            values.add(block.get(..data).unwrap_or_default());
        }
        total += read as u64;
    }
}

fn archive(reading: &mut Reading<'_>) -> io::Result<()> {
    let (options, most) = (reading.options, reading.options.limits.unpacked);
    let mut found = Vec::new();
    let mut arrays = Vec::new();
    let start = reading.source.bytes_at(0, 4)?;
    if !matches!(start.as_slice(), b"PK\x03\x04" | b"PK\x05\x06") {
        // A zip may begin anywhere; `np.load` looks at the first bytes.
        let detail = "it does not begin like a zip archive";
        reading.flaw_at(FlawKind::Malformed, Part::FirstBytes, 0, detail);
    }
    match zipped::members(&mut reading.source) {
        Ok(listed) => {
            let mut left = most;
            for member in listed.iter().take(MOST_MEMBERS) {
                let part = Part::Member.named(&member.name);
                match one_of(&mut reading.source, member, options, &mut left) {
                    Ok(seen) => {
                        let flaws = seen.flaws.into_iter();
                        found.extend(flaws.map(|(kind, detail)| (kind, part.clone(), detail)));
                        let is_told = arrays.len() < ARRAYS_TOLD;
                        arrays.extend(seen.array.filter(|_| is_told));
                    }
                    Err(Stop::Fault(fault)) => note(reading, [fault]),
                    Err(Stop::Io(error)) => found.push(member_flaw(part, &error, member.sum)?),
                }
                if left == 0 {
                    break;
                }
            }
        }
        Err(Stop::Fault(fault)) => note(reading, [fault]),
        Err(Stop::Io(error)) => return Err(error),
    }
    for (kind, part, detail) in found {
        reading.flaw(kind, part, detail);
    }
    reading.holds(Contents::Arrays(arrays));
    Ok(())
}

/// A kind of flaw, the part, what was seen.
type Found = (FlawKind, NamedPart, String);

/// A member of an archive; `left` is how much may still be unpacked.
fn one_of(
    source: &mut Source,
    member: &Member,
    options: &Options,
    left: &mut u64,
) -> Result<Seen, Stop> {
    let stem = member.name.strip_suffix(".npy");
    let mut input = Counted::new(Stream::of(source, member)?, *left);
    let mut seen = match stem {
        Some(name) => one(&mut input, None, options.wants_values(name)),
        None => Ok(Seen {
            array: None,
            flaws: Vec::new(),
        }),
    }?;
    scan(&mut input, None, None)?;
    if input.is_exhausted() {
        let detail = format!("it unpacks to more than {left} bytes");
        seen.flaws = vec![(FlawKind::TooLarge, detail)];
        *left = 0;
        return Ok(seen);
    }
    *left -= input.count;
    // An array is read as far as its header says; other members to the end that the directory says.
    if input.inner.is_short && stem.is_none() {
        let detail = format!("it declares {} bytes and has {}", member.size, input.count);
        seen.flaws.push((FlawKind::CutShort, detail));
    }
    if let (Some(array), Some(stem)) = (seen.array.as_mut(), stem) {
        stem.clone_into(&mut array.name);
    }
    Ok(seen)
}

/// What an error while reading a member means; a file that cannot be read at all is the caller's.
fn member_flaw(part: NamedPart, error: &io::Error, checksum: u32) -> io::Result<Found> {
    match error.kind() {
        io::ErrorKind::TimedOut => Err(io::ErrorKind::TimedOut.into()),
        io::ErrorKind::UnexpectedEof => Ok((
            FlawKind::CutShort,
            part,
            "its compressed data ends too early".to_owned(),
        )),
        io::ErrorKind::InvalidData if error.to_string().contains("hecksum") => Ok((
            FlawKind::ChecksumMismatch,
            part,
            format!("its data is not that of its checksum {checksum:08x}"),
        )),
        _ => Ok((FlawKind::Malformed, part, error.to_string())),
    }
}

/// Counts what is read of a member, and ends when it is too much.
struct Counted<R> {
    inner: R,
    count: u64,
    most: u64,
}

impl<R: Read> Counted<R> {
    fn new(inner: R, most: u64) -> Self {
        let count = 0;
        Self { inner, count, most }
    }

    fn is_exhausted(&self) -> bool {
        self.count > self.most
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_exhausted() {
            return Ok(0);
        }
        let read = self.inner.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}
