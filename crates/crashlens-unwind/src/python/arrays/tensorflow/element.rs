//! TensorFlow's element types by their numbers, which are part of its file formats and never change.

/// Names, and bytes of an element in memory; 0 where that is not fixed.
const TYPES: [(&str, u64); 33] = [
    ("float32", 4),
    ("float64", 8),
    ("int32", 4),
    ("uint8", 1),
    ("int16", 2),
    ("int8", 1),
    ("string", 24),
    ("complex64", 8),
    ("int64", 8),
    ("bool", 1),
    ("qint8", 1),
    ("quint8", 1),
    ("qint32", 4),
    ("bfloat16", 2),
    ("qint16", 2),
    ("quint16", 2),
    ("uint16", 2),
    ("complex128", 16),
    ("float16", 2),
    ("resource", 0),
    ("variant", 0),
    ("uint32", 4),
    ("uint64", 8),
    ("float8_e5m2", 1),
    ("float8_e4m3fn", 1),
    ("float8_e4m3fnuz", 1),
    ("float8_e4m3b11fnuz", 1),
    ("float8_e5m2fnuz", 1),
    ("int4", 1),
    ("uint4", 1),
    ("int2", 1),
    ("uint2", 1),
    ("float4_e2m1fn", 1),
];

/// References to variables of TensorFlow 1 have numbers of their own.
const REFERENCE: u32 = 100;

/// The name of the type with this number.
pub(super) fn name(number: u32) -> Option<String> {
    match number.checked_sub(REFERENCE) {
        Some(referenced) => entry(referenced).map(|(name, _)| format!("{name}_ref")),
        None => entry(number).map(|(name, _)| (*name).to_owned()),
    }
}

/// Bytes of an element of the type with this number.
pub(super) fn size(number: u32) -> Option<u64> {
    entry(number)
        .map(|(_, size)| *size)
        .filter(|size| *size != 0)
}

/// Whether there is a type of this name.
pub(super) fn is_name(name: &str) -> bool {
    TYPES.iter().any(|(known, _)| *known == name)
}

fn entry(number: u32) -> Option<&'static (&'static str, u64)> {
    TYPES.get(usize::try_from(number).ok()?.checked_sub(1)?)
}
