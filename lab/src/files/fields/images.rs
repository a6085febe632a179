//! Those of images.

use super::super::mutation::Mutation;
use super::super::seal::{png_chunks, u32_le};
use super::{edit, sealed};

fn u16_be(bytes: &[u8], at: usize) -> Option<u16> {
    let word = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes(word.try_into().ok()?))
}

pub fn jpeg(bytes: &[u8]) -> Vec<Mutation> {
    let mut planned = Vec::new();
    let mut at = 2;
    while let (Some([0xff, marker]), Some(length)) = (bytes.get(at..at + 2), u16_be(bytes, at + 2))
    {
        planned.push(Mutation::Cut(at));
        match marker {
            0xc0..=0xc2 | 0xc9 | 0xca => planned.extend(jpeg_frame(bytes, at)),
            // Components, their tables, and the spectral selection of a scan.
            0xda => {
                planned.push(edit(at + 4, [0]));
                planned.push(edit(at + 6, [0x33]));
                planned.push(edit(at + usize::from(length) - 1, [0x40]));
                break;
            }
            // A table with one that does not exist.
            0xc4 | 0xdb => planned.push(edit(at + 4, [0x07])),
            _ => {}
        }
        planned.push(edit(at + 2, length.wrapping_add(1).to_be_bytes()));
        at += 2 + usize::from(length);
    }
    planned
}

fn jpeg_frame(bytes: &[u8], at: usize) -> Vec<Mutation> {
    let (Some(height), Some(width)) = (u16_be(bytes, at + 5), u16_be(bytes, at + 7)) else {
        return Vec::new();
    };
    let sizes = [
        (65_500, 65_500),
        (30_000, 30_000),
        (height, 65_500),
        (0, width),
        (height, 0),
        (height, width + 1),
        (height + 16, width + 8),
        (height - 16, width),
    ];
    let mut planned: Vec<_> = sizes
        .iter()
        .map(|(high, wide)| edit(at + 5, [high.to_be_bytes(), wide.to_be_bytes()].concat()))
        .collect();
    let kind = if bytes[at + 1] == 0xc0 { 0xc2 } else { 0xc0 };
    planned.push(edit(at + 1, [kind]));
    planned.push(edit(at + 1, [0xc3]));
    planned.push(edit(at + 4, [12]));
    planned.push(edit(at + 9, [4]));
    planned.push(edit(at + 11, [0x41]));
    planned.push(edit(at + 12, [9]));
    planned
}

pub fn png(bytes: &[u8]) -> Vec<Mutation> {
    let mut planned = Vec::new();
    let width = u32::from_be_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]);
    let height = u32::from_be_bytes([bytes[20], bytes[21], bytes[22], bytes[23]]);
    let most = u32::MAX >> 1;
    let sizes = [
        (65_535, 65_535),
        (30_000, 30_000),
        (most, most),
        (1, most),
        (0, 0),
        (width, 100_000_000),
        (width + 1, height),
        (width, height + 1),
        (width, height - 1),
    ];
    for (wide, high) in sizes {
        let size = [wide.to_be_bytes(), high.to_be_bytes()].concat();
        planned.push(sealed(16, size));
    }
    for kind in [[16, 2], [8, 6], [8, 0], [3, 2], [8, 3]] {
        planned.push(sealed(24, kind));
    }
    planned.push(sealed(26, [1]));
    planned.push(sealed(28, [u8::from(bytes[28] == 0)]));
    for (begin, length) in png_chunks(bytes) {
        planned.push(Mutation::Cut(begin - 8));
        // As if it were one that no reader knows, and as if it were one that all have to.
        planned.push(sealed(begin - 4, *b"vpAg"));
        planned.push(sealed(begin - 4, *b"XPAG"));
        let longer = u32::try_from(length + 1).unwrap_or(0).to_be_bytes();
        planned.push(edit(begin - 8, longer));
        planned.push(Mutation::Delete {
            at: begin - 8,
            length: length + 12,
        });
    }
    planned
}

pub fn gif(bytes: &[u8]) -> Vec<Mutation> {
    let size = |wide: u16, high: u16| [wide.to_le_bytes(), high.to_le_bytes()].concat();
    let mut planned: Vec<_> = [(65_535, 65_535), (0, 0), (10, 10), (70, 50)]
        .into_iter()
        .map(|(wide, high)| edit(6, size(wide, high)))
        .collect();
    planned.push(edit(10, [bytes[10] & 0x7f]));
    for at in gif_images(bytes).into_iter().take(2) {
        planned.push(Mutation::Cut(at));
        for (wide, high) in [(65_535, 65_535), (0, 0), (300, 300), (20, 20)] {
            planned.push(edit(at + 5, size(wide, high)));
        }
        planned.push(edit(at + 1, size(9, 9)));
        planned.push(edit(at + 9, [bytes[at + 9] ^ 0x40]));
        for code in [0, 1, 9, 13] {
            planned.push(edit(at + 10, [code]));
        }
    }
    planned
}

/// Where the images begin, where their palettes are not their own.
fn gif_images(bytes: &[u8]) -> Vec<usize> {
    let palette = if bytes[10] & 0x80 == 0 {
        0
    } else {
        3 << ((bytes[10] & 7) + 1)
    };
    let mut images = Vec::new();
    let mut at = 13 + palette;
    loop {
        at += match bytes.get(at..at + 10) {
            Some([0x21, ..]) => 2,
            Some(image) if image[0] == 0x2c && image[9] & 0x80 == 0 => {
                images.push(at);
                11
            }
            _ => return images,
        };
        while let Some(length) = bytes.get(at).copied() {
            at += 1 + usize::from(length);
            if length == 0 {
                break;
            }
        }
    }
}

pub fn bmp(bytes: &[u8]) -> Vec<Mutation> {
    let (width, height) = (
        u32_le(bytes, 18).and_then(|width| i32::try_from(width).ok()),
        u32_le(bytes, 22).and_then(|height| i32::try_from(height).ok()),
    );
    let (width, height) = (width.unwrap_or(64), height.unwrap_or(48));
    let most = i32::MAX;
    let sizes = [
        (65_535, 65_535),
        (most, most),
        (-1, height),
        (width, i32::MIN),
        (0, 0),
        (width + 1, height),
        (1 << 30, 4),
        (width, height + 1),
        (width - 8, height),
    ];
    let mut planned: Vec<_> = sizes
        .iter()
        .map(|(wide, high)| edit(18, [wide.to_le_bytes(), high.to_le_bytes()].concat()))
        .collect();
    let length = u32::try_from(bytes.len()).unwrap_or(0);
    for offset in [0, 10, 60, 1 << 20, u32::MAX >> 1, u32::MAX, length - 1] {
        planned.push(edit(10, offset.to_le_bytes()));
    }
    for bits in [0_u16, 1, 4, 8, 16, 24, 32, 64] {
        planned.push(edit(28, bits.to_le_bytes()));
    }
    planned.push(edit(30, [1]));
    planned.push(edit(14, [12]));
    planned.push(edit(2, [0; 4]));
    planned
}

pub fn webp(bytes: &[u8]) -> Vec<Mutation> {
    let mut planned = vec![
        edit(4, [0xff; 4]),
        edit(4, [0; 4]),
        edit(4, [0xfe, 0xff, 0xff, 0xff]),
    ];
    if bytes.get(12..16) == Some(b"VP8X") {
        planned.push(edit(24, [0xff; 6]));
        planned.push(edit(24, [0xff, 0x3f, 0, 0xff, 0x3f, 0]));
        planned.push(edit(24, [9, 0, 0, 9, 0, 0]));
        planned.push(edit(20, [bytes[20] ^ 0x02]));
        planned.push(edit(20, [bytes[20] ^ 0x10]));
    }
    let mut at = 12;
    while let (Some(length), true) = (u32_le(bytes, at + 4), planned.len() < 30) {
        planned.push(Mutation::Cut(at));
        planned.push(edit(at, *b"JUNK"));
        let short = u32::try_from(length.saturating_sub(2)).unwrap_or(0);
        planned.push(edit(at + 4, short.to_le_bytes()));
        planned.push(edit(at + 4, (short + 4).to_le_bytes()));
        at += 8 + length + length % 2;
    }
    planned
}
