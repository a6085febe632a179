//! safetensors: a header of JSON, then the values of all tensors without a gap.
//!
//! The `safetensors` crate, which every loader of this format uses, decides whether a header is valid. It does not say where
//! a header is wrong, and it wants the whole file in memory for more; so the place of a flaw and the values are read here.

use std::collections::BTreeMap;
use std::io;

use crashlens_core::files::{Contents, Extent, FlawKind, ModelFacts, Part, Tensor};
use safetensors::tensor::Metadata;
use serde::Deserialize;

use crate::reading::Reading;
use crate::values::Float;

/// The library's own limit.
const LONGEST_HEADER: u64 = 100_000_000;
/// Parsed twice, a header takes a few times its bytes.
const HEADER_SHARE: u64 = 8;
const BLOCK: u64 = 1 << 20;
/// So many tensors are listed.
const MOST_LISTED: usize = 100_000;

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: Option<BTreeMap<String, String>>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let size = reading.source.size();
    let length = reading.source.bytes_at(0, 8)?;
    let Some(length) = length.first_chunk().map(|it| u64::from_le_bytes(*it)) else {
        let detail = format!("it has {size} bytes, and its length alone takes 8");
        reading.flaw(FlawKind::CutShort, Part::Header, detail);
        return Ok(());
    };
    let left = size - 8;
    if length > LONGEST_HEADER {
        let detail = format!("it declares {length} bytes; more than {LONGEST_HEADER} are refused");
        reading.flaw_at(FlawKind::Malformed, Part::Header, 0, detail);
        return Ok(());
    }
    if length > left {
        let detail = format!("it declares {length} bytes and {left} are left");
        reading.flaw_at(FlawKind::CutShort, Part::Header, 0, detail);
        return Ok(());
    }
    if length > reading.options.limits.memory / HEADER_SHARE {
        reading.flaw(
            FlawKind::TooLarge,
            Part::Header,
            format!("it has {length} bytes"),
        );
        return Ok(());
    }
    let text = reading.source.bytes_at(8, length as usize)?;
    match parse(&text) {
        Ok(header) => tensors(reading, header, refusal(&text), 8 + length),
        Err(error) => {
            reading.flaw_at(FlawKind::Malformed, Part::Header, 8, error);
            Ok(())
        }
    }
}

fn parse(text: &[u8]) -> Result<Header, String> {
    if text.first() != Some(&b'{') {
        return Err("it does not begin with a brace".to_owned());
    }
    serde_json::from_slice(text).map_err(|error| format!("it is no such JSON: {error}"))
}

/// Why the reference reader does not accept the header, if it does not.
fn refusal(text: &[u8]) -> Option<String> {
    let metadata: Result<Metadata, _> = serde_json::from_slice(text);
    metadata.err().map(|error| error.to_string())
}

/// Compares the tensors with each other and with the bytes after the header; `refusal` says why the header is not valid.
fn tensors(
    reading: &mut Reading<'_>,
    header: Header,
    refusal: Option<String>,
    start: u64,
) -> io::Result<()> {
    let there = reading.source.size() - start;
    let mut entries: Vec<(String, Entry)> = header.tensors.into_iter().collect();
    entries.sort_by_key(|(_, entry)| entry.data_offsets);
    let mut end = 0;
    let mut listed = Vec::new();
    for (name, entry) in entries {
        let (from, to) = entry.data_offsets;
        let fault = refusal.as_ref().and_then(|_| fault_of(&entry, end));
        if let Some((kind, detail)) = fault {
            reading.flaw(kind, Part::Tensor.named(&name), detail);
            return Ok(());
        }
        end = to;
        if listed.len() < MOST_LISTED {
            listed.push(Tensor {
                name,
                dtype: numpy_name(&entry.dtype),
                shape: entry.shape,
                bytes: to.saturating_sub(from),
                not_finite: 0,
            });
        }
    }
    if let Some(refusal) = refusal {
        reading.flaw_at(FlawKind::Malformed, Part::Header, 8, refusal);
        return Ok(());
    }
    if end > there {
        let detail = format!("its tensors take {end} bytes and {there} are there");
        reading.flaw_at(FlawKind::CutShort, Part::Values, start, detail);
    } else if end < there {
        let detail = format!("{} bytes come behind the last tensor", there - end);
        reading.flaw_at(FlawKind::TrailingBytes, Part::Values, start + end, detail);
    } else if reading.options.full {
        values(reading, &mut listed, start)?;
        reading.facts.extent = Extent::Full;
    }
    reading.holds(Contents::Model(Box::new(ModelFacts {
        producer: header.metadata.and_then(|mut it| it.remove("format")),
        tensors: listed,
        ..ModelFacts::default()
    })));
    Ok(())
}

/// What is wrong with the entry of a tensor that should begin at `end`.
fn fault_of(entry: &Entry, end: u64) -> Option<(FlawKind, String)> {
    let (from, to) = entry.data_offsets;
    if from != end || to < from {
        let detail = format!("it is said to be at {from} to {to}, and should begin at {end}");
        return Some((FlawKind::Malformed, detail));
    }
    let Some(bits) = bits_of(&entry.dtype) else {
        let detail = format!("there is no type `{}`", entry.dtype);
        return Some((FlawKind::Malformed, detail));
    };
    let mut shape = entry.shape.iter();
    let needed = shape.try_fold(bits, |all, one| all.checked_mul(*one));
    if needed.is_some_and(|bits| bits % 8 == 0 && bits / 8 == to - from) {
        return None;
    }
    let (dtype, shape) = (&entry.dtype, &entry.shape);
    let detail = format!("{dtype} of the shape {shape:?} is not {} bytes", to - from);
    Some((FlawKind::Contradiction, detail))
}

/// Looks for NaN and infinity; the tensors stand in the order of their places.
fn values(reading: &mut Reading<'_>, tensors: &mut [Tensor], start: u64) -> io::Result<()> {
    let mut at = start;
    for tensor in tensors {
        let end = at + tensor.bytes;
        if let Some(float) = Float::named(&tensor.dtype) {
            while at < end {
                let block = reading
                    .source
                    .bytes_at(at, (end - at).min(BLOCK) as usize)?;
                tensor.not_finite += float.not_finite(&block);
                // A file that shrank meanwhile has no more.
                at += (block.len() as u64).max(1);
            }
        }
        at = end;
        if tensor.not_finite > 0 {
            let detail = format!("{} of its values are NaN or infinite", tensor.not_finite);
            reading.flaw(
                FlawKind::NotFinite,
                Part::Tensor.named(&tensor.name),
                detail,
            );
        }
    }
    Ok(())
}

fn bits_of(dtype: &str) -> Option<u64> {
    Some(match dtype {
        "F4" => 4,
        "F6_E2M3" | "F6_E3M2" => 6,
        "BOOL" | "U8" | "I8" | "F8_E5M2" | "F8_E4M3" | "F8_E8M0" | "F8_E4M3FNUZ"
        | "F8_E5M2FNUZ" => 8,
        "I16" | "U16" | "F16" | "BF16" => 16,
        "I32" | "U32" | "F32" => 32,
        "I64" | "U64" | "F64" | "C64" => 64,
        _ => return None,
    })
}

fn numpy_name(dtype: &str) -> String {
    match dtype.split_at_checked(1) {
        Some(("F", bits)) if bits.chars().all(|it| it.is_ascii_digit()) => format!("float{bits}"),
        Some(("I", bits)) => format!("int{bits}"),
        Some(("U", bits)) => format!("uint{bits}"),
        _ if dtype == "BF16" => "bfloat16".to_owned(),
        _ => dtype.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use crate::fuzzing::examine_bytes;
    use crate::{Options, Purpose};
    use crashlens_core::files::{FileFacts, FlawKind};

    fn file(header: &str, values: &[u8]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(values);
        bytes
    }

    fn examined(bytes: &[u8]) -> FileFacts {
        let options = Options {
            purpose: Purpose::Model,
            full: true,
            ..Options::default()
        };
        examine_bytes("model.safetensors", bytes, &options)
    }

    fn flaws(bytes: &[u8]) -> Vec<FlawKind> {
        examined(bytes).flaws.iter().map(|flaw| flaw.kind).collect()
    }

    const TWO: &str = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"I8","shape":[3],"data_offsets":[8,11]}}"#;

    #[test]
    fn a_sound_file_lists_its_tensors() {
        let facts = examined(&file(TWO, &[0; 11]));
        assert_eq!(facts.flaws, []);
        let model = facts.model().expect("a model");
        let tensors: Vec<_> = model
            .tensors
            .iter()
            .map(|it| (it.dtype.as_str(), it.bytes))
            .collect();
        assert_eq!(tensors, [("float32", 8), ("int8", 3)]);
    }

    #[test]
    fn missing_bytes_and_bytes_too_many_are_told_apart() {
        assert_eq!(flaws(&file(TWO, &[0; 10])), [FlawKind::CutShort]);
        assert_eq!(flaws(&file(TWO, &[0; 12])), [FlawKind::TrailingBytes]);
        assert_eq!(flaws(&file(TWO, &[])[..40]), [FlawKind::CutShort]);
        assert_eq!(flaws(&[1, 0, 0]), [FlawKind::CutShort]);
    }

    #[test]
    fn a_hole_a_wrong_shape_and_an_unknown_type_are_found() {
        let hole = TWO.replace("[8,11]", "[9,12]");
        assert_eq!(flaws(&file(&hole, &[0; 12])), [FlawKind::Malformed]);
        let shape = TWO.replace("[3]", "[4]");
        assert_eq!(flaws(&file(&shape, &[0; 11])), [FlawKind::Contradiction]);
        let shape = TWO.replace("[3]", "[9223372036854775807,9]");
        assert_eq!(flaws(&file(&shape, &[0; 11])), [FlawKind::Contradiction]);
        let dtype = TWO.replace("I8", "Q8");
        assert_eq!(flaws(&file(&dtype, &[0; 11])), [FlawKind::Malformed]);
    }

    #[test]
    fn a_file_with_one_changed_byte_is_valid_where_the_reference_reader_takes_it() {
        let sound = file(TWO, &[0; 11]);
        let mut refused = 0;
        for at in 0..sound.len() - 11 {
            for byte in [b'0', b'1', b'9', b'"', b',', b'A', b'F', b'}', 0xff] {
                let mut changed = sound.clone();
                changed[at] = byte;
                let is_valid = safetensors::SafeTensors::deserialize(&changed).is_ok();
                refused += usize::from(!is_valid);
                let found = flaws(&changed);
                assert_eq!(found.is_empty(), is_valid, "byte {at} is {byte}: {found:?}");
            }
        }
        assert!(refused > 500, "{refused} were refused");
    }

    #[test]
    fn nan_among_the_weights_is_told_with_the_tensor() {
        let mut values = f32::NAN.to_le_bytes().to_vec();
        values.extend([0; 7]);
        let facts = examined(&file(TWO, &values));
        assert_eq!(facts.flaws[0].kind, FlawKind::NotFinite);
        assert_eq!(facts.flaws[0].part.words(), "tensor `a`");
    }
}
