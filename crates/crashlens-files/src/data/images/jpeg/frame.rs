//! The frame of a JPEG file: its size and components, and what libjpeg-turbo and TensorFlow refuse in them.

use crashlens_core::files::FlawKind;

use super::tables::Kind;

/// libjpeg-turbo refuses more rows or columns.
const MOST_SIDE: u32 = 65_500;
/// TensorFlow refuses as many samples or more.
const MOST_SAMPLES: u64 = 1 << 29;

/// One component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component {
    pub(super) id: u8,
    pub(super) horizontal: u8,
    pub(super) vertical: u8,
    pub(super) quantization: u8,
}

/// What the start of the frame says.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) progressive: bool,
    pub(super) arithmetic: bool,
    pub(super) precision: u8,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) components: Vec<Component>,
}

impl Frame {
    /// Of the segment behind `FF Cx`.
    pub(super) fn of(code: u8, payload: &[u8]) -> Result<Self, String> {
        let [precision, h0, h1, w0, w1, count, rest @ ..] = payload else {
            return Err(format!("it has {} bytes", payload.len()));
        };
        let (width, height) = (
            u16::from_be_bytes([*w0, *w1]),
            u16::from_be_bytes([*h0, *h1]),
        );
        if width == 0 || height == 0 || *count == 0 {
            return Err(format!(
                "it declares {width} by {height} pixels of {count} components"
            ));
        }
        let (components, over) = rest.as_chunks::<3>();
        if !over.is_empty() || components.len() != usize::from(*count) {
            return Err(format!(
                "it declares {count} components in {} bytes",
                rest.len()
            ));
        }
        let component = |&[id, sampling, quantization]: &[u8; 3]| Component {
            id,
            horizontal: sampling >> 4,
            vertical: sampling & 0x0F,
            quantization,
        };
        Ok(Self {
            progressive: matches!(code, 0xC2 | 0xCA),
            arithmetic: matches!(code, 0xC9 | 0xCA),
            precision: *precision,
            width: u32::from(width),
            height: u32::from(height),
            components: components.iter().map(component).collect(),
        })
    }

    /// What is refused when the first scan begins.
    pub(super) fn complaint(&self) -> Option<(FlawKind, String)> {
        let count = self.components.len();
        let samples = u64::from(self.width) * u64::from(self.height) * count as u64;
        let factors = 1..=4;
        if self.width > MOST_SIDE || self.height > MOST_SIDE {
            let detail = format!(
                "it declares {} by {} pixels; a side has at most {MOST_SIDE}",
                self.width, self.height
            );
            Some((FlawKind::TooLarge, detail))
        } else if self.precision != 8 {
            let detail = format!("a sample has {} bits, not 8", self.precision);
            Some((FlawKind::Unsupported, detail))
        } else if !matches!(count, 1 | 3 | 4) {
            let detail = format!("it has {count} components; TensorFlow takes 1, 3 and 4");
            Some((FlawKind::Unsupported, detail))
        } else if self
            .components
            .iter()
            .any(|part| !factors.contains(&part.horizontal) || !factors.contains(&part.vertical))
        {
            let detail = "a component's sampling factor is not 1 to 4";
            Some((FlawKind::Malformed, detail.to_owned()))
        } else if samples >= MOST_SAMPLES {
            let detail = format!(
                "it declares {} by {} pixels of {count} components; TensorFlow takes less than {MOST_SAMPLES} samples",
                self.width, self.height
            );
            Some((FlawKind::TooLarge, detail))
        } else if self.components.iter().any(|part| {
            !self.most_horizontal().is_multiple_of(part.horizontal)
                || !self.most_vertical().is_multiple_of(part.vertical)
        }) {
            let detail = "a component's sampling is no whole part of the greatest";
            Some((FlawKind::Unsupported, detail.to_owned()))
        } else {
            None
        }
    }

    pub(super) fn most_horizontal(&self) -> u8 {
        let factors = self.components.iter().map(|part| part.horizontal);
        factors.max().unwrap_or(1).max(1)
    }

    pub(super) fn most_vertical(&self) -> u8 {
        let factors = self.components.iter().map(|part| part.vertical);
        factors.max().unwrap_or(1).max(1)
    }

    /// Columns and rows of a component's blocks that hold pixels.
    pub(super) fn blocks(&self, component: Component) -> (u32, u32) {
        let along = |side: u32, factor: u8, most: u8| {
            (side * u32::from(factor)).div_ceil(u32::from(most) * 8)
        };
        (
            along(self.width, component.horizontal, self.most_horizontal()),
            along(self.height, component.vertical, self.most_vertical()),
        )
    }

    /// Columns and rows of minimum coded units of a scan that interleaves components.
    pub(super) fn units(&self) -> (u32, u32) {
        (
            self.width.div_ceil(u32::from(self.most_horizontal()) * 8),
            self.height.div_ceil(u32::from(self.most_vertical()) * 8),
        )
    }

    /// In a word.
    pub(super) fn coding(&self) -> &'static str {
        if self.components.len() == 4 {
            "cmyk"
        } else if self.arithmetic {
            "arithmetic"
        } else if self.progressive {
            "progressive"
        } else {
            "baseline"
        }
    }
}

/// What the start of a scan says.
#[derive(Debug, Clone)]
pub(super) struct ScanHeader {
    /// Places in the frame's list of components, with their DC and AC tables.
    pub(super) parts: Vec<(usize, u8, u8)>,
    pub(super) first: u8,
    pub(super) last: u8,
    pub(super) high: u8,
    pub(super) low: u8,
}

impl ScanHeader {
    /// Of the segment behind `FF DA`, in the way libjpeg-turbo matches names of components.
    pub(super) fn of(payload: &[u8], frame: &Frame) -> Result<Self, String> {
        let Some((&count, rest)) = payload.split_first() else {
            return Err("it is empty".to_owned());
        };
        let named = rest.get(..2 * usize::from(count)).unwrap_or_default();
        let (pairs, _) = named.as_chunks::<2>();
        let &[first, last, approximation] = rest.get(named.len()..).unwrap_or_default() else {
            return Err(format!(
                "it names {count} components in {} bytes",
                payload.len()
            ));
        };
        if !(1..=4).contains(&count) || pairs.len() != usize::from(count) {
            return Err(format!(
                "it names {count} components in {} bytes",
                payload.len()
            ));
        }
        let mut parts: Vec<(usize, u8, u8)> = Vec::new();
        for &[id, tables] in pairs {
            // Several components may bear one name: the next that is not taken is meant.
            let mut left = frame
                .components
                .iter()
                .enumerate()
                .take(4)
                .skip(parts.len());
            let place = left
                .find_map(|(place, component)| (component.id == id).then_some(place))
                .filter(|place| parts.iter().all(|(taken, ..)| taken != place));
            let place =
                place.ok_or_else(|| format!("it names component {id}, which is not there"))?;
            parts.push((place, tables >> 4, tables & 0x0F));
        }
        Ok(Self {
            parts,
            first,
            last,
            high: approximation >> 4,
            low: approximation & 0x0F,
        })
    }

    /// Whether it has codes of such a table.
    pub(super) fn uses(&self, frame: &Frame, kind: Kind) -> bool {
        !frame.progressive
            || match kind {
                Kind::Dc => self.first == 0 && self.high == 0,
                Kind::Ac => self.first != 0,
            }
    }

    /// What is refused in a scan of a progressive file.
    pub(super) fn progression(&self) -> Option<String> {
        let dc = self.first == 0;
        let bad = if dc {
            self.last != 0
        } else {
            self.first > self.last || self.last > 63 || self.parts.len() != 1
        };
        let refined = self.high != 0 && self.low != self.high - 1;
        (bad || refined || self.low > 13).then(|| {
            format!(
                "its coefficients {} to {}, bits {} to {}, are no step of a progression",
                self.first, self.last, self.high, self.low
            )
        })
    }
}
