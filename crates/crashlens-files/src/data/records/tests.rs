use crashlens_core::files::{Contents, FeatureKind, FileFacts, FlawKind, Format, Records};

use super::framing::masked;
use crate::Options;
use crate::fuzzing::examine_bytes;

/// 30 examples that TensorFlow 2.21.0 wrote, with features `x`, `label`, `b` and `img`.
const PLAIN: &[u8] = include_bytes!("../../../fixtures/records/examples.tfrecord");
const GZIP: &[u8] = include_bytes!("../../../fixtures/records/examples.tfrecord.gz");
const ZLIB: &[u8] = include_bytes!("../../../fixtures/records/examples.tfrecord.zlib");
const SEQUENCES: &[u8] = include_bytes!("../../../fixtures/records/sequences.tfrecord");

fn examined(bytes: &[u8]) -> FileFacts {
    examine_bytes("train-00000-of-00001", bytes, &Options::default())
}

fn examined_fully(bytes: &[u8]) -> FileFacts {
    let options = Options {
        full: true,
        ..Options::default()
    };
    examine_bytes("a.tfrecord", bytes, &options)
}

fn records(facts: &FileFacts) -> &Records {
    match &facts.contents {
        Contents::Records(records) => records,
        other => panic!("not records: {other:?}"),
    }
}

/// The only flaw: its kind and its part.
fn flaw(facts: &FileFacts) -> (FlawKind, &str) {
    match facts.flaws.as_slice() {
        [flaw] => (flaw.kind, flaw.part.words()),
        other => panic!("not one flaw: {other:?}"),
    }
}

fn head(length: u64) -> Vec<u8> {
    let length = length.to_le_bytes();
    let crc = masked(crc32c::crc32c(&length)).to_le_bytes();
    [&length[..], &crc].concat()
}

fn record(data: &[u8]) -> Vec<u8> {
    let crc = masked(crc32c::crc32c(data)).to_le_bytes();
    [&head(data.len() as u64), data, &crc].concat()
}

/// A field with bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).expect("a short field");
    [&[number << 3 | 2, length], bytes].concat()
}

/// An example with features as they are on the wire.
fn example(features: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entries = features.iter().flat_map(|(name, feature)| {
        let entry = [field(1, name.as_bytes()), field(2, feature)].concat();
        field(1, &entry)
    });
    field(1, &entries.collect::<Vec<u8>>())
}

#[test]
fn files_of_tensorflow_are_read_without_a_flaw_in_every_packing() {
    let packings = [
        (PLAIN, Format::TfRecord),
        (GZIP, Format::TfRecordGzip),
        (ZLIB, Format::TfRecordZlib),
    ];
    for (bytes, format) in packings {
        let facts = examined(bytes);
        assert_eq!(facts.format, Some(format));
        assert_eq!(facts.flaws, []);
        let records = records(&facts);
        assert_eq!((records.count, records.not_examples), (30, 0));
        let names: Vec<&str> = records.features.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["b", "img", "label", "x"]);
    }
}

#[test]
fn features_tell_their_kind_length_and_range() {
    let facts = examined(PLAIN);
    let features = &records(&facts).features;
    let label = features.iter().find(|f| f.name == "label").expect("label");
    assert_eq!(label.kinds, [(FeatureKind::Int64, 30)]);
    assert_eq!(label.lengths, [(1, 30)]);
    let range = label.range.expect("a range");
    assert_eq!((range.least, range.greatest), (0.0, 9.0));
    let x = features.iter().find(|f| f.name == "x").expect("x");
    assert_eq!(x.kinds, [(FeatureKind::Float, 30)]);
    assert_eq!(x.lengths, [(4, 30)]);
}

#[test]
fn steps_of_sequences_are_counted_apart_from_their_values() {
    let facts = examined(SEQUENCES);
    let features = &records(&facts).features;
    let steps = features.iter().find(|f| f.sequence).expect("a sequence");
    assert_eq!((steps.name.as_str(), steps.present), ("f", 30));
    assert_eq!(steps.lengths, [(2, 90)]);
}

#[test]
fn a_file_cut_in_a_record_is_cut_short_in_that_record() {
    assert_eq!(
        flaw(&examined(&PLAIN[..PLAIN.len() - 1])),
        (FlawKind::CutShort, "record 29")
    );
    assert_eq!(flaw(&examined(&GZIP[..2000])).0, FlawKind::CutShort);
}

#[test]
fn a_file_cut_before_a_record_is_told_apart_because_tensorflow_does_not_see_it() {
    let cut = [PLAIN, &head(100)[..11]].concat();
    assert_eq!(
        flaw(&examined(&cut)),
        (FlawKind::CutShort, "the next record")
    );
    for few in 1..=8 {
        let cut = [PLAIN, &head(100)[..few]].concat();
        let told = (FlawKind::TrailingBytes, "the last bytes");
        assert_eq!(flaw(&examined(&cut)), told, "{few} bytes");
    }
    let nothing = examine_bytes("a.tfrecord", b"few", &Options::default());
    assert!(nothing.flaws.iter().any(|it| it.kind == FlawKind::Empty));
    let cut = examine_bytes("a.tfrecord.gz", &GZIP[..20], &Options::default());
    assert_eq!(flaw(&cut), (FlawKind::CutShort, "the next record"));
}

#[test]
fn a_missing_gzip_trailer_is_told_as_what_it_is() {
    let facts = examined(&GZIP[..GZIP.len() - 8]);
    assert_eq!(flaw(&facts), (FlawKind::CutShort, "the GZIP trailer"));
    assert_eq!(records(&facts).count, 30);
    let facts = examined(&ZLIB[..ZLIB.len() - 1]);
    assert_eq!(flaw(&facts), (FlawKind::CutShort, "the ZLIB trailer"));
}

#[test]
fn a_length_with_a_right_checksum_far_beyond_the_end_is_wild() {
    for length in [1_u64 << 36, 1 << 40, 1 << 62] {
        let bad = [&head(length)[..], b"xxxx"].concat();
        assert_eq!(flaw(&examined(&bad)).0, FlawKind::WildLength);
        let after_good_ones = [PLAIN, &bad].concat();
        let facts = examined(&after_good_ones);
        assert_eq!(flaw(&facts), (FlawKind::WildLength, "record 30"));
        assert_eq!(facts.flaws[0].at, Some(PLAIN.len() as u64));
    }
}

#[test]
fn a_length_that_tensorflow_refuses_is_not_called_wild() {
    let kind = |length| flaw(&examined(&[&head(length)[..], b"xxxx"].concat())).0;
    assert_eq!(kind(1_000_000), FlawKind::CutShort);
    assert_eq!(kind(1 << 32), FlawKind::CutShort);
    assert_eq!(kind((1 << 63) - 1), FlawKind::Malformed);
    assert_eq!(kind(u64::MAX), FlawKind::Malformed);
}

#[test]
fn every_flipped_bit_is_noticed() {
    for bit in (0..PLAIN.len() * 8).step_by(101) {
        let mut bytes = PLAIN.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let facts = examine_bytes("a.tfrecord", &bytes, &Options::default());
        assert!(!facts.flaws.is_empty(), "bit {bit}");
    }
}

#[test]
fn records_behind_a_damaged_one_are_still_counted() {
    let mut bytes = PLAIN.to_vec();
    bytes[20] ^= 4;
    let facts = examined(&bytes);
    assert_eq!(flaw(&facts), (FlawKind::ChecksumMismatch, "record 0"));
    assert_eq!(records(&facts).count, 30);
}

#[test]
fn damage_within_a_stream_is_noticed_by_its_checksum_or_its_form() {
    for (name, bytes) in [("a.tfrecord.gz", GZIP), ("a.tfrecord.zlib", ZLIB)] {
        for at in (40..bytes.len()).step_by(37) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 0x10;
            let facts = examine_bytes(name, &damaged, &Options::default());
            assert!(!facts.flaws.is_empty(), "{name} at {at}");
        }
    }
}

#[test]
fn members_of_a_gzip_file_follow_each_other_and_a_second_zlib_stream_is_lost() {
    let doubled = examined(&[GZIP, GZIP].concat());
    assert_eq!(doubled.flaws, []);
    assert_eq!(records(&doubled).count, 60);
    let doubled = examined(&[ZLIB, ZLIB].concat());
    assert_eq!(
        flaw(&doubled),
        (FlawKind::TrailingBytes, "a second ZLIB stream")
    );
    let garbage = examined(&[GZIP, b"xyz"].concat());
    assert_eq!(flaw(&garbage).0, FlawKind::Malformed);
    let single = examined(&[GZIP, b"x"].concat());
    assert_eq!(flaw(&single), (FlawKind::TrailingBytes, "the last bytes"));
}

#[test]
fn a_stream_that_becomes_too_large_is_left() {
    let mut options = Options::default();
    options.limits.unpacked = 1000;
    let facts = examine_bytes("a.tfrecord.gz", GZIP, &options);
    assert_eq!(flaw(&facts).0, FlawKind::TooLarge);
}

#[test]
fn a_record_larger_than_memory_is_summed_up_piece_by_piece() {
    let mut options = Options::default();
    options.limits.memory = 0;
    let large = record(&vec![7; 300_000]);
    let facts = examine_bytes("a.tfrecord", &large, &options);
    assert_eq!(facts.flaws, []);
    let mut damaged = large.clone();
    damaged[200_000] ^= 1;
    let facts = examine_bytes("a.tfrecord", &damaged, &options);
    assert_eq!(flaw(&facts).0, FlawKind::ChecksumMismatch);
}

#[test]
fn packed_and_unpacked_lists_are_the_same() {
    let packed = field(3, &field(1, b"\x05\x07"));
    let unpacked = field(3, b"\x08\x05\x08\x07");
    for list in [packed, unpacked] {
        let facts = examined(&record(&example(&[("y", list)])));
        let feature = &records(&facts).features[0];
        assert_eq!(feature.lengths, [(2, 1)]);
        assert_eq!(
            feature.range.map(|r| (r.least, r.greatest)),
            Some((5.0, 7.0))
        );
    }
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    let first = field(3, b"\x08\x63");
    let second = field(2, b"\x0d\0\0\x80\x3f");
    let facts = examined(&record(&example(&[("y", first), ("y", second)])));
    let feature = &records(&facts).features[0];
    assert_eq!(feature.kinds, [(FeatureKind::Float, 1)]);
    assert_eq!((feature.present, feature.range), (1, None));
}

#[test]
fn nan_is_looked_for_only_where_everything_is_read() {
    let nan = field(2, &field(1, &f32::NAN.to_le_bytes()));
    let bytes = record(&example(&[("x", nan)]));
    assert_eq!(examined(&bytes).flaws, []);
    assert_eq!(
        flaw(&examined_fully(&bytes)),
        (FlawKind::NotFinite, "feature `x`")
    );
}

#[test]
fn records_of_other_things_are_no_flaw_unless_they_stand_among_examples() {
    let others = [record(b"\xff\xd8\xff\xe0"), record(b"text")].concat();
    let facts = examined(&others);
    assert_eq!(facts.flaws, []);
    assert_eq!(records(&facts).not_examples, 2);
    let mixed = [PLAIN, &record(b"text")].concat();
    assert_eq!(
        flaw(&examined(&mixed)),
        (FlawKind::Contradiction, "record 30")
    );
}

#[test]
fn a_length_beyond_the_end_of_an_example_is_a_blemish_where_tensorflow_stops_at_the_end() {
    let whole = example(&[("y", field(3, b"\x08\x63"))]);
    let with = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] += 40;
        [record(&whole), record(&whole), record(&bytes)].concat()
    };
    for outer in [1, 3, 10] {
        let facts = examined(&with(outer));
        assert_eq!(flaw(&facts), (FlawKind::Blemish, "record 2"));
        assert_eq!(records(&facts).features[0].present, 3);
    }
    for cut in 1..whole.len() {
        let bytes = [&record(&whole)[..], &record(&whole), &record(&whole[..cut])].concat();
        assert_eq!(flaw(&examined(&bytes)).0, FlawKind::Contradiction);
    }
    for inner in [5, 8, 12] {
        assert_eq!(flaw(&examined(&with(inner))).0, FlawKind::Contradiction);
    }
}

#[test]
fn a_packed_file_whose_name_says_plain_is_misnamed_and_a_shard_is_not() {
    let facts = examine_bytes("a.tfrecord", GZIP, &Options::default());
    assert_eq!(flaw(&facts).0, FlawKind::Misnamed);
    let shard = "a.tfrecord-00000-of-00009";
    let facts = examine_bytes(shard, GZIP, &Options::default());
    assert_eq!(facts.flaws, []);
}

#[test]
fn a_shard_that_lost_its_first_record_is_known_by_its_name() {
    let mut damaged = PLAIN.to_vec();
    damaged[..100].fill(0);
    let seen = |name: &str, bytes: &[u8]| examine_bytes(name, bytes, &Options::default());
    let facts = seen("train-00000-of-01024", &damaged);
    assert_eq!(flaw(&facts), (FlawKind::ChecksumMismatch, "record 0"));
    assert_eq!(seen("train-00000-of-01024", b"a line\n").format, None);
    assert_eq!(seen("train-old", &damaged).format, None);
}
