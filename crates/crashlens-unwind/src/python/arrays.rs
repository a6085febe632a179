//! Arrays and tensors: shape, element type, and where the elements are.
//!
//! Responsible for recognising the objects of NumPy, TensorFlow, Keras and PyTorch and for checking everything that is
//! read of them against the rest of the object: a wrong shape is worse than none. Elements are never read.

mod numpy;
mod pretended;
mod tensorflow;
mod torch;

use crashlens_core::{Address, Array, ArrayKind, Mapping};

use super::values::{Object, ValueReader};

/// Reads objects of one kind.
type Reader = fn(&ValueReader<'_>, &Object) -> Option<Array>;

/// The array that `object` is; `None` if it is none, or none whose form is known.
pub(crate) fn read(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    let bases = values.bases(object);
    let reader = bases.iter().find_map(|base| match base.as_ref() {
        "numpy.ndarray" => Some(numpy::read as Reader),
        "torch._C.TensorBase" | "torch._C._TensorBase" => Some(torch::read as Reader),
        name => tensorflow::reader(values, object, name),
    })?;
    reader(values, object)
}

/// An array of a kind of which nothing is known yet.
fn unknown(kind: ArrayKind) -> Array {
    Array {
        kind,
        shape: None,
        dtype: None,
        strides: None,
        data: None,
        data_mapped: None,
        by_form: false,
    }
}

fn known_shape(dimensions: &[u64]) -> Vec<Option<u64>> {
    dimensions.iter().copied().map(Some).collect()
}

/// The product of the dimensions, where an array could have that many elements.
fn elements(dimensions: &[u64]) -> Option<u64> {
    // An empty array may have other dimensions of any size.
    if dimensions.contains(&0) {
        return Some(0);
    }
    let product = |product: u64, dimension: &u64| product.checked_mul(*dimension);
    let count = dimensions.iter().try_fold(1, product)?;
    i64::try_from(count).is_ok().then_some(count)
}

/// Strides in bytes of elements that lie one after the other, the last dimension fastest.
fn row_major(dimensions: &[u64], element_size: u64) -> Option<Vec<i64>> {
    let mut stride = i64::try_from(element_size).ok()?;
    let mut strides = Vec::new();
    for dimension in dimensions.iter().rev() {
        strides.push(stride);
        stride = stride.checked_mul(i64::try_from(*dimension).ok()?)?;
    }
    strides.reverse();
    Some(strides)
}

/// First byte, and number of bytes, of the memory that holds all elements; `None` where there are no elements, and
/// where it would not fit into an address space.
fn extent(data: u64, dimensions: &[u64], strides: &[i64], element_size: u64) -> Option<(u64, u64)> {
    if elements(dimensions)? == 0 || dimensions.len() != strides.len() {
        return None;
    }
    let (mut before, mut after) = (0_u64, element_size);
    for (dimension, stride) in dimensions.iter().zip(strides) {
        let reach = stride
            .unsigned_abs()
            .checked_mul(dimension.checked_sub(1)?)?;
        let side = if *stride < 0 { &mut before } else { &mut after };
        *side = side.checked_add(reach)?;
    }
    let start = data.checked_sub(before)?;
    let length = before.checked_add(after)?;
    start.checked_add(length)?;
    Some((start, length))
}

/// Says of `array` where its elements are and whether they can be reached there.
fn locate(
    values: &ValueReader<'_>,
    array: &mut Array,
    data: u64,
    layout: (&[u64], &[i64]),
    element_size: u64,
) {
    let (dimensions, strides) = layout;
    array.data = Some(Address(data));
    if elements(dimensions).is_none_or(|count| count == 0) || element_size == 0 {
        return;
    }
    // What would not even fit into the address space is nowhere.
    array.data_mapped = Some(
        extent(data, dimensions, strides, element_size)
            .is_some_and(|(start, length)| is_readable(values, start, length)),
    );
}

/// Whether all of the bytes are in mappings that may be read.
fn is_readable(values: &ValueReader<'_>, start: u64, length: u64) -> bool {
    let end = start.saturating_add(length);
    let mut position = start;
    while let Some(mapping) = values.snapshot().mapping_at(position) {
        if !mapping.is_readable() {
            return false;
        }
        if mapping.end.0 >= end {
            return true;
        }
        position = mapping.end.0;
    }
    false
}

/// Whether the table of virtual functions that the C++ object at `address` begins with is in a file whose path says
/// `library`.
fn is_object_of(values: &ValueReader<'_>, address: u64, library: &str) -> bool {
    virtual_table_file(values, address).is_some_and(|path| path.contains(library))
}

/// The file with the table of virtual functions that the C++ object at `address` begins with.
fn virtual_table_file<'a>(values: &'a ValueReader<'_>, address: u64) -> Option<&'a str> {
    if !address.is_multiple_of(8) {
        return None;
    }
    let table = values.pointer(address, 0).ok()?;
    let mapping = values.snapshot().mapping_at(table)?;
    let is_table = |mapping: &Mapping| mapping.is_readable() && mapping.inode != 0;
    is_table(mapping).then_some(mapping.path.as_deref()?)
}

/// For fuzzers: an object of every kind, the rest of which is `content`.
pub(crate) fn every_kind(content: &[u8]) {
    for name in pretended::NAMES {
        let head = [1, pretended::type_of(name)];
        let bytes: Vec<_> = head.into_iter().flat_map(u64::to_le_bytes).collect();
        pretended::array_in(&[&bytes, content].concat());
    }
}

#[cfg(test)]
mod tests;
