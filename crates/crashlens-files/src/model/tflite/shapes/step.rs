//! The shape that one operator makes of others, as its kernel does when it is prepared.

use super::axes::REDUCE;
use crate::model::tflite::parts::{Graph, Operator, TensorPart};

pub(super) type Shape = Vec<i64>;

/// Operations whose output has the shape of their input.
const KEEP_SHAPE: [&str; 30] = [
    "ABS",
    "CAST",
    "CEIL",
    "COS",
    "DEQUANTIZE",
    "ELU",
    "EXP",
    "FLOOR",
    "GELU",
    "HARD_SWISH",
    "L2_NORMALIZATION",
    "LEAKY_RELU",
    "LOG",
    "LOGICAL_NOT",
    "LOGISTIC",
    "LOG_SOFTMAX",
    "NEG",
    "QUANTIZE",
    "RELU",
    "RELU6",
    "RELU_N1_TO_1",
    "ROUND",
    "RSQRT",
    "SIGN",
    "SIN",
    "SOFTMAX",
    "SQRT",
    "SQUARE",
    "TANH",
    "ZEROS_LIKE",
];

/// Operations on two tensors of which each is stretched to the other.
const STRETCH: [&str; 18] = [
    "ADD",
    "DIV",
    "EQUAL",
    "FLOOR_DIV",
    "FLOOR_MOD",
    "GREATER",
    "GREATER_EQUAL",
    "LESS",
    "LESS_EQUAL",
    "LOGICAL_AND",
    "LOGICAL_OR",
    "MAXIMUM",
    "MINIMUM",
    "MUL",
    "NOT_EQUAL",
    "POW",
    "SQUARED_DIFFERENCE",
    "SUB",
];

pub(super) fn declared(tensor: &TensorPart) -> Shape {
    tensor.shape.iter().map(|it| i64::from(*it)).collect()
}

pub(super) fn look(known: &[Option<Shape>], index: i32) -> Option<&Shape> {
    known.get(usize::try_from(index).ok()?)?.as_ref()
}

fn count(shape: &[i64]) -> Option<i64> {
    shape
        .iter()
        .try_fold(1_i64, |all, one| all.checked_mul(*one))
}

/// An operator when its turn comes.
pub(super) struct Step<'a> {
    pub(super) name: &'a str,
    pub(super) graph: &'a Graph,
    pub(super) operator: &'a Operator,
    pub(super) known: &'a [Option<Shape>],
}

/// The shape of the first output where that is known, or why the operator cannot be.
pub(super) type Outcome = Result<Option<Shape>, String>;

impl Step<'_> {
    pub(super) fn outcome(&self) -> Outcome {
        match self.name {
            "CONV_2D" => self.convolution(false),
            "DEPTHWISE_CONV_2D" => self.convolution(true),
            "CONV_3D" => self.ranks(5),
            "MAX_POOL_2D" | "AVERAGE_POOL_2D" | "L2_POOL_2D" => self.pool(),
            "FULLY_CONNECTED" => self.fully_connected(),
            "RESHAPE" => self.reshape(),
            "CONCATENATION" => self.concatenation(),
            "TRANSPOSE" => self.transpose(),
            "PAD" | "PADV2" | "MIRROR_PAD" => self.pad(),
            "SPLIT" => self.split(),
            "STRIDED_SLICE" => self.strides(),
            "CUMSUM" => self.running_sum(),
            "PACK" => self.pack(),
            name if REDUCE.contains(&name) => self.reduced(),
            name if KEEP_SHAPE.contains(&name) => Ok(self.shape(0).cloned()),
            name if STRETCH.contains(&name) => self.stretched(),
            _ => Ok(None),
        }
    }

    pub(super) fn tensor(&self, number: usize) -> Option<&TensorPart> {
        self.graph.tensor(*self.operator.inputs.get(number)?)
    }

    pub(super) fn shape(&self, number: usize) -> Option<&Shape> {
        look(self.known, *self.operator.inputs.get(number)?)
    }

    pub(super) fn option(&self, key: &str, default: i64) -> i64 {
        self.operator.options.get(key).copied().unwrap_or(default)
    }

    pub(super) fn clash(&self) -> String {
        let shown = |number| {
            let shape = self.shape(number);
            shape.map_or_else(|| "?".to_owned(), |shape| format!("{shape:?}"))
        };
        let inputs: Vec<_> = (0..self.operator.inputs.len()).map(shown).collect();
        format!("{} of {}", self.name, inputs.join(" and "))
    }

    fn ranks(&self, rank: usize) -> Outcome {
        let mut known = (0..2).filter_map(|number| self.shape(number));
        if known.any(|shape| shape.len() != rank) {
            return Err(self.clash());
        }
        Ok(None)
    }

    /// Height and width that windows of this size leave.
    fn windows(&self, input: &[i64], size: [i64; 2]) -> Result<Option<[i64; 2]>, String> {
        match self.counted(input, size) {
            Some(left) if left.iter().any(|it| *it < 1) => {
                Err(format!("{} leaves nothing: {left:?}", self.clash()))
            }
            left => Ok(left),
        }
    }

    fn counted(&self, input: &[i64], size: [i64; 2]) -> Option<[i64; 2]> {
        let ways = [
            ("stride_h", "dilation_hfactor"),
            ("stride_w", "dilation_wfactor"),
        ];
        let mut left = [0; 2];
        for (way, (stride, dilation)) in ways.into_iter().enumerate() {
            let stride = Some(self.option(stride, 0)).filter(|it| *it > 0)?;
            let covered = size[way]
                .checked_sub(1)?
                .checked_mul(self.option(dilation, 1))?
                .checked_add(1)?;
            let length = *input.get(1 + way)?;
            left[way] = match self.option("padding", 0) {
                0 => length.checked_add(stride - 1)? / stride,
                1 => length.checked_add(stride)?.checked_sub(covered)? / stride,
                _ => return None,
            };
        }
        Some(left)
    }

    fn convolution(&self, is_depthwise: bool) -> Outcome {
        self.ranks(4)?;
        let Some(filter) = self.shape(1) else {
            return Ok(None);
        };
        let (many, last) = (filter[0], filter[3]);
        let channels = if is_depthwise { last } else { many };
        if is_depthwise && many != 1 {
            return Err(self.clash());
        }
        self.bias(channels)?;
        let Some(input) = self.shape(0) else {
            return Ok(None);
        };
        let given = input[3];
        let fits = if is_depthwise {
            given > 0 && last % given == 0
        } else {
            last > 0 && given % last == 0
        };
        if !fits {
            return Err(self.clash());
        }
        let left = self.windows(input, [filter[1], filter[2]])?;
        Ok(left.map(|[height, width]| vec![input[0], height, width, channels]))
    }

    /// A bias has a value for each channel.
    fn bias(&self, channels: i64) -> Result<(), String> {
        match self.shape(2).and_then(|bias| count(bias)) {
            Some(values) if values != channels => Err(self.clash()),
            _ => Ok(()),
        }
    }

    fn pool(&self) -> Outcome {
        self.ranks(4)?;
        let Some(input) = self.shape(0) else {
            return Ok(None);
        };
        let size = [
            self.option("filter_height", 0),
            self.option("filter_width", 0),
        ];
        let left = self.windows(input, size)?;
        Ok(left.map(|[height, width]| vec![input[0], height, width, input[3]]))
    }

    fn fully_connected(&self) -> Outcome {
        let Some(weights) = self.shape(1) else {
            return Ok(None);
        };
        let [rows, columns] = weights[..] else {
            return Err(self.clash());
        };
        if columns < 1 {
            return Err(self.clash());
        }
        self.bias(rows)?;
        let Some((input, all)) = self.shape(0).and_then(|it| Some((it, count(it)?))) else {
            return Ok(None);
        };
        if all % columns != 0 {
            return Err(self.clash());
        }
        if self.option("keep_num_dims", 0) == 0 {
            return Ok(Some(vec![all / columns, rows]));
        }
        let Some((last, others)) = input.split_last() else {
            return Ok(None);
        };
        if *last != columns {
            return Err(self.clash());
        }
        Ok(Some([others, &[rows]].concat()))
    }

    fn reshape(&self) -> Outcome {
        let Some(values) = self.tensor(1).map(|it| &it.values) else {
            return Ok(None);
        };
        if values.is_empty() {
            return Ok(None);
        }
        let Some((input, all)) = self.shape(0).and_then(|it| Some((it, count(it)?))) else {
            return Ok(None);
        };
        let open = values.iter().filter(|it| **it == -1).count();
        let given: Vec<_> = values.iter().copied().filter(|it| *it != -1).collect();
        let taken = count(&given).filter(|_| given.iter().all(|it| *it >= 0));
        match (taken, open) {
            (Some(taken), 0) if taken == all => Ok(Some(values.clone())),
            (Some(taken), 1) if taken > 0 && all % taken == 0 => {
                let fill = |it: &i64| if *it == -1 { all / taken } else { *it };
                Ok(Some(values.iter().map(fill).collect()))
            }
            _ => Err(format!("RESHAPE of {input:?} to {values:?}")),
        }
    }

    fn concatenation(&self) -> Outcome {
        let parts: Option<Vec<_>> = (0..self.operator.inputs.len())
            .map(|number| self.shape(number))
            .collect();
        let Some((first, others)) = parts.as_deref().and_then(<[_]>::split_first) else {
            return Ok(None);
        };
        let axis = self.option("axis", 0);
        let rank = first.len();
        let axis = if axis < 0 { axis + rank as i64 } else { axis };
        let axis = usize::try_from(axis).ok().filter(|it| *it < rank);
        let Some(axis) = axis else {
            return Err(format!("{} along {}", self.clash(), self.option("axis", 0)));
        };
        let mut joined = (*first).clone();
        for other in others {
            let differs =
                |(number, (one, two)): (usize, (&i64, &i64))| number != axis && one != two;
            let mut pairs = first.iter().zip(other.iter()).enumerate();
            if other.len() != rank || pairs.any(differs) {
                return Err(self.clash());
            }
            joined[axis] = joined[axis].saturating_add(other[axis]);
        }
        Ok(Some(joined))
    }

    fn transpose(&self) -> Outcome {
        let order = self.tensor(1).map(|it| &it.values);
        let (Some(input), Some(order)) = (self.shape(0), order.filter(|it| !it.is_empty())) else {
            return Ok(None);
        };
        let rank = input.len() as i64;
        let place = |it: &i64| usize::try_from(if *it < 0 { it + rank } else { *it }).ok();
        let turned: Option<Shape> = order
            .iter()
            .map(|it| input.get(place(it)?).copied())
            .collect();
        match turned {
            Some(turned) if turned.len() == input.len() => Ok(Some(turned)),
            _ => Err(format!("TRANSPOSE of {input:?} by {order:?}")),
        }
    }

    fn pad(&self) -> Outcome {
        let less = self.tensor(1).map(|it| &it.values);
        if let Some(less) = less.filter(|it| it.iter().any(|it| *it < 0)) {
            return Err(format!("{} by {less:?}", self.name));
        }
        let (Some(input), Some(paddings)) = (self.shape(0), self.tensor(1)) else {
            return Ok(None);
        };
        if self
            .shape(1)
            .is_some_and(|it| it[..] != [input.len() as i64, 2])
        {
            return Err(self.clash());
        }
        if paddings.values.len() != 2 * input.len() {
            return Ok(None);
        }
        let around = paddings.values.chunks(2);
        let padded = input.iter().zip(around);
        let padded = padded.map(|(it, around)| {
            around
                .iter()
                .try_fold(*it, |all, one| all.checked_add(*one))
        });
        Ok(padded.collect())
    }

    /// From the last dimension on each is equal, or 1.
    fn stretched(&self) -> Outcome {
        let (Some(one), Some(two)) = (self.shape(0), self.shape(1)) else {
            return Ok(None);
        };
        let rank = one.len().max(two.len());
        let from_end = |shape: &[i64], back: usize| {
            let place = shape.len().checked_sub(back + 1);
            place.and_then(|it| shape.get(it)).copied().unwrap_or(1)
        };
        let mut stretched = vec![1; rank];
        for back in 0..rank {
            let (a, b) = (from_end(one, back), from_end(two, back));
            if a != b && a != 1 && b != 1 {
                return Err(self.clash());
            }
            stretched[rank - 1 - back] = if a == 1 { b } else { a };
        }
        Ok(Some(stretched))
    }
}
