//! The values of constants: shape and type against what is stored.

use crate::model::dtype;
use crate::model::proto::Node;

/// A `TensorProto`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Constant {
    pub(super) dtype: u64,
    pub(super) shape: Vec<u64>,
    /// Bytes of its values in memory.
    pub(super) bytes: u64,
    /// Where they are in the file as they are in memory.
    pub(super) stored: Option<(u64, u64)>,
    /// What is wrong with it.
    pub(super) fault: Option<String>,
}

pub(super) fn constant(tensor: &Node) -> Constant {
    let dtype = tensor.number(1).unwrap_or(0);
    let sizes: Vec<i64> = tensor.message(2).map_or_else(Vec::new, sizes);
    let content = tensor.blob(4).filter(|content| content.length > 0);
    let mut constant = Constant {
        dtype,
        shape: sizes.iter().map(|size| (*size).max(0) as u64).collect(),
        bytes: 0,
        stored: content.map(|content| (content.at, content.length)),
        fault: None,
    };
    let elements = match dtype::elements(&sizes) {
        Ok(elements) => elements,
        Err((_, detail)) => {
            constant.fault = Some(detail);
            return constant;
        }
    };
    constant.bytes = elements.saturating_mul(dtype::size(dtype).unwrap_or(0));
    constant.fault = fault(dtype, elements, content.map(|content| content.length));
    constant
}

/// Values that are listed one by one may be fewer than the elements, or more: TensorFlow repeats the last, or drops them.
fn fault(dtype: u64, elements: u64, content: Option<u64>) -> Option<String> {
    if !dtype::is_known(dtype) {
        return Some(format!("there is no type {dtype}"));
    }
    let (length, size) = (content?, dtype::size(dtype)?);
    let needed = elements.checked_mul(size);
    (needed != Some(length)).then(|| {
        let of = dtype::name(dtype);
        format!("{elements} values of {of} do not have the {length} bytes stored")
    })
}

/// The sizes of a `TensorShapeProto`; that of unknown rank has none.
pub(super) fn sizes(shape: &Node) -> Vec<i64> {
    if shape.number(3) == Some(1) {
        return vec![-1];
    }
    let dimensions = shape.messages(2);
    dimensions
        .map(|dimension| dimension.number(1).unwrap_or(0) as i64)
        .collect()
}
