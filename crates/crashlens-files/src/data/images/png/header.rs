//! The header of a PNG file, and what libpng and TensorFlow refuse in it.

use crashlens_core::files::Image;

/// libpng refuses more rows or columns.
const MOST_SIDE: u32 = 1_000_000;
/// TensorFlow refuses as many pixels or more.
const MOST_PIXELS: u64 = 1 << 29;
const PALETTE: u8 = 3;

pub(super) struct Header {
    width: u32,
    height: u32,
    bits: u8,
    colour: u8,
    interlaced: bool,
}

impl Header {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, String> {
        let Ok(
            [
                w0,
                w1,
                w2,
                w3,
                h0,
                h1,
                h2,
                h3,
                bits,
                colour,
                compression,
                filter,
                interlace,
            ],
        ) = <[u8; 13]>::try_from(bytes)
        else {
            return Err(format!("it has {} bytes instead of 13", bytes.len()));
        };
        let width = u32::from_be_bytes([w0, w1, w2, w3]);
        let height = u32::from_be_bytes([h0, h1, h2, h3]);
        if width == 0 || height == 0 || width > MOST_SIDE || height > MOST_SIDE {
            return Err(format!(
                "it declares {width} by {height} pixels; a side has 1 to {MOST_SIDE}"
            ));
        }
        let known = matches!(
            (colour, bits),
            (0, 1 | 2 | 4 | 8 | 16) | (PALETTE, 1 | 2 | 4 | 8) | (2 | 4 | 6, 8 | 16)
        );
        if !known || compression != 0 || filter != 0 || interlace > 1 {
            return Err(format!(
                "there is no image of {bits} bits, colour type {colour}, compression {compression}, filter {filter}, interlace {interlace}"
            ));
        }
        Ok(Self {
            width,
            height,
            bits,
            colour,
            interlaced: interlace == 1,
        })
    }

    pub(super) fn is_palette(&self) -> bool {
        self.colour == PALETTE
    }

    /// What TensorFlow refuses, although libpng does not.
    pub(super) fn too_large(&self) -> Option<String> {
        let pixels = u64::from(self.width) * u64::from(self.height);
        (pixels >= MOST_PIXELS).then(|| {
            format!(
                "it declares {} by {} pixels; TensorFlow takes less than {MOST_PIXELS}",
                self.width, self.height
            )
        })
    }

    /// Samples of a pixel in the file.
    fn samples(&self) -> u8 {
        match self.colour {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        }
    }

    pub(super) fn image(&self) -> Image {
        let words = [
            (self.is_palette(), "palette"),
            (self.interlaced, "interlaced"),
        ];
        let words = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
        Image {
            width: self.width,
            height: self.height,
            channels: if self.is_palette() { 3 } else { self.samples() },
            bits: self.bits,
            frames: 1,
            coding: words.collect::<Vec<_>>().join(" "),
        }
    }

    /// Rows and the bytes of each with its filter, pass for pass.
    pub(super) fn passes(&self) -> Vec<(u64, u64)> {
        const ADAM7: [(u32, u32, u32, u32); 7] = [
            (0, 0, 8, 8),
            (4, 0, 8, 8),
            (0, 4, 4, 8),
            (2, 0, 4, 4),
            (0, 2, 2, 4),
            (1, 0, 2, 2),
            (0, 1, 1, 2),
        ];
        let whole = [(0, 0, 1, 1)];
        let passes = if self.interlaced {
            &ADAM7[..]
        } else {
            &whole[..]
        };
        let along =
            |side: u32, from: u32, step: u32| u64::from(side.saturating_sub(from).div_ceil(step));
        let pixel = u64::from(self.bits) * u64::from(self.samples());
        passes
            .iter()
            .map(|&(x, y, across, down)| {
                let columns = along(self.width, x, across);
                (
                    along(self.height, y, down),
                    columns,
                    (columns * pixel).div_ceil(8) + 1,
                )
            })
            .filter(|(rows, columns, _)| *rows > 0 && *columns > 0)
            .map(|(rows, _, bytes)| (rows, bytes))
            .collect()
    }
}
