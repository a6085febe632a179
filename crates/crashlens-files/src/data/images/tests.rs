use crashlens_core::files::{Contents, Extent, FileFacts, FlawKind, Format, Image};

use crate::fuzzing::examine_bytes;
use crate::reading::{Limits, Options};

const BASELINE: &[u8] = include_bytes!("../../../fixtures/images/baseline.jpg");
const PROGRESSIVE: &[u8] = include_bytes!("../../../fixtures/images/progressive.jpg");
const CMYK: &[u8] = include_bytes!("../../../fixtures/images/cmyk.jpg");
const RESTARTS: &[u8] = include_bytes!("../../../fixtures/images/restarts.jpg");
const ARITHMETIC: &[u8] = include_bytes!("../../../fixtures/images/arithmetic.jpg");
const RGB_PNG: &[u8] = include_bytes!("../../../fixtures/images/rgb.png");
const PALETTE_PNG: &[u8] = include_bytes!("../../../fixtures/images/palette.png");
const ANIMATED_PNG: &[u8] = include_bytes!("../../../fixtures/images/animated.png");
const DELTA_GIF: &[u8] = include_bytes!("../../../fixtures/images/delta.gif");
const STILL_GIF: &[u8] = include_bytes!("../../../fixtures/images/still.gif");
const RGB_BMP: &[u8] = include_bytes!("../../../fixtures/images/rgb.bmp");
const PALETTE_BMP: &[u8] = include_bytes!("../../../fixtures/images/palette.bmp");
const ONE_BIT_BMP: &[u8] = include_bytes!("../../../fixtures/images/one-bit.bmp");
const LOSSY: &[u8] = include_bytes!("../../../fixtures/images/lossy.webp");
const LOSSLESS: &[u8] = include_bytes!("../../../fixtures/images/lossless.webp");
const ANIMATED_WEBP: &[u8] = include_bytes!("../../../fixtures/images/animated.webp");
const ANIMATED_ALPHA: &[u8] = include_bytes!("../../../fixtures/images/animated-alpha.webp");
const TIFF: &[u8] = include_bytes!("../../../fixtures/images/picture.tif");

fn seen(bytes: &[u8]) -> FileFacts {
    examine_bytes("file", bytes, &Options::default())
}

fn seen_in_full(bytes: &[u8]) -> FileFacts {
    let options = Options {
        full: true,
        ..Options::default()
    };
    examine_bytes("file", bytes, &options)
}

fn kinds(facts: &FileFacts) -> Vec<FlawKind> {
    facts.flaws.iter().map(|flaw| flaw.kind).collect()
}

fn image(facts: &FileFacts) -> &Image {
    match &facts.contents {
        Contents::Image(image) => image,
        other => panic!("no image: {other:?}"),
    }
}

/// Width, height, channels and frames.
fn size(facts: &FileFacts) -> (u32, u32, u8, u32) {
    let image = image(facts);
    (image.width, image.height, image.channels, image.frames)
}

fn cut(bytes: &[u8], by: usize) -> &[u8] {
    &bytes[..bytes.len() - by]
}

fn flipped(bytes: &[u8], at: usize, bits: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= bits;
    bytes
}

fn with_tail(bytes: &[u8]) -> Vec<u8> {
    [bytes, b"tail"].concat()
}

/// The place behind the first of these bytes.
fn behind(bytes: &[u8], what: &[u8]) -> usize {
    let found = bytes.windows(what.len()).position(|window| window == what);
    found.expect("it is there") + what.len()
}

#[test]
fn valid_images_are_without_flaw_and_have_the_shape_that_tensorflow_gives_them() {
    let files = [
        (BASELINE, Format::Jpeg, (24, 20, 3, 1), "baseline"),
        (PROGRESSIVE, Format::Jpeg, (24, 20, 3, 1), "progressive"),
        (CMYK, Format::Jpeg, (24, 20, 3, 1), "cmyk"),
        (RESTARTS, Format::Jpeg, (24, 20, 3, 1), "baseline"),
        (ARITHMETIC, Format::Jpeg, (24, 20, 3, 1), "arithmetic"),
        (RGB_PNG, Format::Png, (24, 20, 3, 1), ""),
        (PALETTE_PNG, Format::Png, (24, 20, 4, 1), "palette"),
        (ANIMATED_PNG, Format::Png, (12, 10, 3, 2), ""),
        (STILL_GIF, Format::Gif, (24, 20, 3, 1), "palette"),
        (RGB_BMP, Format::Bmp, (12, 10, 3, 1), ""),
    ];
    for (bytes, format, shape, coding) in files {
        for facts in [seen(bytes), seen_in_full(bytes)] {
            assert_eq!(facts.format, Some(format));
            assert_eq!(facts.flaws, [], "{format:?} {coding}");
            assert_eq!(
                (size(&facts), image(&facts).coding.as_str()),
                (shape, coding)
            );
        }
    }
}

#[test]
fn webp_is_told_to_be_unsupported_before_2_21() {
    for (bytes, shape) in [
        (LOSSY, (24, 20, 3, 1)),
        (LOSSLESS, (12, 10, 3, 1)),
        (ANIMATED_ALPHA, (12, 10, 4, 2)),
    ] {
        for facts in [seen(bytes), seen_in_full(bytes)] {
            assert_eq!(kinds(&facts), [FlawKind::Unsupported]);
            assert_eq!(size(&facts), shape);
        }
    }
}

#[test]
fn an_animated_webp_without_alpha_breaks_the_reader() {
    let facts = seen(ANIMATED_WEBP);
    assert_eq!(
        kinds(&facts),
        [FlawKind::Unsupported, FlawKind::BreaksReader]
    );
    assert_eq!(size(&facts), (12, 10, 3, 2));
}

#[test]
fn a_jpeg_without_its_last_byte_is_cut_short() {
    for bytes in [BASELINE, PROGRESSIVE, CMYK, RESTARTS, ARITHMETIC] {
        for by in [1, 2, bytes.len() / 2, bytes.len() - 30] {
            assert_eq!(
                kinds(&seen(cut(bytes, by))),
                [FlawKind::CutShort],
                "without {by}"
            );
            assert!(kinds(&seen_in_full(cut(bytes, by))).contains(&FlawKind::CutShort));
        }
    }
}

#[test]
fn bytes_behind_the_end_are_told_and_do_no_harm() {
    for bytes in [BASELINE, RGB_PNG, STILL_GIF] {
        assert_eq!(kinds(&seen(&with_tail(bytes))), [FlawKind::TrailingBytes]);
    }
    assert!(kinds(&seen(&with_tail(LOSSY))).contains(&FlawKind::TrailingBytes));
}

#[test]
fn a_jpeg_with_a_broken_table_or_marker_is_malformed() {
    let table = behind(BASELINE, b"\xff\xc4");
    let quantization = behind(BASELINE, b"\xff\xdb");
    let damaged = [
        // Three codes of one bit.
        flipped(BASELINE, table + 3, 3),
        // A segment longer than its tables.
        flipped(BASELINE, table + 1, 1),
        flipped(BASELINE, quantization + 2, 0x0F),
        // A segment shorter than its own length.
        flipped(BASELINE, table + 1, BASELINE[table + 1] ^ 1),
        // A marker that does not exist.
        flipped(BASELINE, table - 1, 0x84),
    ];
    for bytes in damaged {
        assert_eq!(kinds(&seen(&bytes)), [FlawKind::Malformed]);
    }
}

#[test]
fn a_jpeg_of_twelve_bits_or_without_loss_is_unsupported() {
    let frame = behind(BASELINE, b"\xff\xc0");
    assert_eq!(
        kinds(&seen(&flipped(BASELINE, frame + 2, 0x08 ^ 0x0c))),
        [FlawKind::Unsupported]
    );
    let lossless = flipped(BASELINE, frame - 1, 3);
    assert_eq!(kinds(&seen(&lossless)), [FlawKind::Unsupported]);
}

#[test]
fn bytes_between_segments_of_a_jpeg_are_a_blemish() {
    let at = behind(BASELINE, b"\xff\xdb") - 2;
    let bytes = [&BASELINE[..at], b"junk", &BASELINE[at..]].concat();
    assert_eq!(kinds(&seen(&bytes)), [FlawKind::Blemish]);
}

#[test]
fn a_restart_marker_out_of_order_is_a_contradiction() {
    let at = behind(RESTARTS, b"\xff\xd0") - 1;
    assert_eq!(
        kinds(&seen(&flipped(RESTARTS, at, 4))),
        [FlawKind::Contradiction]
    );
}

#[test]
fn a_jpeg_scan_that_does_not_fit_the_frame_is_told_only_in_full() {
    let frame = behind(BASELINE, b"\xff\xc0");
    // 84 rows instead of 20.
    let taller = flipped(BASELINE, frame + 4, 64);
    assert_eq!(kinds(&seen(&taller)), []);
    assert_eq!(kinds(&seen_in_full(&taller)), [FlawKind::Contradiction]);
    // 16 rows of a progressive image: codes are left over.
    let frame = behind(PROGRESSIVE, b"\xff\xc2");
    let lower = flipped(PROGRESSIVE, frame + 4, 4);
    assert_eq!(kinds(&seen_in_full(&lower)), [FlawKind::Contradiction]);
}

#[test]
fn what_was_decoded_is_told() {
    assert_eq!(seen(BASELINE).extent, Extent::Structure);
    assert_eq!(seen_in_full(BASELINE).extent, Extent::Full);
    assert_eq!(seen_in_full(PROGRESSIVE).extent, Extent::Full);
    assert_eq!(seen_in_full(ARITHMETIC).extent, Extent::Structure);
    assert_eq!(seen(RGB_PNG).extent, Extent::Full);
}

#[test]
fn damage_in_a_critical_chunk_of_a_png_is_told_and_in_another_is_a_blemish() {
    let pixels = behind(RGB_PNG, b"IDAT");
    assert_eq!(
        kinds(&seen(&flipped(RGB_PNG, pixels + 100, 1))),
        [FlawKind::ChecksumMismatch]
    );
    let frame = behind(ANIMATED_PNG, b"fdAT");
    assert_eq!(
        kinds(&seen(&flipped(ANIMATED_PNG, frame + 20, 1))),
        [FlawKind::Blemish]
    );
    let name = behind(RGB_PNG, b"IDA");
    assert_eq!(
        kinds(&seen(&flipped(RGB_PNG, name, 1))),
        [FlawKind::Malformed]
    );
}

#[test]
fn a_png_is_cut_short_wherever_it_ends() {
    for by in [1, 4, 12, 13, 200, RGB_PNG.len() - 20] {
        assert_eq!(
            kinds(&seen(cut(RGB_PNG, by))),
            [FlawKind::CutShort],
            "without {by}"
        );
    }
}

/// The header of a PNG changed, and its checksum made right.
fn png_with_header(change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = RGB_PNG.to_vec();
    change(&mut bytes[16..29]);
    let mut sum = flate2::Crc::new();
    sum.update(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    bytes
}

#[test]
fn a_png_header_with_a_right_checksum_is_held_against_the_pixels() {
    let taller = png_with_header(|header| header[7] = 21);
    assert_eq!(kinds(&seen(&taller)), [FlawKind::Malformed]);
    let lower = png_with_header(|header| header[7] = 19);
    assert_eq!(kinds(&seen(&lower)), [FlawKind::Contradiction]);
    let no_such_depth = png_with_header(|header| header[8] = 3);
    assert_eq!(kinds(&seen(&no_such_depth)), [FlawKind::Malformed]);
}

#[test]
fn an_image_that_declares_too_much_is_not_decoded() {
    let huge = png_with_header(|header| {
        header[..8].copy_from_slice(&[0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]);
    });
    let facts = seen(&huge);
    assert!(kinds(&facts).iter().all(|kind| *kind == FlawKind::TooLarge));
    assert_eq!(size(&facts), (30_000, 30_000, 3, 1));
    let options = Options {
        full: true,
        limits: Limits {
            pixels: 100,
            ..Limits::default()
        },
        ..Options::default()
    };
    for bytes in [BASELINE, RGB_PNG, STILL_GIF, RGB_BMP, LOSSY] {
        let facts = examine_bytes("file", bytes, &options);
        assert!(kinds(&facts).contains(&FlawKind::TooLarge));
    }
}

#[test]
fn a_gif_with_a_transparent_colour_outside_its_table_is_unsupported_before_2_21() {
    let facts = seen(DELTA_GIF);
    assert_eq!(size(&facts), (24, 20, 3, 3));
    assert!(
        kinds(&facts)
            .iter()
            .all(|kind| *kind == FlawKind::Unsupported)
    );
}

#[test]
fn a_gif_that_ends_early_says_what_is_missing() {
    assert_eq!(kinds(&seen(cut(STILL_GIF, 1))), [FlawKind::CutShort]);
    assert_eq!(kinds(&seen(cut(STILL_GIF, 2))), [FlawKind::CutShort]);
    assert_eq!(
        kinds(&seen(cut(STILL_GIF, STILL_GIF.len() - 9))),
        [FlawKind::CutShort]
    );
}

#[test]
fn a_gif_whose_frame_grew_has_too_few_pixels() {
    let height = behind(STILL_GIF, b",\0\0\0\0") + 2;
    assert_eq!(
        kinds(&seen(&flipped(STILL_GIF, height, 1))),
        [FlawKind::Malformed]
    );
}

#[test]
fn a_bmp_must_have_exactly_the_bytes_that_its_header_says() {
    assert_eq!(kinds(&seen(cut(RGB_BMP, 1))), [FlawKind::CutShort]);
    assert_eq!(kinds(&seen(&with_tail(RGB_BMP))), [FlawKind::TrailingBytes]);
    assert_eq!(kinds(&seen(ONE_BIT_BMP)), [FlawKind::Unsupported]);
    assert_eq!(kinds(&seen(PALETTE_BMP)), [FlawKind::Blemish]);
}

/// The height of the first frame's picture, by its own header.
fn with_frame_of_height(height: u16) -> Vec<u8> {
    let mut bytes = ANIMATED_ALPHA.to_vec();
    let at = behind(&bytes, &[0x9d, 0x01, 0x2a]) + 2;
    bytes[at..at + 2].copy_from_slice(&height.to_le_bytes());
    bytes
}

#[test]
fn a_frame_beyond_the_canvas_is_malformed_and_a_smaller_one_is_not() {
    let told = |bytes: &[u8]| kinds(&seen_in_full(bytes)).contains(&FlawKind::Malformed);
    assert!(!told(ANIMATED_ALPHA));
    assert!(told(&with_frame_of_height(3000)));
    assert!(!told(&with_frame_of_height(1)));
}

#[test]
fn damage_inside_a_webp_picture_is_told_in_full() {
    assert!(kinds(&seen(cut(LOSSY, 2))).contains(&FlawKind::CutShort));
    let canvas = behind(ANIMATED_ALPHA, b"VP8X");
    assert!(kinds(&seen(&flipped(ANIMATED_ALPHA, canvas, 1))).contains(&FlawKind::Malformed));
    let picture = behind(LOSSLESS, b"VP8L");
    let damaged = flipped(LOSSLESS, picture + 10, 0xFF);
    assert_eq!(kinds(&seen(&damaged)), [FlawKind::Unsupported]);
    assert_eq!(
        kinds(&seen_in_full(&damaged)),
        [FlawKind::Unsupported, FlawKind::Malformed]
    );
}

#[test]
fn other_images_are_named() {
    let facts = seen(TIFF);
    assert_eq!(facts.format, Some(Format::OtherImage));
    assert_eq!(kinds(&facts), [FlawKind::Unsupported]);
    let avif = b"\0\0\0\x1cftypavif\0\0\0\0mif1";
    assert!(seen(avif).flaws[0].detail.contains("AVIF"));
}

#[test]
fn a_file_that_has_lost_its_first_bytes_is_malformed() {
    for (name, bytes) in [
        ("a.jpg", BASELINE),
        ("a.png", RGB_PNG),
        ("a.gif", STILL_GIF),
        ("a.bmp", RGB_BMP),
    ] {
        let facts = examine_bytes(name, &bytes[8..], &Options::default());
        assert_eq!(kinds(&facts), [FlawKind::Malformed], "{name}");
    }
}

#[test]
fn text_that_begins_with_bm_is_no_bmp() {
    assert_eq!(
        examine_bytes(
            "list.txt",
            b"BMW,1.0\nAudi,2.0\nand so on",
            &Options::default()
        )
        .format,
        None
    );
}
