//! Questions about arrays whose memory is not there, and about arguments that are zero.

use super::Facts;
use super::values::LocalSight;
use crate::capture::{Array, Place, Variable};
use crate::evidence::FactRef;

/// An array that is not where its elements should be.
#[derive(Debug, Clone)]
pub struct StrayArray<'a> {
    /// The variable that holds it.
    pub name: &'a str,
    /// Its form.
    pub array: &'a Array,
    /// Where it is.
    pub fact: FactRef,
    /// Whether memory is mapped where its elements begin.
    pub begins_mapped: bool,
}

impl<'a> Facts<'a> {
    /// Arguments of the op's call that are the integer 0 or hold one, each name once.
    pub fn zero_arguments(&self) -> Vec<LocalSight<'a>> {
        let of_op = self.op_arguments();
        let mut found: Vec<LocalSight<'a>> = Vec::new();
        for sight in self.locals().filter(|sight| holds_zero(sight.variable)) {
            let has_name = |it: &LocalSight<'a>| it.variable.name == sight.variable.name;
            if of_op.iter().any(has_name) && !found.iter().any(has_name) {
                found.push(sight);
            }
        }
        found
    }

    /// An array on the path of the crash of which some elements are in no mapped memory, and among whose elements the
    /// address at fault is: of the outermost function, whose names are the user's own.
    pub fn stray_array(&self, begins_mapped: bool) -> Option<StrayArray<'a>> {
        self.stray_arrays()
            .filter(|it| it.begins_mapped == begins_mapped)
            .last()
    }

    fn stray_arrays(&self) -> impl Iterator<Item = StrayArray<'a>> + use<'a> {
        let address = self.access().map(|access| access.address.0);
        let begins_mapped = self.begins_mapped();
        self.locals().filter_map(move |sight| {
            let array = sight.variable.value.array.as_ref()?;
            let data = array.data?.0;
            let is_stray = array.data_mapped == Some(false) && !array.by_form;
            let (first, last) = extent(array)?;
            let range = data.checked_sub(first)?..=data.checked_add(last)?;
            let begins_mapped = begins_mapped(data)?;
            (is_stray && range.contains(&address?)).then(|| StrayArray {
                name: &sight.variable.name,
                array,
                fact: sight.fact,
                begins_mapped,
            })
        })
    }

    /// Tells whether memory is mapped at the beginning of an array, by the address space or by what is known of the
    /// place at fault.
    fn begins_mapped(&self) -> impl Fn(u64) -> Option<bool> + use<'a> {
        let maps = self.capture().maps.known();
        let place = self.place();
        let address = self.access().map(|access| access.address.0);
        move |data| match (maps, place) {
            (Some(maps), _) => Some(maps.iter().any(|mapping| mapping.contains(data))),
            _ if address == Some(data) => Some(false),
            (None, Some(Place::Released { mapping, .. })) => {
                mapping.contains(data).then_some(false)
            }
            (None, Some(Place::PastEnd { mapping, .. })) => mapping.contains(data).then_some(true),
            (None, _) => None,
        }
    }
}

/// Bytes before and behind its first element that an array's elements take; `None` where it cannot be computed.
fn extent(array: &Array) -> Option<(u64, u64)> {
    let shape: Option<Vec<u64>> = array.shape.as_ref()?.iter().copied().collect();
    let shape = shape?;
    let Some(strides) = &array.strides else {
        // Tensors are contiguous; 16 bytes are the widest element there is.
        let bytes = shape
            .iter()
            .try_fold(16_u64, |bytes, it| bytes.checked_mul(*it));
        return Some((0, bytes?));
    };
    let mut extent = (0_u64, 16_u64);
    for (count, stride) in shape.iter().zip(strides) {
        let bytes = count.checked_sub(1)?.checked_mul(stride.unsigned_abs())?;
        let side = if *stride < 0 {
            &mut extent.0
        } else {
            &mut extent.1
        };
        *side = side.checked_add(bytes)?;
    }
    Some(extent)
}

/// A shape as Python writes a list.
pub(crate) fn written(shape: &[Option<u64>]) -> String {
    let words: Vec<String> = shape
        .iter()
        .map(|it| it.map_or_else(|| "None".to_owned(), |it| it.to_string()))
        .collect();
    format!("[{}]", words.join(", "))
}

/// Whether a value is the integer 0, or a short list with one in it.
fn holds_zero(variable: &Variable) -> bool {
    let value = &variable.value;
    let Some(text) = value.text.as_deref() else {
        return false;
    };
    match value.type_name.as_str() {
        "int" => text == "0",
        "list" | "tuple" => text
            .trim_matches(['[', ']', '(', ')'])
            .split(',')
            .any(|item| item.trim() == "0"),
        _ => false,
    }
}
