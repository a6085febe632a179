//! JPEG, as libjpeg-turbo 2.1.4 (in TensorFlow 2.12 to 2.21) reads it.
//!
//! By default the markers are walked: what libjpeg-turbo refuses, it refuses by them, or because the file ends. Damage in
//! a scan it never refuses; it goes on with other pixels. With `full` the scans' codes are decoded, not the pixels: a
//! scan that does not fit its frame is then told.
//!
//! Not the `zune-jpeg` or `jpeg-decoder` crate: what libjpeg-turbo tolerates is not what they tolerate.

mod bytes;
mod codes;
mod entropy;
mod frame;
mod scan;
mod tables;

use std::io::{self, Read, Seek, SeekFrom};

use crashlens_core::files::{Extent, Flaw, FlawKind, Image, NamedPart, Part};

use self::bytes::{Bytes, Marker};
use self::entropy::Coefficients;
use self::frame::{Frame, ScanHeader};
use self::scan::Scan;
use self::tables::{Kind, Tables};
use super::holds;
use crate::reading::Reading;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let size = reading.source.size();
    let limits = reading.options.limits;
    let decode = reading.options.full;
    reading.source.seek(SeekFrom::Start(0))?;
    let mut walk = Walk {
        bytes: Bytes::new(&mut reading.source),
        size,
        tables: Tables::default(),
        frame: None,
        latched: [false; 4],
        scans: 0,
        part: Part::Header.into(),
        flaws: Vec::new(),
        coefficients: decode.then(|| Coefficients::new(limits.memory)),
        most_pixels: limits.pixels,
    };
    let outcome = walk.run();
    let at = walk.bytes.position();
    let (frame, mut flaws, part) = (walk.frame, walk.flaws, walk.part);
    let decoded = walk.coefficients.is_some_and(|held| held.complete());
    match outcome {
        Ok(()) => {}
        Err(Stop::Refused(flaw)) => flaws.push(flaw),
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            flaws.push(flaw(
                FlawKind::CutShort,
                &part,
                at,
                "the file ends here, without an end marker",
            ));
        }
        Err(Stop::Io(error)) => return Err(error),
    }
    for flaw in flaws {
        reading.flaw_at(flaw.kind, flaw.part, flaw.at, flaw.detail);
    }
    if let Some(frame) = frame {
        let image = Image {
            width: frame.width,
            height: frame.height,
            channels: frame.components.len().min(3) as u8,
            bits: frame.precision,
            frames: 1,
            coding: frame.coding().to_owned(),
        };
        if holds(reading, image) && decoded {
            reading.facts.extent = Extent::Full;
        }
    }
    Ok(())
}

/// Why reading ends before the end.
enum Stop {
    Refused(Flaw),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn flaw(kind: FlawKind, part: impl Into<NamedPart>, at: u64, detail: impl Into<String>) -> Flaw {
    Flaw {
        kind,
        part: part.into(),
        at: Some(at),
        detail: detail.into(),
    }
}

fn refuse(part: impl Into<NamedPart>, at: u64, detail: impl Into<String>) -> Stop {
    Stop::Refused(flaw(FlawKind::Malformed, part, at, detail))
}

struct Walk<R> {
    bytes: Bytes<R>,
    size: u64,
    tables: Tables,
    frame: Option<Frame>,
    /// Components whose quantization table was found: it is asked for once.
    latched: [bool; 4],
    scans: u32,
    /// What is being read, as a noun.
    part: NamedPart,
    flaws: Vec<Flaw>,
    coefficients: Option<Coefficients>,
    most_pixels: u64,
}

impl<R: Read + Seek> Walk<R> {
    fn run(&mut self) -> Result<(), Stop> {
        // TensorFlow tells a JPEG by three bytes, libjpeg-turbo by the first two of them.
        if self.bytes.take(3)? != [0xFF, 0xD8, 0xFF] {
            return Err(refuse(
                Part::FirstBytes,
                0,
                "it does not begin with FF D8 FF",
            ));
        }
        self.bytes.back();
        let mut pending = None;
        loop {
            let marker = match pending.take() {
                Some(marker) => marker,
                None => self.next_marker()?,
            };
            match marker.code {
                0xD8 => return Err(refuse(Part::Markers, marker.at, "a second start of image")),
                0xD9 => return self.end(marker.at),
                0xDA => pending = Some(self.scan(marker.at)?),
                // Restarts and TEM stand alone, and are passed over.
                0x01 | 0xD0..=0xD7 => {}
                _ => self.segment(marker)?,
            }
        }
    }

    /// The next marker; what stands before it is passed over with a warning by libjpeg-turbo.
    fn next_marker(&mut self) -> Result<Marker, Stop> {
        let begin = self.bytes.position();
        self.part = Part::Markers.into();
        let marker = self.bytes.find_marker()?;
        // More than one FF may stand before a code, so that only a byte that is none counts.
        if marker.at > begin
            && self.scans == 0
            && !self.flaws.iter().any(|flaw| flaw.kind == FlawKind::Blemish)
        {
            let detail = format!("{} bytes stand between two segments", marker.at - begin);
            self.flaws
                .push(flaw(FlawKind::Blemish, Part::Markers, begin, detail));
        }
        Ok(marker)
    }

    fn segment(&mut self, Marker { code, at }: Marker) -> Result<(), Stop> {
        self.part = Part::Segment.number(format_args!("FF {code:02X}"));
        let declared = u16::from_be_bytes([self.bytes.byte()?, self.bytes.byte()?]);
        let length = usize::from(declared).saturating_sub(2);
        let part = self.part.clone();
        let malformed = |detail| refuse(&part, at, detail);
        // Only what is passed over may be shorter than its own length.
        if declared < 2 && !matches!(code, 0xDC | 0xE0..=0xEF | 0xFE) {
            return Err(malformed(format!("its length is {declared}")));
        }
        match code {
            0xC0 | 0xC1 | 0xC2 | 0xC9 | 0xCA => {
                let payload = self.bytes.take(length)?;
                if self.frame.is_some() {
                    return Err(malformed("a second frame begins".to_owned()));
                }
                self.frame = Some(Frame::of(code, &payload).map_err(malformed)?);
            }
            0xC4 => self
                .tables
                .huffman(&self.bytes.take(length)?)
                .map_err(malformed)?,
            0xCC => Tables::conditioning(&self.bytes.take(length)?).map_err(malformed)?,
            0xDB => self
                .tables
                .quantization(&self.bytes.take(length)?)
                .map_err(malformed)?,
            0xDD => self
                .tables
                .restarts(&self.bytes.take(length)?)
                .map_err(malformed)?,
            0xC3 | 0xC5..=0xC8 | 0xCB | 0xCD..=0xCF => {
                let detail = "it is lossless or hierarchical, which TensorFlow does not read";
                return Err(Stop::Refused(flaw(
                    FlawKind::Unsupported,
                    &part,
                    at,
                    detail,
                )));
            }
            // Application data, comments and the number of lines are passed over by their length.
            0xDC | 0xE0..=0xEF | 0xFE => self.bytes.skip(length as u64, self.size)?,
            _ => return Err(malformed(format!("there is no marker FF {code:02X}"))),
        }
        Ok(())
    }

    /// A scan with its codes; the marker behind them.
    fn scan(&mut self, at: u64) -> Result<Marker, Stop> {
        self.scans += 1;
        self.part = Part::Scan.number(self.scans);
        let part = self.part.clone();
        let malformed = |detail: String| refuse(&part, at, detail);
        let length = u16::from_be_bytes([self.bytes.byte()?, self.bytes.byte()?]);
        let Some(frame) = self.frame.clone() else {
            return Err(malformed("it comes before the frame".to_owned()));
        };
        let payload = self.bytes.take(usize::from(length).saturating_sub(2))?;
        let header = ScanHeader::of(&payload, &frame).map_err(malformed)?;
        if self.scans == 1 {
            if let Some((kind, detail)) = frame.complaint() {
                return Err(Stop::Refused(flaw(kind, Part::OnlyFrame, at, detail)));
            }
        } else if !frame.progressive && self.whole() {
            return Err(malformed("the frame was complete before it".to_owned()));
        }
        self.needs(&frame, &header).map_err(malformed)?;
        let pixels = u64::from(frame.width) * u64::from(frame.height);
        let coefficients = self
            .coefficients
            .as_mut()
            .filter(|_| pixels <= self.most_pixels);
        let mut scan = Scan {
            frame: &frame,
            header: &header,
            tables: &self.tables,
            part: &part,
            coefficients,
            flaws: &mut self.flaws,
        };
        Ok(scan.read(&mut self.bytes)?)
    }

    /// Whether the first scan had all components.
    fn whole(&self) -> bool {
        let components = self
            .frame
            .as_ref()
            .map_or(0, |frame| frame.components.len());
        self.latched.iter().filter(|latched| **latched).count() == components && self.scans == 2
    }

    /// Tables that a scan asks for, and what is refused in them.
    fn needs(&mut self, frame: &Frame, header: &ScanHeader) -> Result<(), String> {
        let mut blocks = 0;
        for &(place, ..) in &header.parts {
            let Some(component) = frame.components.get(place) else {
                continue;
            };
            blocks += u32::from(component.horizontal) * u32::from(component.vertical);
            let found = self
                .tables
                .quantization
                .get(usize::from(component.quantization));
            let latched = self.latched.get_mut(place);
            if found != Some(&true) && latched.as_ref().is_none_or(|latched| !**latched) {
                return Err(format!(
                    "quantization table {} is not there",
                    component.quantization
                ));
            }
            if let Some(latched) = latched {
                *latched = true;
            }
        }
        if header.parts.len() > 1 && blocks > 10 {
            return Err(format!("{blocks} blocks are interleaved; 10 are allowed"));
        }
        if frame.progressive
            && let Some(complaint) = header.progression()
        {
            return Err(complaint);
        }
        if frame.arithmetic {
            return Ok(());
        }
        header.parts.iter().try_for_each(|&(_, dc, ac)| {
            if header.uses(frame, Kind::Dc) {
                self.usable(frame, Kind::Dc, dc)?;
            }
            if header.uses(frame, Kind::Ac) {
                self.usable(frame, Kind::Ac, ac)?;
            }
            Ok(())
        })
    }

    fn usable(&self, frame: &Frame, kind: Kind, index: u8) -> Result<(), String> {
        let table = self
            .tables
            .find(kind, usize::from(index), !frame.progressive);
        let table = table.ok_or_else(|| format!("{kind:?} table {index} is not there"))?;
        table
            .complaint(kind == Kind::Dc)
            .map_or(Ok(()), |complaint| {
                Err(format!("{kind:?} table {index}: {complaint}"))
            })
    }

    /// The end marker; bytes behind it are nobody's.
    fn end(&mut self, at: u64) -> Result<(), Stop> {
        if self.scans == 0 {
            return Err(refuse(Part::Markers, at, "it ends before any scan"));
        }
        let over = self.size.saturating_sub(self.bytes.position());
        if over > 0 {
            let detail = format!("{over} bytes follow the end marker");
            self.flaws
                .push(flaw(FlawKind::TrailingBytes, Part::End, at + 2, detail));
        }
        Ok(())
    }
}
