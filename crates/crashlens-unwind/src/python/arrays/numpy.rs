//! `numpy.ndarray` and what derives from it, by NumPy's published layout.

mod dtype;

use crashlens_core::{Array, ArrayKind};

use super::super::objects::at;
use super::super::values::{Object, ValueReader};

const DATA: u64 = 16;
const RANK: u64 = 24;
const DIMENSIONS: u64 = 32;
const STRIDES: u64 = 40;
const DTYPE: u64 = 56;

/// 32 until NumPy 1, 64 since.
const MOST_DIMENSIONS: usize = 64;

pub(super) fn read(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    let pointer = |offset| values.pointer(object.address, offset).ok();
    let rank = values.memory().i32(at(object.address, RANK).ok()?).ok()?;
    let rank = usize::try_from(rank)
        .ok()
        .filter(|rank| *rank <= MOST_DIMENSIONS)?;
    let words = |start: u64| match rank {
        0 => Some(Vec::new()),
        _ => values.words(start, rank).ok(),
    };
    let dimensions = words(pointer(DIMENSIONS)?)?;
    let strides: Vec<i64> = words(pointer(STRIDES)?)?
        .into_iter()
        .map(u64::cast_signed)
        .collect();
    super::elements(&dimensions)?;

    let mut array = super::unknown(ArrayKind::Numpy);
    array.shape = Some(super::known_shape(&dimensions));
    if let Some(dtype) = dtype::read(values, pointer(DTYPE)?) {
        let layout = (dimensions.as_slice(), strides.as_slice());
        super::locate(values, &mut array, pointer(DATA)?, layout, dtype.size);
        array.dtype = Some(dtype.name);
    }
    array.strides = Some(strides);
    Some(array)
}
