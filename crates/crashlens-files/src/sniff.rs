//! The format of a file, by its first bytes; by its name where they tell nothing.

use std::io::{self, Read as _};

use crashlens_core::files::{FlawKind, Format, Part};

use crate::data;
use crate::data::records::{HEAD as HEAD_OF_RECORD, Unpacker, Wrapping, length_of};
use crate::model::graph;
use crate::reading::{Purpose, Reading};
use crate::wire::Fields;

/// So many bytes are looked at: the first 512, behind which HDF5 may begin.
const HEAD: usize = 520;

/// The format, and a note where content and name disagree.
pub(crate) fn sniff(reading: &mut Reading<'_>) -> io::Result<Option<Format>> {
    let head = reading.source.bytes_at(0, HEAD)?;
    let named = by_name(reading.path, reading.options.purpose);
    let seen = by_content(&head, named)
        .or_else(|| packed_records(&head, named))
        .or_else(|| graph(&head, named, reading.options.purpose));
    match (seen, named) {
        (Some(seen), Some(named)) if seen != named && !agree(seen, named, reading.path) => {
            let seen_as = data::image_name(&head).unwrap_or(seen.name());
            let detail = format!("it is {seen_as}, and its name says {}", named.name());
            reading.flaw(FlawKind::Misnamed, Part::Name, detail);
            Ok(Some(seen))
        }
        (Some(seen), _) => Ok(Some(seen)),
        (None, None) => Ok(damaged_shard(&head, reading)),
        (None, Some(Format::Pickle)) if is_path_list(&head, reading.path) => Ok(None),
        (None, Some(Format::GraphDef)) if is_other_message(&head, reading)? => Ok(None),
        (None, named) => Ok(named),
    }
}

/// `train-00000-of-01024`, by custom a shard of records, whose first record is no more; text is something else.
fn damaged_shard(head: &[u8], reading: &Reading<'_>) -> Option<Format> {
    let name = reading.path.rsplit('/').next().unwrap_or_default();
    let (stem, total) = name.rsplit_once("-of-")?;
    let (_, number) = stem.rsplit_once('-')?;
    let is_number = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_shard = is_number(number) && is_number(total) && !name.contains('.');
    (is_shard && reading.options.purpose == Purpose::Data && head.contains(&0))
        .then_some(Format::TfRecord)
}

/// `*.pth` of PyTorch is binary always; as text it tells Python where packages are.
fn is_path_list(head: &[u8], path: &str) -> bool {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~') || *byte >= 0x80;
    path.to_ascii_lowercase().ends_with(".pth") && head.iter().all(is_text)
}

/// Tensors and much else are kept as `*.pb` too: protocol buffers that are whole, and begin with a field that no graph
/// has.
fn is_other_message(head: &[u8], reading: &mut Reading<'_>) -> io::Result<bool> {
    const MOST: u64 = 16 << 20;
    // Nodes, the library, and the version in its old and its new form.
    let is_of_graph = matches!(head.first(), Some(0x0a | 0x12 | 0x18 | 0x22));
    if is_of_graph || reading.source.size() > MOST {
        return Ok(false);
    }
    let bytes = reading.source.bytes_at(0, MOST as usize)?;
    Ok(Fields::of(&bytes).all(|field| field.is_ok()))
}

/// By the first bytes; what they cannot tell apart, the name does.
fn by_content(head: &[u8], named: Option<Format>) -> Option<Format> {
    if head.get(8..12) == Some(b"WEBP") && head.starts_with(b"RIFF") {
        return Some(Format::Webp);
    }
    if head.get(8..12) == Some(b"WAVE") && head.starts_with(b"RIFF") {
        return Some(Format::Wav);
    }
    if head.get(4..8) == Some(b"TFL3") {
        return Some(Format::Tflite);
    }
    if head.starts_with(b"PK\x03\x04") {
        return Some(match named {
            // PyTorch keeps its pickles in one.
            Some(named @ (Format::Keras | Format::Pickle)) => named,
            _ if first_member(head).is_some_and(is_of_keras) => Format::Keras,
            None if !first_member(head).is_some_and(|name| name.ends_with(b".npy")) => return None,
            _ => Format::Npz,
        });
    }
    if length_of(head).is_some() {
        return Some(Format::TfRecord);
    }
    Format::of_magic(head)
        .or_else(|| image_by_form(head, named))
        .or_else(|| is_hdf5_behind_a_block(head).then_some(Format::Hdf5))
}

/// Programs may put something of their own before HDF5, in 512 bytes at least. The first file of a tar archive begins
/// there as well.
fn is_hdf5_behind_a_block(head: &[u8]) -> bool {
    head.get(512..) == Some(b"\x89HDF\r\n\x1a\n") && head.get(257..262) != Some(b"ustar")
}

/// The name of the first member of a zip archive: documents, packages and much else are such archives too.
fn first_member(head: &[u8]) -> Option<&[u8]> {
    let length = head.get(26..28).and_then(|bytes| bytes.try_into().ok());
    let length = length.map_or(0, u16::from_le_bytes);
    head.get(30..).and_then(|rest| rest.get(..length.into()))
}

/// Keras writes one of these first.
fn is_of_keras(name: &[u8]) -> bool {
    matches!(
        name,
        b"metadata.json" | b"config.json" | b"model.weights.h5"
    )
}

/// A graph has no first bytes of its own, only the form of its first node.
fn graph(head: &[u8], named: Option<Format>, purpose: Purpose) -> Option<Format> {
    let is_open = named.is_none() || named == Some(Format::GraphDef);
    (is_open && purpose == Purpose::Model && graph::looks_like_one(head))
        .then_some(Format::GraphDef)
}

/// Images whose first bytes are too few to be sure of: the rest of the header must look like one as well.
fn image_by_form(head: &[u8], named: Option<Format>) -> Option<Format> {
    if head.starts_with(b"BM") {
        let header = head.get(14..18).and_then(|bytes| bytes.try_into().ok());
        let known = header.is_some_and(|bytes| {
            matches!(
                u32::from_le_bytes(bytes),
                12 | 40 | 52 | 56 | 64 | 108 | 124
            )
        });
        return (known || named == Some(Format::Bmp)).then_some(Format::Bmp);
    }
    // The number of icons, and a byte of the first that is always zero.
    let icons = head.starts_with(b"\0\0\x01\0")
        && head.get(4).is_some_and(|count| *count > 0)
        && head.get(9) == Some(&0);
    (icons || data::image_brand(head).is_some()).then_some(Format::OtherImage)
}

/// Records in a GZIP or ZLIB stream: told by the first of them, or by the name where that cannot be unpacked.
fn packed_records(head: &[u8], named: Option<Format>) -> Option<Format> {
    let (wrapping, format) = match head {
        [0x1f, 0x8b, ..] => (Wrapping::Gzip, Format::TfRecordGzip),
        // Window size and check bits; the second byte makes it a multiple of 31.
        [first, second, ..]
            if first & 0x8f == 8 && (u32::from(*first) << 8 | u32::from(*second)) % 31 == 0 =>
        {
            (Wrapping::Zlib, Format::TfRecordZlib)
        }
        _ => return None,
    };
    let mut first = Vec::new();
    let unpacker = Unpacker::new(head, wrapping, HEAD as u64);
    // Unpacks until the head is used up: what is there is enough.
    let _ = unpacker.take(HEAD_OF_RECORD as u64).read_to_end(&mut first);
    let is_records = length_of(&first).is_some();
    let is_named = matches!(
        named,
        Some(Format::TfRecord | Format::TfRecordGzip | Format::TfRecordZlib)
    );
    (is_records || is_named).then_some(format)
}

/// By the ending of the name, or the form of a shard's.
pub(crate) fn by_name(path: &str, purpose: Purpose) -> Option<Format> {
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let known = ending.and_then(Format::of_ending);
    if let Some(packed) = packed_name(&name) {
        return Some(packed);
    }
    if purpose == Purpose::Model && ending == Some("pb") {
        return Some(Format::GraphDef);
    }
    known.or_else(|| {
        (purpose == Purpose::Data && name.contains("tfrecord")).then_some(Format::TfRecord)
    })
}

/// `x.tfrecord.gz`, `x.tfrecord.zlib`.
fn packed_name(name: &str) -> Option<Format> {
    let (stem, ending) = name.rsplit_once('.')?;
    let format = match ending {
        "gz" | "gzip" => Format::TfRecordGzip,
        "zlib" | "z" => Format::TfRecordZlib,
        _ => return None,
    };
    (stem.contains("tfrec") || stem.ends_with(".record")).then_some(format)
}

/// Two answers that are both right.
fn agree(seen: Format, named: Format, path: &str) -> bool {
    match (seen, named) {
        (Format::Hdf5, Format::Keras) => true,
        // The name of a shard (`train.tfrecord-00000-of-00010`) does not tell how it is packed.
        (Format::TfRecordGzip | Format::TfRecordZlib, Format::TfRecord) => {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            Format::of_ending(ending).is_none()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::examine_bytes;
    use crate::reading::Options;

    fn seen(name: &str, bytes: &[u8]) -> (Option<Format>, usize) {
        let options = Options {
            purpose: Purpose::Model,
            ..Options::default()
        };
        let facts = examine_bytes(name, bytes, &options);
        (facts.format, facts.flaws.len())
    }

    #[test]
    fn a_list_of_paths_for_python_is_no_pickle() {
        let text = b"import os; var = 'SETUPTOOLS_USE_DISTUTILS'\n";
        assert_eq!(seen("distutils-precedence.pth", text), (None, 0));
        assert_eq!(seen("weights.pth", b"\0\0\0\0").0, Some(Format::Pickle));
    }

    #[test]
    fn an_archive_without_arrays_is_no_npz() {
        let zip = |name: &str| {
            let mut head = b"PK\x03\x04".to_vec();
            head.resize(26, 0);
            head.extend((name.len() as u16).to_le_bytes());
            head.extend([0; 2]);
            head.extend(name.bytes());
            head
        };
        assert_eq!(seen("a.docx", &zip("word/document.xml")), (None, 0));
        assert_eq!(seen("a", &zip("x.npy")).0, Some(Format::Npz));
        assert_eq!(seen("a.h5", &zip("metadata.json")).0, Some(Format::Keras));
        assert_eq!(seen("a.npz", &zip("x")).0, Some(Format::Npz));
    }

    #[test]
    fn hdf5_may_begin_behind_a_block_and_a_tar_archive_is_none() {
        let behind = include_bytes!("../fixtures/hdf5/behind-a-block.h5");
        assert_eq!(seen("a.mat", behind).0, Some(Format::Hdf5));
        let mut archive = behind.to_vec();
        archive[257..262].copy_from_slice(b"ustar");
        assert_eq!(seen("a.tar", &archive), (None, 0));
    }

    #[test]
    fn a_tensor_in_a_protocol_buffer_is_no_graph() {
        let tensor = b"\x08\x02\x10\x01\x4a\x04abcd";
        assert_eq!(seen("output_0.pb", tensor), (None, 0));
        let cut = seen("output_0.pb", &tensor[..8]);
        assert_eq!(cut, (Some(Format::GraphDef), 1), "nobody knows what it was");
    }
}
