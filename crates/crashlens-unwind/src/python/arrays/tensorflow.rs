//! TensorFlow's and Keras' tensors and variables.
//!
//! Tensors with a value are C++ objects of a layout that is not published, found by their form (see [`eager`]).
//! Variables and tensors of graphs keep shape and type in attributes; the few that are in C structures are found
//! there by the Python types of what the structure points to.

mod eager;
mod element;
mod shape;

use crashlens_core::{Array, ArrayKind};

use super::super::objects::at;
use super::super::values::{Object, ValueReader, flags};
use super::Reader;
use crate::Unreadable;

/// A wrapper wraps the variable itself, or one more wrapper.
const MOST_WRAPPERS: u32 = 3;
/// Extents of a dimension are kept in 63 bits; ranks are at most 254.
const MOST_DIMENSIONS: usize = 254;

/// How objects are read whose type, or an ancestor of it, is called `base`; `None` if it is none of ours.
pub(super) fn reader(values: &ValueReader<'_>, object: &Object, base: &str) -> Option<Reader> {
    match base.rsplit('.').next()? {
        "EagerTensor" => Some(eager::read),
        "BaseResourceVariable" | "KerasVariable" | "AutoCastVariable" => Some(variable),
        // Keras 3 calls all of its classes so, whichever library does the work.
        "Variable" if from_package(values, object, "keras") => Some(variable),
        "SymbolicTensor" | "PyTensor" | "KerasTensor" => Some(symbolic),
        "Tensor" if from_package(values, object, "tensorflow") => Some(symbolic),
        _ => None,
    }
}

fn from_package(values: &ValueReader<'_>, object: &Object, package: &str) -> bool {
    let name = values.qualified_name(object);
    name.split('.').next() == Some(package)
}

/// A variable: what was declared of it. Its value may be narrower where dimensions were left open.
fn variable(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    let mut variable = object.clone();
    for _ in 0..MOST_WRAPPERS {
        if values.bases(&variable).iter().any(|base| is_variable(base)) {
            let mut array = declared(values, &variable)?;
            array.kind = ArrayKind::TensorflowVariable;
            return Some(array);
        }
        let wrapped = values
            .attribute(&variable, "_value")
            .or_else(|| values.attribute(&variable, "_variable"))?;
        variable = values.object(wrapped).ok()?;
    }
    None
}

fn is_variable(base: &str) -> bool {
    base.rsplit('.').next() == Some("BaseResourceVariable")
}

/// A tensor of a graph, or a placeholder of Keras for one.
fn symbolic(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    if let Some(declared) = declared(values, object) {
        return Some(declared);
    }
    if let Some(described) = values
        .attribute(object, "_type_spec")
        .and_then(|described| values.object(described).ok())
    {
        return pointed_to(values, &described);
    }
    let mut array = pointed_to(values, object)?;
    array.by_form = true;
    Some(array)
}

/// Shape and type as the attributes of an instance say them.
fn declared(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    let attribute = |name| {
        let address = values.attribute(object, name)?;
        values.object(address).ok()
    };
    let dtype = attribute("_dtype")?;
    let shape = attribute("_shape_val").or_else(|| attribute("_shape"));
    let mut array = super::unknown(ArrayKind::SymbolicTensor);
    array.dtype = Some(python_dtype(values, &dtype)?);
    array.shape = shape.and_then(|shape| python_shape(values, &shape));
    Some(array)
}

/// Shape and type as the objects say that the structure of `object` points to: slots of a Python class, or members of
/// one that is written in C.
fn pointed_to(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    let mut array = super::unknown(ArrayKind::SymbolicTensor);
    for member in members(values, object)? {
        match member.type_name.rsplit('.').next()? {
            "DType" if array.dtype.is_none() => array.dtype = python_dtype(values, &member),
            "TensorShape" if array.shape.is_none() => array.shape = python_shape(values, &member),
            // Two of a kind: which of them is meant cannot be told.
            "DType" | "TensorShape" => return None,
            _ => {}
        }
    }
    array.dtype.is_some().then_some(array)
}

/// The objects that the structure of `object` points to.
fn members(values: &ValueReader<'_>, object: &Object) -> Option<Vec<Object>> {
    const LARGEST: u64 = 256;
    let words = object.basic_size.min(LARGEST) / 8;
    let words = values.words(object.address, words as usize).ok()?;
    let members = words
        .into_iter()
        .skip(2)
        .filter_map(|word| values.object(word).ok());
    Some(members.collect())
}

/// The name of a `tf.DType`, or of a type that Keras 3 keeps as text.
fn python_dtype(values: &ValueReader<'_>, object: &Object) -> Option<String> {
    if object.is(flags::TEXT) {
        let name = values.text(object.address)?;
        return element::is_name(&name).then_some(name);
    }
    if object.type_name.rsplit('.').next()? != "DType" {
        return None;
    }
    // A wrapper that begins with a pointer to the C++ object, which begins with the number.
    let wrapped = values.pointer(object.address, 16).ok()?;
    let number = values.memory().u32(at(wrapped, 0).ok()?).ok()?;
    element::name(number)
}

/// A `tf.TensorShape` or a plain tuple; `None` for an unknown rank too.
fn python_shape(values: &ValueReader<'_>, object: &Object) -> Option<Vec<Option<u64>>> {
    let dimensions = if object.is(flags::TUPLE) {
        object.clone()
    } else if object.type_name.rsplit('.').next()? == "TensorShape" {
        let is_list = |member: &Object| member.is(flags::TUPLE | flags::LIST);
        let mut lists = members(values, object)?.into_iter().filter(is_list);
        let only = lists.next()?;
        lists.next().is_none().then_some(only)?
    } else {
        return None;
    };
    let (dimensions, count) = values.elements(&dimensions, MOST_DIMENSIONS).ok()?;
    if count > dimensions.len() as u64 {
        return None;
    }
    let dimensions = dimensions.into_iter();
    let dimensions: Result<_, _> = dimensions
        .map(|dimension| python_dimension(values, dimension))
        .collect();
    dimensions.ok()
}

/// One dimension; `None` if it is not known.
fn python_dimension(values: &ValueReader<'_>, address: u64) -> Result<Option<u64>, Unreadable> {
    let impossible = Unreadable { address };
    if let Some(extent) = values.integer(address) {
        return u64::try_from(extent).map(Some).map_err(|_| impossible);
    }
    let object = values.object(address)?;
    match object.type_name.rsplit('.').next() {
        Some("NoneType") => Ok(None),
        // Older versions wrap it once more, in a class with one attribute or slot.
        Some("Dimension") => {
            let inner = values
                .attribute(&object, "_value")
                .map_or_else(|| values.pointer(address, 16), Ok)?;
            match values.integer(inner) {
                Some(extent) => u64::try_from(extent).map(Some).map_err(|_| impossible),
                None => Ok(None),
            }
        }
        _ => Err(impossible),
    }
}
