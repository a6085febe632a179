//! `torch.Tensor`, by the form of the C++ object behind it.
//!
//! That object points back to its Python object, right before shape and strides: no other word of it can. Only objects
//! of the plain class are believed, because others (sparse, nested, batched, functional) keep their shape elsewhere.

use crashlens_core::{Array, ArrayKind};

use super::super::values::{Object, ValueReader};

/// Bytes of the Python object, and of the C++ object, that are looked at.
const LARGEST_OBJECT: u64 = 64;
const IMPLEMENTATION_WORDS: usize = 26;
/// Index of the first word that can be the pointer back, in the versions that are known.
const FIRST_BACK_POINTER: usize = 6;

/// Dimensions that are kept in the object itself.
const INLINE_DIMENSIONS: usize = 5;
const MOST_DIMENSIONS: usize = 64;

/// Names, and bytes of an element, by number; 0 where several elements share a byte.
const TYPES: [(&str, u64); 30] = [
    ("uint8", 1),
    ("int8", 1),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("float16", 2),
    ("float32", 4),
    ("float64", 8),
    ("complex32", 4),
    ("complex64", 8),
    ("complex128", 16),
    ("bool", 1),
    ("qint8", 1),
    ("quint8", 1),
    ("qint32", 4),
    ("bfloat16", 2),
    ("quint4x2", 0),
    ("quint2x4", 0),
    ("bits1x8", 0),
    ("bits2x4", 0),
    ("bits4x2", 0),
    ("bits8", 1),
    ("bits16", 2),
    ("float8_e5m2", 1),
    ("float8_e4m3fn", 1),
    ("float8_e5m2fnuz", 1),
    ("float8_e4m3fnuz", 1),
    ("uint16", 2),
    ("uint32", 4),
    ("uint64", 8),
];

pub(super) fn read(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    let words = object.basic_size.min(LARGEST_OBJECT) / 8;
    let words = values.words(object.address, words as usize).ok()?;
    let mut found = words
        .into_iter()
        .skip(2)
        .filter_map(|word| Implementation::read(values, word, object.address));
    let implementation = found.next()?;
    if found.next().is_some() {
        return None;
    }
    implementation.array(values)
}

/// The C++ object.
struct Implementation {
    words: Vec<u64>,
    /// Index of what comes after the pointer back: the rank.
    rank: usize,
}

impl Implementation {
    fn read(values: &ValueReader<'_>, address: u64, python: u64) -> Option<Self> {
        if !super::is_object_of(values, address, "libc10") {
            return None;
        }
        let words = values.words(address, IMPLEMENTATION_WORDS).ok()?;
        // The lowest bit says which of the two keeps the other alive.
        let is_back = |word: &u64| word & !1 == python;
        let back = words.iter().skip(FIRST_BACK_POINTER).position(is_back)?;
        let rank = FIRST_BACK_POINTER.checked_add(back)?.checked_add(1)?;
        Some(Self { words, rank })
    }

    /// The word that comes so many after the rank.
    fn after_rank(&self, count: usize) -> Option<u64> {
        self.words.get(self.rank.checked_add(count)?).copied()
    }

    fn array(&self, values: &ValueReader<'_>) -> Option<Array> {
        let mut array = super::unknown(ArrayKind::TorchTensor);
        array.by_form = true;
        let element = self.after_rank(2 * INLINE_DIMENSIONS + 3)?;
        let (name, size) = *TYPES.get(usize::from(element as u16))?;
        array.dtype = Some(name.to_owned());
        let storage = self.storage(values);
        if self.has_symbolic_shape(values, storage.as_ref()) {
            return Some(array);
        }
        let (dimensions, strides) = self.dimensions(values)?;
        let elements = self.after_rank(2 * INLINE_DIMENSIONS + 2)?;
        if super::elements(&dimensions)? != elements {
            return None;
        }
        array.shape = Some(super::known_shape(&dimensions));
        let in_bytes = |stride: &u64| {
            let size = i64::try_from(size).ok().filter(|size| *size > 0)?;
            stride.cast_signed().checked_mul(size)
        };
        array.strides = strides.iter().map(in_bytes).collect();
        if let (Some(storage), Some(strides)) = (storage, array.strides.clone())
            && let Some(data) = self.data(&storage, (&dimensions, &strides), size)
            && Self::is_on_processor(element)
        {
            super::locate(values, &mut array, data, (&dimensions, &strides), size);
        }
        Some(array)
    }

    /// Sizes and strides, the latter in elements.
    fn dimensions(&self, values: &ValueReader<'_>) -> Option<(Vec<u64>, Vec<u64>)> {
        let rank = usize::try_from(self.after_rank(0)?).ok()?;
        let first = self.rank.checked_add(1)?;
        let both = if rank <= INLINE_DIMENSIONS {
            let second = first.checked_add(INLINE_DIMENSIONS)?;
            (
                self.words.get(first..)?.get(..rank)?.to_vec(),
                self.words.get(second..)?.get(..rank)?.to_vec(),
            )
        } else if rank <= MOST_DIMENSIONS {
            let mut sizes = values.words(self.after_rank(1)?, 2 * rank).ok()?;
            let strides = sizes.split_off(rank);
            (sizes, strides)
        } else {
            return None;
        };
        let is_extent = |extent: &u64| i64::try_from(*extent).is_ok();
        both.0.iter().all(is_extent).then_some(both)
    }

    /// The storage: after one word of counts, or two.
    fn storage(&self, values: &ValueReader<'_>) -> Option<Storage> {
        (2..=3).find_map(|index| {
            let address = *self.words.get(index)?;
            if !super::is_object_of(values, address, "torch")
                && !super::is_object_of(values, address, "libc10")
            {
                return None;
            }
            // It has the same counts before its own pointer to the elements.
            let place = index as u64 * 8;
            Some(Storage {
                index,
                data: values.pointer(address, place).ok()?,
                length: values.pointer(address, place.checked_add(0x20)?).ok()?,
            })
        })
    }

    /// Whether the shape is made of symbols, which are kept elsewhere; also where that cannot be told.
    fn has_symbolic_shape(&self, values: &ValueReader<'_>, storage: Option<&Storage>) -> bool {
        // Without a storage it is not known how many counts there are.
        let places: &[usize] = match storage.map(|storage| storage.index) {
            Some(2) => &[4],
            Some(_) => &[5],
            None => &[4, 5],
        };
        let is_symbolic = |further: u64| {
            further != 0 && values.pointer(further, 0).is_ok_and(|symbols| symbols != 0)
        };
        places
            .iter()
            .any(|index| self.words.get(*index).copied().is_none_or(is_symbolic))
    }

    fn is_on_processor(element: u64) -> bool {
        let [_, _, kind, _, is_known, ..] = element.to_le_bytes();
        kind == 0 && is_known == 1
    }

    /// Where the first element is, if the storage has room for all of them.
    fn data(&self, storage: &Storage, layout: (&[u64], &[i64]), size: u64) -> Option<u64> {
        let offset = self
            .after_rank(2 * INLINE_DIMENSIONS + 1)?
            .checked_mul(size)?;
        let data = storage.data.checked_add(offset)?;
        let Some((start, length)) = super::extent(data, layout.0, layout.1, size) else {
            return Some(data);
        };
        let end = start.checked_add(length)?;
        let has_room = end <= storage.data.checked_add(storage.length)?;
        has_room.then_some(data)
    }
}

/// The memory that tensors share.
struct Storage {
    /// Which word of the tensor points to it.
    index: usize,
    data: u64,
    length: u64,
}
