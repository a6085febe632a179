//! Tables of a JPEG file: quantization, Huffman codes, conditioning; what libjpeg-turbo refuses in them.

/// Most tables of a kind.
pub(super) const TABLES: usize = 4;
const BLOCK: usize = 64;

/// Lengths and values of a Huffman table, as they stand in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Huffman {
    pub(super) counts: [u8; 16],
    pub(super) values: Vec<u8>,
}

impl Huffman {
    /// What is wrong with the codes, which is asked only when a scan uses them.
    pub(super) fn complaint(&self, for_dc: bool) -> Option<String> {
        let mut code: u32 = 0;
        for (bits, &count) in (1..).zip(&self.counts) {
            code += u32::from(count);
            // A code of nothing but ones is allowed to nobody.
            if count > 0 && code > (1u32 << bits) - 1 {
                return Some(format!(
                    "it has more codes of {bits} bits than there can be"
                ));
            }
            code <<= 1;
        }
        let wide = self.values.iter().find(|value| for_dc && **value > 15);
        wide.map(|value| format!("a value of {value} bits cannot be a difference of DC"))
    }
}

/// Everything that segments before a scan set.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) dc: [Option<Huffman>; TABLES],
    pub(super) ac: [Option<Huffman>; TABLES],
    pub(super) quantization: [bool; TABLES],
    pub(super) restart_interval: u32,
}

type Complaint = Result<(), String>;

impl Tables {
    /// A segment of Huffman tables.
    pub(super) fn huffman(&mut self, mut payload: &[u8]) -> Complaint {
        while payload.len() > 16 {
            let Some((&[index, ref counts @ ..], rest)) = payload.split_first_chunk::<17>() else {
                break;
            };
            let number = counts
                .iter()
                .map(|count| usize::from(*count))
                .sum::<usize>();
            if number > 256 || number > rest.len() {
                return Err(format!(
                    "a Huffman table declares {number} values, and {} bytes are left",
                    rest.len()
                ));
            }
            let (values, rest) = rest.split_at(number);
            let kind = if index & 0x10 == 0 {
                &mut self.dc
            } else {
                &mut self.ac
            };
            let place = kind.get_mut(usize::from(index & !0x10));
            *place.ok_or_else(|| format!("there is no Huffman table {index:#04x}"))? =
                Some(Huffman {
                    counts: *counts,
                    values: values.to_vec(),
                });
            payload = rest;
        }
        used_up(payload)
    }

    /// A segment of quantization tables.
    pub(super) fn quantization(&mut self, mut payload: &[u8]) -> Complaint {
        while let Some((&index, rest)) = payload.split_first() {
            let place = self.quantization.get_mut(usize::from(index & 0x0F));
            *place.ok_or_else(|| format!("there is no quantization table {}", index & 0x0F))? =
                true;
            let length = if index >> 4 == 0 { BLOCK } else { 2 * BLOCK };
            payload = rest.get(length..).ok_or_else(|| {
                format!(
                    "a quantization table needs {length} bytes, and {} are left",
                    rest.len()
                )
            })?;
        }
        Ok(())
    }

    /// A segment of conditioning for arithmetic coding.
    pub(super) fn conditioning(payload: &[u8]) -> Complaint {
        let (pairs, rest) = payload.as_chunks::<2>();
        for &[index, value] in pairs {
            if index >= 32 {
                return Err(format!("there is no arithmetic table {index}"));
            }
            if index < 16 && value & 0x0F > value >> 4 {
                return Err(format!(
                    "the bounds of arithmetic table {index} are {value:#04x}"
                ));
            }
        }
        used_up(rest)
    }

    /// A segment with the restart interval.
    pub(super) fn restarts(&mut self, payload: &[u8]) -> Complaint {
        let bytes: [u8; 2] = payload
            .try_into()
            .map_err(|_| format!("it has {} bytes instead of 2", payload.len()))?;
        self.restart_interval = u32::from(u16::from_be_bytes(bytes));
        Ok(())
    }

    /// A table that a scan names. libjpeg-turbo uses those of the standard where a sequential file has none, as frames
    /// of Motion JPEG do.
    pub(super) fn find(&self, kind: Kind, index: usize, or_standard: bool) -> Option<Huffman> {
        let stored = match kind {
            Kind::Dc => self.dc.get(index),
            Kind::Ac => self.ac.get(index),
        };
        let stored = stored.cloned().flatten();
        stored.or_else(|| standard(kind, index).filter(|_| or_standard))
    }
}

/// What a Huffman table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Dc,
    Ac,
}

fn used_up(rest: &[u8]) -> Complaint {
    if rest.is_empty() {
        Ok(())
    } else {
        Err(format!("{} bytes of it belong to no table", rest.len()))
    }
}

/// The tables of the standard's Annex K, for those that a file leaves out. Only the lengths of the codes are told there
/// in a few numbers; the order of the AC values is long, so that such a file's scan is not decoded.
fn standard(kind: Kind, index: usize) -> Option<Huffman> {
    let counts = match (kind, index) {
        (Kind::Dc, 0) => [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
        (Kind::Dc, 1) => [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
        (Kind::Ac, 0 | 1) => return Some(Huffman::default()),
        _ => return None,
    };
    Some(Huffman {
        counts,
        values: (0..12).collect(),
    })
}
