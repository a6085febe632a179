//! Damaged files of every kind: readers end, and never fail.

use crashlens_files::fuzzing;

/// A fixture and the door that takes it.
type Seed = (&'static [u8], fn(&[u8]));

const SEEDS: [Seed; 8] = [
    (
        include_bytes!("../fixtures/records/sequences.tfrecord"),
        fuzzing::records,
    ),
    (
        include_bytes!("../fixtures/records/examples.tfrecord.gz"),
        fuzzing::records,
    ),
    (
        include_bytes!("../fixtures/arrays/structured.npy"),
        fuzzing::numpy_files,
    ),
    (
        include_bytes!("../fixtures/arrays/compressed.npz"),
        fuzzing::numpy_files,
    ),
    (
        include_bytes!("../fixtures/tables/mixed.csv"),
        fuzzing::tables,
    ),
    (include_bytes!("../fixtures/sound/mono.wav"), fuzzing::sound),
    (
        include_bytes!("../fixtures/tables/small.parquet"),
        fuzzing::columns,
    ),
    (
        include_bytes!("../fixtures/tables/small.arrow"),
        fuzzing::columns,
    ),
];

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or_default() % most
    }
}

#[test]
fn no_reader_fails_on_a_damaged_file() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for (seed, door) in SEEDS {
        for _ in 0..60 {
            let mut bytes = seed.to_vec();
            for _ in 0..=chance.below(4) {
                let at = chance.below(bytes.len());
                bytes[at] = chance.below(256).to_le_bytes()[0];
            }
            if chance.below(3) == 0 {
                bytes.truncate(1 + chance.below(bytes.len()));
            }
            door(&bytes);
        }
    }
}
