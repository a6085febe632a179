use crashlens_core::files::{Contents, FileFacts, FlawKind};

use crate::Options;
use crate::fuzzing::examine_bytes;

/// One channel of 400 samples, 16 kHz, written by TensorFlow, with a LIST chunk before the data as ffmpeg writes it.
const MONO: &[u8] = include_bytes!("../../../fixtures/sound/mono.wav");
/// Where its data chunk begins.
const DATA: usize = 70;

fn examined(bytes: &[u8]) -> FileFacts {
    examine_bytes("a.wav", bytes, &Options::default())
}

fn kind(bytes: &[u8]) -> FlawKind {
    let facts = examined(bytes);
    facts.flaws.first().expect("a flaw").kind
}

fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut changed = MONO.to_vec();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    changed
}

#[test]
fn a_file_of_tensorflow_is_read_without_a_flaw() {
    let facts = examined(MONO);
    assert_eq!(facts.flaws, []);
    let Contents::Sound(sound) = facts.contents else {
        panic!("no sound");
    };
    assert_eq!(
        (sound.rate, sound.channels, sound.samples),
        (16_000, 1, 400)
    );
}

#[test]
fn a_file_cut_anywhere_is_cut_short() {
    for length in [5, 11, 13, 30, 60, DATA, DATA + 8, MONO.len() - 1] {
        assert_eq!(kind(&MONO[..length]), FlawKind::CutShort, "{length}");
    }
}

#[test]
fn variants_that_decode_wav_refuses_are_unsupported() {
    assert_eq!(kind(&with(20, &[3, 0])), FlawKind::Unsupported);
    assert_eq!(kind(&with(34, &[24, 0])), FlawKind::Unsupported);
    assert_eq!(kind(&with(16, &[40, 0])), FlawKind::Unsupported);
    assert_eq!(kind(&with(12, b"LIST")), FlawKind::Unsupported);
}

#[test]
fn fields_of_the_format_must_agree() {
    assert_eq!(kind(&with(22, &[2, 0])), FlawKind::Contradiction);
    assert_eq!(kind(&with(24, &[1, 0])), FlawKind::Contradiction);
    assert_eq!(kind(&with(22, &[0, 0])), FlawKind::Malformed);
    // The product does not fit into 32 bits, where its lower half would be right.
    assert_eq!(kind(&with(27, &[0x80])), FlawKind::Contradiction);
}

#[test]
fn a_second_data_chunk_and_a_few_bytes_behind_the_end_are_refused() {
    let doubled = [MONO, &MONO[DATA..]].concat();
    assert_eq!(kind(&doubled), FlawKind::Malformed);
    assert_eq!(kind(&[MONO, b"abc"].concat()), FlawKind::TrailingBytes);
}

#[test]
fn the_size_of_the_riff_is_told_apart_because_nothing_reads_it() {
    let facts = examined(&with(4, &[0, 0]));
    assert_eq!(facts.flaws[0].part.words(), "the size of the RIFF");
    assert!(matches!(facts.contents, Contents::Sound(_)));
}

#[test]
fn a_sound_without_samples_is_empty() {
    let mut header = MONO[..DATA + 8].to_vec();
    header[DATA + 4..].fill(0);
    assert_eq!(kind(&header), FlawKind::Empty);
}
