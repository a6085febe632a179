//! Edits of header fields, by format: sizes, counts, lengths and kinds that are wrong, too large or zero.

mod images;

use super::mutation::{Mutation, Subject};
use super::seal::{record_places, u16_le, u32_le, zip_members};

/// The edits of a file's fields.
pub fn fields(subject: &Subject<'_>) -> Vec<Mutation> {
    let bytes = subject.content;
    match subject.format {
        "jpeg" => images::jpeg(bytes),
        "png" => images::png(bytes),
        "gif" => images::gif(bytes),
        "bmp" => images::bmp(bytes),
        "webp" => images::webp(bytes),
        "wav" => wav(bytes),
        "tfrecord" => records(bytes),
        "tfrecord-gzip" | "tfrecord-zlib" => packed(subject),
        "npy" => npy(bytes, 0),
        "npz" => npz(bytes),
        "safetensors" => safetensors(bytes),
        "tflite" => root_offsets(bytes),
        _ => Vec::new(),
    }
}

fn edit(at: usize, bytes: impl Into<Vec<u8>>) -> Mutation {
    Mutation::Edit {
        at,
        bytes: bytes.into(),
    }
}

fn sealed(at: usize, bytes: impl Into<Vec<u8>>) -> Mutation {
    Mutation::Sealed {
        at,
        bytes: bytes.into(),
    }
}

fn wav(bytes: &[u8]) -> Vec<Mutation> {
    let mut planned = vec![edit(4, [0xff; 4]), edit(4, [0; 4]), edit(16, [40])];
    let fields: [(usize, &[u16]); 5] = [
        (20, &[0, 3, 0xfffe]),
        (22, &[0, 1, 2, 7, 0xffff]),
        (24, &[0]),
        (32, &[0, 1, 3]),
        (34, &[0, 8, 24, 32]),
    ];
    for (at, values) in fields {
        planned.extend(values.iter().map(|value| edit(at, value.to_le_bytes())));
    }
    let named = bytes.windows(4).position(|window| window == b"data");
    if let Some(at) = named {
        let length = u32_le(bytes, at + 4).and_then(|length| u32::try_from(length).ok());
        let length = length.unwrap_or(0);
        for wrong in [0, 1, length - 2, length + 2, length + 1, 1 << 31, u32::MAX] {
            planned.push(edit(at + 4, wrong.to_le_bytes()));
        }
        planned.push(edit(at, *b"dat_"));
        planned.push(Mutation::Cut(at));
        planned.push(Mutation::Cut(at + 8));
    }
    planned
}

const LENGTHS: [u64; 10] = [
    0,
    1_000_000,
    (1 << 31) - 1,
    1 << 32,
    1 << 40,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX - 15,
    u64::MAX,
];

fn records(bytes: &[u8]) -> Vec<Mutation> {
    let places = record_places(bytes);
    let mut planned = Vec::new();
    let middle = places.len() / 2;
    for place in [0, middle, places.len().saturating_sub(1)] {
        let Some((begin, length)) = places.get(place).copied() else {
            continue;
        };
        for wrong in LENGTHS {
            planned.push(sealed(begin, wrong.to_le_bytes()));
        }
        for kept in [0, 1, 8, 11, 12, 14] {
            planned.push(Mutation::Cut(begin + kept));
        }
        planned.push(Mutation::Delete { at: begin, length });
        // The tag of the message that the record holds.
        planned.push(sealed(begin + 12, [0x0f]));
        planned.push(sealed(begin + 13, [0xff]));
    }
    planned
}

fn packed(subject: &Subject<'_>) -> Vec<Mutation> {
    let Some(content) = subject.unpacked else {
        return Vec::new();
    };
    let mut inner = records(content);
    inner.extend([
        Mutation::Cut(0),
        Mutation::Cut(content.len() / 2),
        Mutation::Cut(content.len() - 1),
        Mutation::Flip { at: 20, bit: 1 },
        Mutation::Flip {
            at: content.len() / 2,
            bit: 3,
        },
        Mutation::Zero {
            at: 100,
            length: 64,
        },
        Mutation::Twice,
        Mutation::Garbage(8),
    ]);
    inner
        .into_iter()
        .map(|inner| Mutation::Packed(Box::new(inner)))
        .collect()
}

/// Other headers of the same length, in a file or in the member of a zip that begins at `start`.
fn npy(bytes: &[u8], start: usize) -> Vec<Mutation> {
    let write = if start == 0 { edit } else { sealed };
    let (Some(length), Some(header)) = (
        u16_le(bytes, start + 8),
        bytes.get(start + 10..start + 10 + u16_le(bytes, start + 8).unwrap_or(0)),
    ) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(header);
    let (Some(shape), Some(kind)) = (text.find("'shape': "), text.find("'descr': ")) else {
        return Vec::new();
    };
    let mut planned = Vec::new();
    let shapes = [
        "(100000, 100000)",
        "(9223372036854775807, 8)",
        "(-1, 4)",
        "(2.5, 4)",
        "(4,)",
        "(5, 5)",
        "()",
        "(0,)",
        "7",
        "None",
    ];
    for wrong in shapes {
        let mut rest = format!("'shape': {wrong}, }}");
        let room = length.saturating_sub(shape + 1);
        rest.truncate(room);
        planned.push(write(
            start + 10 + shape,
            format!("{rest:room$}\n").into_bytes(),
        ));
    }
    if text[kind..].starts_with("'descr': '<f4'") {
        for wrong in [
            "<f8", "<f2", "|O8", "<q4", ">f4", "<U4", "|V4", "<i4", "|S4",
        ] {
            planned.push(write(start + 10 + kind + 10, wrong.as_bytes().to_vec()));
        }
    }
    for wrong in [0, 1, length - 1, length + 1, 0xffff] {
        let wrong = u16::try_from(wrong).unwrap_or(u16::MAX);
        planned.push(write(start + 8, wrong.to_le_bytes().to_vec()));
    }
    for version in [0, 2, 3, 9] {
        planned.push(write(start + 6, vec![version]));
    }
    planned
}

fn npz(bytes: &[u8]) -> Vec<Mutation> {
    let mut planned = Vec::new();
    for member in zip_members(bytes).unwrap_or_default() {
        if member.stored {
            planned.extend(npy(bytes, member.content));
        }
        planned.push(Mutation::Cut(member.content));
        planned.push(Mutation::Cut(member.content + member.length));
    }
    planned
}

fn safetensors(bytes: &[u8]) -> Vec<Mutation> {
    let length = u64::try_from(bytes.len()).unwrap_or(0);
    let wrong = [0, 1, length, length - 8, 1 << 31, 1 << 63, u64::MAX];
    let mut planned: Vec<_> = wrong
        .iter()
        .map(|wrong| edit(0, wrong.to_le_bytes()))
        .collect();
    let text = String::from_utf8_lossy(bytes);
    if let Some(at) = text.find("F32") {
        planned.push(edit(at, *b"F64"));
        planned.push(edit(at, *b"X32"));
        planned.push(edit(at, *b"I32"));
    }
    if let Some(at) = text.find("[24,16]") {
        planned.push(edit(at + 1, *b"25"));
        planned.push(edit(at + 1, *b"-4"));
        planned.push(edit(at + 1, *b"16,24"));
    }
    planned
}

fn root_offsets(bytes: &[u8]) -> Vec<Mutation> {
    let length = u32::try_from(bytes.len()).unwrap_or(0);
    let wrong = [0, 4, length - 4, length, u32::MAX >> 1, u32::MAX - 3];
    let mut planned: Vec<_> = wrong
        .iter()
        .map(|wrong| edit(0, wrong.to_le_bytes()))
        .collect();
    planned.push(edit(4, *b"TFL2"));
    planned.push(edit(4, [0; 4]));
    planned
}
