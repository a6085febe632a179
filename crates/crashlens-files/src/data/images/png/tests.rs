use crashlens_core::files::FlawKind;

use crate::fuzzing::examine_bytes;
use crate::reading::Options;

const RGB_PNG: &[u8] = include_bytes!("../../../../fixtures/images/rgb.png");

fn kinds(bytes: &[u8]) -> Vec<FlawKind> {
    let facts = examine_bytes("file", bytes, &Options::default());
    facts.flaws.iter().map(|flaw| flaw.kind).collect()
}

fn with_wrong_sum(pixels: &[u8]) -> Vec<u8> {
    let mut pixels = pixels.to_vec();
    *pixels.last_mut().unwrap() ^= 1;
    pixels
}

/// The only chunk of pixels replaced by others, with right checksums.
fn png_with_pixels(change: impl Fn(&[u8]) -> Vec<Vec<u8>>) -> Vec<u8> {
    let name = RGB_PNG.windows(4).position(|name| name == b"IDAT");
    let start = name.unwrap() - 4;
    let length = u32::from_be_bytes(*RGB_PNG[start..].first_chunk().unwrap()) as usize;
    let end = start + 12 + length;
    let mut bytes = RGB_PNG[..start].to_vec();
    for pixels in change(&RGB_PNG[start + 8..end - 4]) {
        let mut sum = flate2::Crc::new();
        sum.update(b"IDAT");
        sum.update(&pixels);
        bytes.extend((pixels.len() as u32).to_be_bytes());
        bytes.extend(b"IDAT");
        bytes.extend(pixels);
        bytes.extend(sum.sum().to_be_bytes());
    }
    bytes.extend(&RGB_PNG[end..]);
    bytes
}

#[test]
fn pixels_whose_compressed_stream_does_not_end_are_refused_as_libpng_does() {
    let whole = png_with_pixels(|pixels| vec![pixels.to_vec()]);
    assert_eq!(whole, RGB_PNG);
    for by in 1..=5 {
        let shorter = png_with_pixels(|pixels| vec![pixels[..pixels.len() - by].to_vec()]);
        assert_eq!(kinds(&shorter), [FlawKind::Malformed], "without {by}");
    }
}

#[test]
fn a_wrong_checksum_of_the_pixels_counts_only_where_libpng_meets_it_with_the_last_row() {
    let wrong = png_with_pixels(|pixels| vec![with_wrong_sum(pixels)]);
    assert_eq!(kinds(&wrong), [FlawKind::Malformed]);
    let apart = png_with_pixels(|pixels| {
        let wrong = with_wrong_sum(pixels);
        let (rows, sum) = wrong.split_at(pixels.len() - 4);
        vec![rows.to_vec(), sum.to_vec()]
    });
    assert_eq!(kinds(&apart), []);
}
