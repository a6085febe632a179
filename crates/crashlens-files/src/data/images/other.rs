//! Images that no reader of TensorFlow takes, named: TIFF, JPEG 2000, ICO, HEIF, AVIF; and JPEG XL, which late ones take.

use std::io;

use crashlens_core::files::{FlawKind, Part};

use crate::reading::Reading;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let head = reading.source.bytes_at(0, 32)?;
    let Some(name) = name(&head) else {
        let detail = "its first bytes are those of no image that is known here";
        reading.flaw_at(FlawKind::Malformed, Part::Header, 0, detail);
        return Ok(());
    };
    let detail = format!("it is {name}, which TensorFlow 2.12 to 2.21 has no reader for");
    reading.flaw_at(FlawKind::Unsupported, Part::Format, 0, detail);
    Ok(())
}

/// What the first bytes are those of.
pub(crate) fn name(head: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 6] = [
        (b"II*\0", "TIFF"),
        (b"MM\0*", "TIFF"),
        (b"II+\0", "BigTIFF"),
        (b"MM\0+", "BigTIFF"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
        (b"\0\0\x01\0", "ICO"),
    ];
    let by_magic = known.iter().find(|(magic, _)| head.starts_with(magic));
    by_magic
        .map(|(_, name)| *name)
        .or_else(|| match brand(head)? {
            b"avif" | b"avis" => Some("AVIF"),
            _ => Some("HEIF"),
        })
}

/// The brand of an ISO media file that holds images, not film.
pub(crate) fn brand(head: &[u8]) -> Option<&[u8]> {
    const IMAGES: [&[u8]; 10] = [
        b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1",
    ];
    (head.get(4..8)? == b"ftyp")
        .then(|| head.get(8..12))
        .flatten()
        .filter(|brand| IMAGES.contains(brand))
}
