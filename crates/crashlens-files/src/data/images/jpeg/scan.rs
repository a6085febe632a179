//! The codes of one scan: where they end, and whether their restart markers are in order.

use std::io::{self, Read, Seek};
use std::ops::Range;

use crashlens_core::files::{Flaw, FlawKind, NamedPart};

use super::bytes::{Bytes, Marker};
use super::entropy::{Coefficients, Decoder};
use super::flaw;
use super::frame::{Frame, ScanHeader};
use super::tables::Tables;

pub(super) struct Scan<'a> {
    pub(super) frame: &'a Frame,
    pub(super) header: &'a ScanHeader,
    pub(super) tables: &'a Tables,
    pub(super) part: &'a NamedPart,
    /// Set where the codes are decoded.
    pub(super) coefficients: Option<&'a mut Coefficients>,
    pub(super) flaws: &'a mut Vec<Flaw>,
}

/// What libjpeg-turbo does with a marker that is not the restart it waits for.
#[derive(Debug, PartialEq, Eq)]
enum Resync {
    /// Takes it for the restart.
    Take,
    /// Looks for the next marker.
    Pass,
    /// Leaves it there, and fills the interval with nothing.
    Leave,
}

fn resync(code: u8, expected: u8) -> Resync {
    match code {
        0..0xC0 => Resync::Pass,
        0xD0..=0xD7 => match (code & 7).wrapping_sub(expected) & 7 {
            1 | 2 => Resync::Leave,
            6 | 7 => Resync::Pass,
            _ => Resync::Take,
        },
        _ => Resync::Leave,
    }
}

impl Scan<'_> {
    /// Reads to the marker that ends the scan for libjpeg-turbo.
    pub(super) fn read<R: Read + Seek>(&mut self, bytes: &mut Bytes<R>) -> io::Result<Marker> {
        let units = self.units();
        let interval = u64::from(self.tables.restart_interval);
        let restarts = units.saturating_sub(1).checked_div(interval).unwrap_or(0);
        let mut decoder = self
            .coefficients
            .take()
            .and_then(|held| Decoder::new(self.frame, self.header, self.tables, held));
        let mut left = units;
        for restart in 0..restarts {
            left -= interval;
            let mut marker = self.interval(bytes, &mut decoder, interval, restart)?;
            let expected = (restart & 7) as u8;
            while marker.code != 0xD0 + expected {
                self.disorder(marker, expected);
                decoder = None;
                match resync(marker.code, expected) {
                    Resync::Take => break,
                    Resync::Pass => marker = bytes.find_marker()?,
                    Resync::Leave => return starve(bytes, marker, restart + 1..restarts),
                }
            }
        }
        let marker = self.interval(bytes, &mut decoder, left, restarts)?;
        self.ends_early(marker);
        Ok(marker)
    }

    /// Reads from a restart to the marker behind it.
    fn interval<R: Read + Seek>(
        &mut self,
        bytes: &mut Bytes<R>,
        decoder: &mut Option<Decoder<'_>>,
        units: u64,
        restart: u64,
    ) -> io::Result<Marker> {
        if let Some(active) = decoder.as_mut() {
            let outcome = active.interval(bytes, units)?;
            if let Some(detail) = &outcome.misfit {
                let at = outcome.marker.map_or(bytes.position(), |marker| marker.at);
                let behind = (restart > 0).then(|| format!("behind restart {restart}, "));
                let detail = format!("{}{detail}", behind.unwrap_or_default());
                self.contradicts(at, detail);
                *decoder = None;
            }
            if let Some(marker) = outcome.marker {
                return Ok(marker);
            }
        }
        bytes.find_marker()
    }

    /// Minimum coded units of the scan.
    fn units(&self) -> u64 {
        let (columns, rows) = match self.header.parts.as_slice() {
            [(place, ..)] => self
                .frame
                .components
                .get(*place)
                .map_or((0, 0), |component| self.frame.blocks(*component)),
            _ => self.frame.units(),
        };
        u64::from(columns) * u64::from(rows)
    }

    fn disorder(&mut self, marker: Marker, expected: u8) {
        let detail = format!(
            "marker FF {:02X} stands where restart {expected} is due",
            marker.code
        );
        self.contradicts(marker.at, detail);
    }

    /// A restart marker that nothing declares ends the scan for libjpeg-turbo.
    fn ends_early(&mut self, marker: Marker) {
        if (0xD0..=0xD7).contains(&marker.code) && self.tables.restart_interval == 0 {
            let detail = "a restart marker stands in it, and none is declared";
            self.contradicts(marker.at, detail.to_owned());
        }
    }

    fn contradicts(&mut self, at: u64, detail: String) {
        if !self
            .flaws
            .iter()
            .any(|flaw| flaw.kind == FlawKind::Contradiction)
        {
            self.flaws
                .push(flaw(FlawKind::Contradiction, self.part, at, detail));
        }
    }
}

/// A marker stands in the way: intervals are empty until it is the one that is waited for.
fn starve<R: Read + Seek>(
    bytes: &mut Bytes<R>,
    mut marker: Marker,
    restarts: Range<u64>,
) -> io::Result<Marker> {
    for restart in restarts {
        // Only another restart can ever be waited for.
        if !(0xD0..=0xD7).contains(&marker.code) {
            break;
        }
        let expected = (restart & 7) as u8;
        while resync(marker.code, expected) == Resync::Pass {
            marker = bytes.find_marker()?;
        }
        if resync(marker.code, expected) == Resync::Take {
            marker = bytes.find_marker()?;
        }
    }
    Ok(marker)
}
