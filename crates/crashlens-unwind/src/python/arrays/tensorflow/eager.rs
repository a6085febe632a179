//! Tensors that have a value: from the Python object to the runtime's handle to the tensor in it.
//!
//! The handle's layout is not published and differs between versions. It is found by its form: a handle begins with a
//! table of virtual functions in TensorFlow's library and says its element type; a tensor kept in this process is
//! there twice in a row, followed by whether it is ready and by a shape that nobody has filled in. All of that has to
//! fit, and exactly once.

use crashlens_core::{Array, ArrayKind};

use super::super::super::values::{Object, ValueReader};
use super::element;
use super::shape::{self, TENSOR_SIZE, Tensor};

/// Bytes of a handle that are looked at: all of the largest that is known.
const HANDLE_SIZE: usize = 0x1c0;
/// What kind of handle it is, followed by the element type.
const HANDLE_KIND: usize = 0x10;
const EAGER: u32 = 2;
const HANDLE_DTYPE: usize = 0x14;
/// Null for the processor.
const DEVICE: usize = 0x18;
/// No version has the tensor before this.
const FIRST_TENSOR: usize = 0x80;

/// Within a buffer: how many share it, and the elements.
const BUFFER_COUNT: u64 = 8;
const BUFFER_DATA: u64 = 16;
const MOST_SHARERS: u64 = 1 << 31;

/// Where things are behind the first of the two tensors.
struct Form {
    /// Whether somebody may have to wait for the value.
    waited_for: usize,
    /// Whether it has come.
    ready: usize,
    /// The error that came instead: 0 or 1 for none.
    error: usize,
    /// Where the value is: 0 for this process.
    place: usize,
    /// A shape that was inferred.
    inferred: usize,
}

const FORMS: [Form; 3] = [
    // Seen in 2.4 and 2.8.
    Form {
        waited_for: 0x60,
        ready: 0x50,
        error: 0x58,
        place: 0x68,
        inferred: 0x70,
    },
    // Seen in 2.12, 2.15 and 2.18.
    Form {
        waited_for: 0x60,
        ready: 0x50,
        error: 0x58,
        place: 0x80,
        inferred: 0x88,
    },
    // Seen in 2.21.
    Form {
        waited_for: 0x58,
        ready: 0x48,
        error: 0x50,
        place: 0x78,
        inferred: 0x80,
    },
];

pub(super) fn read(values: &ValueReader<'_>, object: &Object) -> Option<Array> {
    const LARGEST_OBJECT: u64 = 256;
    let words = object.basic_size.min(LARGEST_OBJECT) / 8;
    let words = values.words(object.address, words as usize).ok()?;
    let mut handles = words
        .into_iter()
        .skip(2)
        .filter_map(|word| Handle::read(values, word));
    let handle = handles.next()?;
    if handles.next().is_some() {
        return None;
    }
    let tensor = handle.tensor(values)?;
    let number = u32::from(tensor.dtype);
    let mut array = super::super::unknown(ArrayKind::EagerTensor);
    array.by_form = true;
    array.shape = Some(super::super::known_shape(&tensor.dimensions));
    array.dtype = Some(element::name(number)?);
    // Elements on another device have addresses of that device.
    if handle.is_on_processor && tensor.buffer != 0 {
        let data = values.pointer(tensor.buffer, BUFFER_DATA).ok()?;
        if let Some(size) = element::size(number) {
            let strides = super::super::row_major(&tensor.dimensions, size);
            let strides = strides.unwrap_or_default();
            super::super::locate(
                values,
                &mut array,
                data,
                (&tensor.dimensions, &strides),
                size,
            );
        }
    }
    Some(array)
}

/// The runtime's handle of a tensor.
struct Handle {
    bytes: Vec<u8>,
    dtype: u32,
    is_on_processor: bool,
}

impl Handle {
    fn read(values: &ValueReader<'_>, address: u64) -> Option<Self> {
        if !super::super::is_object_of(values, address, "tensorflow") {
            return None;
        }
        let bytes = values.memory().bytes(address, HANDLE_SIZE).ok()?;
        let number = |offset: usize| {
            let bytes = bytes.get(offset..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let dtype = number(HANDLE_DTYPE)?;
        element::name(dtype)?;
        let is_on_processor = bytes.get(DEVICE..DEVICE + 8)? == [0; 8];
        (number(HANDLE_KIND)? == EAGER).then_some(Self {
            bytes,
            dtype,
            is_on_processor,
        })
    }

    /// The tensor in it, if there is one whose value has come, and no doubt which.
    fn tensor(&self, values: &ValueReader<'_>) -> Option<Tensor> {
        let starts = (FIRST_TENSOR..self.bytes.len()).step_by(8);
        let mut found = starts
            .flat_map(|start| FORMS.iter().map(move |form| (start, form)))
            .filter_map(|(start, form)| self.tensor_at(values, start, form));
        let tensor = found.next()?;
        found.next().is_none().then_some(tensor)
    }

    fn tensor_at(&self, values: &ValueReader<'_>, start: usize, form: &Form) -> Option<Tensor> {
        let from = self.bytes.get(start..)?;
        let is_settled = match from.get(form.waited_for)? {
            0 => true,
            1 => *from.get(form.ready)? == 1 && is_no_error(from.get(form.error..)?),
            _ => false,
        };
        let is_form = is_settled
            && *from.get(form.place)? == 0
            && shape::is_unknown(from.get(form.inferred..)?);
        if !is_form {
            return None;
        }
        let (first, second) = from.get(..2 * TENSOR_SIZE)?.split_at(TENSOR_SIZE);
        let tensor = Tensor::read(values.memory(), first)?;
        let copy = Tensor::read(values.memory(), second)?;
        let is_tensor = u32::from(tensor.dtype) == self.dtype
            && (copy == tensor || copy.is_default())
            && has_sound_buffer(values, &tensor);
        is_tensor.then_some(tensor)
    }
}

/// No error is a null pointer, or since 2.19 or so the number 1.
fn is_no_error(status: &[u8]) -> bool {
    status.first_chunk().is_some_and(|status: &[u8; 8]| {
        let status = u64::from_le_bytes(*status);
        status <= 1
    })
}

/// A tensor with elements has a buffer for them, and only one without may have none.
fn has_sound_buffer(values: &ValueReader<'_>, tensor: &Tensor) -> bool {
    if tensor.buffer == 0 {
        return tensor.elements == 0;
    }
    let sharers = values.pointer(tensor.buffer, BUFFER_COUNT).unwrap_or(0);
    let data = values.pointer(tensor.buffer, BUFFER_DATA).unwrap_or(0);
    super::super::virtual_table_file(values, tensor.buffer).is_some()
        && (1..MOST_SHARERS).contains(&sharers)
        && (data != 0 || tensor.elements == 0)
}
