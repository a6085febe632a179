//! The coefficients of a scan, as far as their codes depend on them: whether the codes fit the frame.
//!
//! No pixel is made. A scan whose codes end before the blocks do, go on behind them, or are none of its tables, is not
//! the one that was written.

use std::io::{self, Read, Seek};

use super::bytes::{Bytes, Marker};
use super::codes::{Bits, Codes};
use super::frame::{Frame, ScanHeader};
use super::tables::{Kind, Tables};

/// Which coefficients of each block are not zero: refining scans have a bit for each of those.
pub(super) struct Coefficients {
    masks: [Vec<u64>; 4],
    most: u64,
    skipped: bool,
    scans: u32,
}

impl Coefficients {
    pub(super) fn new(most: u64) -> Self {
        Self {
            masks: Default::default(),
            most,
            skipped: false,
            scans: 0,
        }
    }

    /// Whether there was a scan, and each was decoded.
    pub(super) fn complete(&self) -> bool {
        self.scans > 0 && !self.skipped
    }

    /// Makes room; not where that is more than allowed.
    fn make_room(&mut self, place: usize, blocks: u64) -> Option<()> {
        let held: u64 = self.masks.iter().map(|mask| 8 * mask.len() as u64).sum();
        let mask = self.masks.get_mut(place)?;
        if mask.is_empty() {
            if held + 8 * blocks > self.most {
                return None;
            }
            mask.resize(blocks as usize, 0);
        }
        Some(())
    }
}

/// What came of an interval.
pub(super) struct Outcome {
    /// The marker that was met already.
    pub(super) marker: Option<Marker>,
    /// Why the codes do not fit, as a sentence without its end.
    pub(super) misfit: Option<String>,
}

/// One component in the scan.
struct Part {
    place: usize,
    dc: Option<Codes>,
    ac: Option<Codes>,
    blocks: u32,
}

pub(super) struct Decoder<'a> {
    parts: Vec<Part>,
    header: &'a ScanHeader,
    progressive: bool,
    held: &'a mut Coefficients,
    /// The block that comes next, in a scan of one component.
    next: usize,
    end_of_band: u32,
    bits: Bits,
}

/// A code that cannot be, in words.
type Step = Result<(), &'static str>;

impl<'a> Decoder<'a> {
    /// `None` where it cannot be decoded here: arithmetic coding, tables that are not in the file, too many blocks.
    pub(super) fn new(
        frame: &Frame,
        header: &'a ScanHeader,
        tables: &Tables,
        held: &'a mut Coefficients,
    ) -> Option<Self> {
        held.scans += 1;
        let parts = header.parts.iter().map(|&(place, dc, ac)| {
            let codes = |kind, index: u8| {
                let used = header.uses(frame, kind);
                let table = tables.find(kind, usize::from(index), false);
                (!used || table.is_some())
                    .then(|| table.filter(|_| used).map(|table| Codes::new(&table)))
            };
            let component = frame.components.get(place)?;
            let alone = header.parts.len() == 1;
            if frame.progressive && header.first != 0 {
                let (columns, rows) = frame.blocks(*component);
                held.make_room(place, u64::from(columns) * u64::from(rows))?;
            }
            Some(Part {
                place,
                dc: codes(Kind::Dc, dc)?,
                ac: codes(Kind::Ac, ac)?,
                blocks: if alone {
                    1
                } else {
                    u32::from(component.horizontal) * u32::from(component.vertical)
                },
            })
        });
        let parts: Option<Vec<Part>> = parts.collect();
        held.skipped |= frame.arithmetic || parts.is_none();
        Some(Self {
            parts: parts.filter(|_| !frame.arithmetic)?,
            header,
            progressive: frame.progressive,
            held,
            next: 0,
            end_of_band: 0,
            bits: Bits::default(),
        })
    }

    /// Decodes so many units, from a restart to the next.
    pub(super) fn interval<R: Read + Seek>(
        &mut self,
        bytes: &mut Bytes<R>,
        units: u64,
    ) -> io::Result<Outcome> {
        self.bits = Bits::default();
        self.end_of_band = 0;
        let mut misfit = None;
        for unit in 0..units {
            if let Err(complaint) = self.unit(bytes)? {
                misfit = Some(format!("unit {unit} of {units} {complaint}"));
                break;
            }
            if self.bits.starved {
                misfit = Some(format!("its codes end in unit {unit} of {units}"));
                break;
            }
        }
        if misfit.is_none() && units > 0 {
            misfit = self.over(bytes)?;
        }
        Ok(Outcome {
            marker: self.bits.marker,
            misfit,
        })
    }

    /// Bytes that are left before the marker. A few, or zeros, are how some encoders fill up.
    fn over<R: Read + Seek>(&mut self, bytes: &mut Bytes<R>) -> io::Result<Option<String>> {
        let mut over = u64::from(self.bits.unused());
        if self.bits.marker.is_none() {
            let begin = bytes.position();
            let marker = bytes.find_marker()?;
            over += marker.at.saturating_sub(begin);
            self.bits.marker = Some(marker);
        }
        Ok((over > 2).then(|| format!("{over} bytes of codes are left behind the last unit")))
    }

    fn unit<R: Read + Seek>(&mut self, bytes: &mut Bytes<R>) -> io::Result<Step> {
        let Self {
            parts,
            header,
            progressive,
            held,
            next,
            end_of_band,
            bits,
        } = self;
        for part in parts {
            for _ in 0..part.blocks {
                let step = if !*progressive {
                    sequential(bits, bytes, part)?
                } else if header.first == 0 {
                    first_coefficient(bits, bytes, part)?
                } else {
                    let mask = held.masks.get_mut(part.place);
                    let Some((mask, codes)) = mask
                        .and_then(|mask| mask.get_mut(*next))
                        .zip(part.ac.as_ref())
                    else {
                        continue;
                    };
                    let mut band = Band {
                        bits,
                        codes,
                        mask,
                        idle: end_of_band,
                        last: u32::from(header.last),
                    };
                    if header.high == 0 {
                        band.begin(bytes, u32::from(header.first))?
                    } else {
                        band.refine(bytes, u32::from(header.first))?
                    }
                };
                if step.is_err() {
                    return Ok(step);
                }
            }
        }
        self.next += 1;
        Ok(Ok(()))
    }
}

const NO_CODE: &str = "has a code that is in no table";
const TOO_FAR: &str = "has more than 64 coefficients";

/// A block of a sequential scan.
#[inline]
fn sequential<R: Read + Seek>(
    bits: &mut Bits,
    bytes: &mut Bytes<R>,
    part: &Part,
) -> io::Result<Step> {
    let (Some(dc), Some(ac)) = (&part.dc, &part.ac) else {
        return Ok(Ok(()));
    };
    let Some(size) = bits.value(bytes, dc)? else {
        return Ok(Err(NO_CODE));
    };
    bits.take(bytes, u32::from(size.min(16)))?;
    let mut place = 1;
    while place < 64 {
        let Some(value) = bits.value(bytes, ac)? else {
            return Ok(Err(NO_CODE));
        };
        let (run, size) = (u32::from(value >> 4), u32::from(value & 15));
        if size == 0 {
            if run != 15 {
                break;
            }
            place += 16;
            continue;
        }
        place += run;
        if place > 63 {
            return Ok(Err(TOO_FAR));
        }
        bits.take(bytes, size)?;
        place += 1;
    }
    Ok(Ok(()))
}

/// A block of a progressive scan of first coefficients: a difference, or one more bit.
fn first_coefficient<R: Read + Seek>(
    bits: &mut Bits,
    bytes: &mut Bytes<R>,
    part: &Part,
) -> io::Result<Step> {
    let Some(dc) = &part.dc else {
        bits.take(bytes, 1)?;
        return Ok(Ok(()));
    };
    let Some(size) = bits.value(bytes, dc)? else {
        return Ok(Err(NO_CODE));
    };
    bits.take(bytes, u32::from(size.min(16)))?;
    Ok(Ok(()))
}

/// The other coefficients of a block in a progressive scan.
struct Band<'a> {
    bits: &'a mut Bits,
    codes: &'a Codes,
    mask: &'a mut u64,
    /// Blocks that have nothing more.
    idle: &'a mut u32,
    last: u32,
}

impl Band<'_> {
    /// Their upper bits.
    fn begin<R: Read + Seek>(&mut self, bytes: &mut Bytes<R>, mut place: u32) -> io::Result<Step> {
        if *self.idle > 0 {
            *self.idle -= 1;
            return Ok(Ok(()));
        }
        while place <= self.last {
            let Some(value) = self.bits.value(bytes, self.codes)? else {
                return Ok(Err(NO_CODE));
            };
            let (run, size) = (u32::from(value >> 4), u32::from(value & 15));
            if size == 0 && run != 15 {
                *self.idle = (1 << run) - 1 + self.bits.take(bytes, run)?;
                break;
            }
            place += run;
            if size > 0 {
                if place > 63 {
                    return Ok(Err(TOO_FAR));
                }
                self.bits.take(bytes, size)?;
                *self.mask |= 1 << place;
            }
            place += 1;
        }
        Ok(Ok(()))
    }

    /// One more bit of each.
    fn refine<R: Read + Seek>(&mut self, bytes: &mut Bytes<R>, mut place: u32) -> io::Result<Step> {
        if *self.idle == 0 {
            while place <= self.last {
                let Some(value) = self.bits.value(bytes, self.codes)? else {
                    return Ok(Err(NO_CODE));
                };
                let (run, size) = (u32::from(value >> 4), u32::from(value & 15));
                if size > 1 {
                    return Ok(Err("refines a coefficient by more than a bit"));
                }
                if size == 0 && run != 15 {
                    *self.idle = (1 << run) + self.bits.take(bytes, run)?;
                    break;
                }
                self.bits.take(bytes, size)?;
                place = self.pass(bytes, place, run)?;
                if size > 0 {
                    if place > 63 {
                        return Ok(Err(TOO_FAR));
                    }
                    *self.mask |= 1 << place;
                }
                place += 1;
            }
        }
        if *self.idle > 0 {
            self.pass(bytes, place, u32::MAX)?;
            *self.idle -= 1;
        }
        Ok(Ok(()))
    }

    /// Passes so many zeros, with a bit for each coefficient between them; the place of the zero behind.
    fn pass<R: Read + Seek>(
        &mut self,
        bytes: &mut Bytes<R>,
        mut place: u32,
        mut zeros: u32,
    ) -> io::Result<u32> {
        while place <= self.last {
            if *self.mask >> place & 1 == 1 {
                self.bits.take(bytes, 1)?;
            } else if zeros == 0 {
                break;
            } else {
                zeros -= 1;
            }
            place += 1;
        }
        Ok(place)
    }
}
