//! Operators that work along axes: which they name is stored beside them.

use super::step::{Outcome, Shape, Step};

/// Operations that take the axes of their second input out of the first.
pub(super) const REDUCE: [&str; 7] = [
    "MEAN",
    "REDUCE_ALL",
    "REDUCE_ANY",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "REDUCE_PROD",
    "SUM",
];

/// The dimension that an axis names; those below 0 count from the end.
fn place(axis: i64, shape: &Shape) -> Option<usize> {
    let rank = i64::try_from(shape.len()).ok()?;
    let axis = if axis < 0 {
        axis.checked_add(rank)?
    } else {
        axis
    };
    usize::try_from(axis).ok().filter(|it| *it < shape.len())
}

impl Step<'_> {
    /// Stored numbers of an input, where they are known.
    fn stored(&self, number: usize) -> Option<&[i64]> {
        let values = self.tensor(number).map(|tensor| tensor.values.as_slice());
        values.filter(|values| !values.is_empty())
    }

    fn along(&self, shape: &Shape, axes: &[i64]) -> String {
        format!("{} of {shape:?} along {axes:?}", self.name)
    }

    pub(super) fn reduced(&self) -> Outcome {
        let (Some(input), Some(axes)) = (self.shape(0), self.stored(1)) else {
            return Ok(None);
        };
        let places: Option<Vec<_>> = axes.iter().map(|axis| place(*axis, input)).collect();
        let Some(places) = places else {
            return Err(self.along(input, axes));
        };
        let keeps = self.option("keep_dims", 0) != 0;
        let left = input.iter().enumerate().filter_map(|(number, length)| {
            match (places.contains(&number), keeps) {
                (true, true) => Some(1),
                (true, false) => None,
                (false, _) => Some(*length),
            }
        });
        Ok(Some(left.collect()))
    }

    pub(super) fn split(&self) -> Outcome {
        let (Some(input), Some(along)) = (self.shape(1), self.stored(0)) else {
            return Ok(None);
        };
        let many = i64::try_from(self.operator.outputs.len()).unwrap_or(i64::MAX);
        let number = along.first().and_then(|axis| place(*axis, input));
        let Some(number) = number.filter(|it| many > 0 && input[*it] % many == 0) else {
            return Err(format!("{} into {many}", self.along(input, along)));
        };
        let mut part = input.clone();
        part[number] /= many;
        Ok(Some(part))
    }

    /// Only whether it moves: what is left depends on masks, too.
    pub(super) fn strides(&self) -> Outcome {
        match self.stored(3) {
            Some(strides) if strides.contains(&0) => {
                Err(format!("{} with steps of {strides:?}", self.name))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn running_sum(&self) -> Outcome {
        let Some(input) = self.shape(0) else {
            return Ok(None);
        };
        match self.stored(1) {
            Some(axes) if axes.iter().any(|axis| place(*axis, input).is_none()) => {
                Err(self.along(input, axes))
            }
            _ => Ok(Some(input.clone())),
        }
    }

    pub(super) fn pack(&self) -> Outcome {
        let mut known = (0..self.operator.inputs.len()).filter_map(|number| self.shape(number));
        match known.next() {
            Some(first) if known.any(|other| other != first) => Err(self.clash()),
            _ => Ok(None),
        }
    }
}
