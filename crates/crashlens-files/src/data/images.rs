//! Images, as TensorFlow's readers see them.
//!
//! Each reader asks of a file what the C library behind TensorFlow asks: libjpeg-turbo, libpng, giflib, libwebp, and
//! TensorFlow's own reader of BMP. What those libraries let pass is not malformed here; it is at most a blemish, or a
//! contradiction where the pixels cannot be the ones that were written.

mod bmp;
mod gif;
mod jpeg;
mod other;
mod png;
#[cfg(test)]
mod tests;
mod webp;

pub(crate) use other::{brand as image_brand, name as image_name};

use std::io;

use crashlens_core::files::{Contents, FlawKind, Format, Image, Part};

use crate::reading::Reading;

/// TensorFlow takes the bytes of an image as one string, whose length it keeps in 31 bits.
const MOST_BYTES: u64 = i32::MAX as u64;

pub(crate) fn read(reading: &mut Reading<'_>, format: Format) -> io::Result<()> {
    if reading.source.size() > MOST_BYTES {
        let detail = "TensorFlow takes at most 2147483647 bytes as one image";
        reading.flaw(FlawKind::TooLarge, Part::File, detail);
    }
    match format {
        Format::Jpeg => jpeg::read(reading),
        Format::Png => png::read(reading),
        Format::Gif => gif::read(reading),
        Format::Bmp => bmp::read(reading),
        Format::Webp => webp::read(reading),
        _ => other::read(reading),
    }
}

/// Notes what the image is, and whether it may be decoded: not where it declares more than the limit.
fn holds(reading: &mut Reading<'_>, image: Image) -> bool {
    let pixels = u64::from(image.width)
        .saturating_mul(u64::from(image.height))
        .saturating_mul(u64::from(image.frames.max(1)));
    let most = reading.options.limits.pixels;
    let allowed = pixels <= most;
    if !allowed {
        let detail = format!(
            "it declares {} by {} pixels in {} frame(s); it is {most} pixels",
            image.width,
            image.height,
            image.frames.max(1)
        );
        reading.flaw(FlawKind::TooLarge, Part::ThisCheck, detail);
    }
    reading.holds(Contents::Image(image));
    allowed
}
