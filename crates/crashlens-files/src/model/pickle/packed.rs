//! Pickles in a compressed stream, as `joblib.dump(…, compress=3)` writes them under any name.

use std::io::{self, BufReader, Read};

use crashlens_core::files::{Contents, FlawKind, ModelFacts, Part};
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::{Reader, disassemble};
use crate::reading::Reading;

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Zlib,
    Gzip,
    /// joblib reads it, and we do not.
    Other(&'static str),
}

impl Packing {
    /// By the first bytes; a pickle that is not compressed begins with none of these.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Some(Self::Zlib),
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'B', b'Z', b'h', ..] => Some(Self::Other("bzip2")),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Some(Self::Other("xz")),
            [0x5d, 0, 0, ..] => Some(Self::Other("LZMA")),
            [0x04, 0x22, 0x4d, 0x18, ..] => Some(Self::Other("LZ4")),
            _ => None,
        }
    }
}

/// As joblib would read it: plain Python reads no such file.
pub(super) fn read(reading: &mut Reading<'_>, packing: Packing) -> io::Result<()> {
    let most = reading.options.limits.unpacked;
    let input = reading.reader()?;
    let unpacked: Box<dyn Read> = match packing {
        Packing::Zlib => Box::new(ZlibDecoder::new(input)),
        Packing::Gzip => Box::new(MultiGzDecoder::new(input)),
        Packing::Other(name) => {
            let detail = format!("it is compressed with {name}, which is not looked into here");
            reading.flaw(FlawKind::Blemish, Part::Pickle, detail);
            return Ok(());
        }
    };
    let outcome = disassemble(&mut BufReader::new(unpacked.take(most)), Reader::Joblib);
    let program = match outcome {
        Ok(program) => program,
        Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error),
        Err(error) => {
            let detail = format!("it cannot be unpacked: {error}");
            reading.flaw(FlawKind::Malformed, Part::Pickle, detail);
            return Ok(());
        }
    };
    if let Some((kind, at, detail)) = program.fault {
        let part = Part::Pickle.written(format!("the pickle, unpacked, byte {at}"));
        reading.flaw(kind, part, detail);
    }
    reading.holds(Contents::Model(Box::new(ModelFacts {
        producer: Some("pickle".to_owned()),
        operations: program.callables,
        ..ModelFacts::default()
    })));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use crashlens_core::files::FileFacts;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;
    use crate::fuzzing::examine_bytes;
    use crate::{Options, Purpose};

    const JOBLIB: &[u8] = include_bytes!("../../../fixtures/pickle/joblib.pkl");

    fn seen(name: &str, bytes: &[u8]) -> FileFacts {
        let options = Options {
            purpose: Purpose::Model,
            ..Options::default()
        };
        examine_bytes(name, bytes, &options)
    }

    fn packed() -> [Vec<u8>; 2] {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::new(3));
        zlib.write_all(JOBLIB).unwrap();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::new(3));
        gzip.write_all(JOBLIB).unwrap();
        [zlib.finish().unwrap(), gzip.finish().unwrap()]
    }

    #[test]
    fn what_a_compressed_pickle_calls_is_found() {
        for bytes in packed() {
            for name in ["model.pkl", "model.joblib"] {
                let facts = seen(name, &bytes);
                assert_eq!(facts.flaws, [], "{name}");
                let mut operations = facts.model().unwrap().operations.iter();
                assert!(operations.any(|it| it.name == "posix.getcwd"), "{name}");
            }
        }
    }

    #[test]
    fn a_compressed_pickle_that_is_damaged_is_told() {
        for bytes in packed() {
            let cut = seen("a.pkl", &bytes[..bytes.len() / 2]);
            assert_eq!(cut.flaws[0].kind, FlawKind::CutShort);
            let mut damaged = bytes.clone();
            damaged[20..60].fill(0xff);
            assert_eq!(seen("a.joblib", &damaged).flaws.len(), 1);
        }
    }

    #[test]
    fn what_is_compressed_in_another_way_is_no_damage() {
        let facts = seen("a.pkl", b"BZh91AY&SY");
        assert_eq!(facts.flaws[0].kind, FlawKind::Blemish);
    }
}
