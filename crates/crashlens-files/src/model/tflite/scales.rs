//! What quantised kernels ask of scales and zero points.

use super::check::Check;
use super::parts::{Graph, Operator, TensorPart};
use crashlens_core::files::NamedPart;

/// Numbers of `TensorType`.
const UINT8: i8 = 3;
const INT16: i8 = 7;
const INT8: i8 = 9;

/// How far the scale of a bias may be from that of the products it is added to, against the scale of the output.
const FARTHEST: f64 = 0.02;

impl Check<'_> {
    /// Convolutions and matrix products of small integers.
    pub(super) fn scales(
        &mut self,
        part: &NamedPart,
        name: &str,
        graph: &Graph,
        operator: &Operator,
    ) {
        let input = |number: usize| {
            let index = operator.inputs.get(number);
            index.and_then(|index| graph.tensor(*index))
        };
        let (Some(values), Some(weights)) = (input(0), input(1)) else {
            return;
        };
        if !matches!(values.kind, UINT8 | INT8 | INT16)
            || !matches!(name, "CONV_2D" | "DEPTHWISE_CONV_2D" | "FULLY_CONNECTED")
        {
            return;
        }
        if values.scales() == 0 || weights.scales() == 0 {
            let detail = format!("{name} of quantised values, and a tensor has no scale");
            self.note(part, detail);
            return;
        }
        let Some(bias) = input(2).filter(|bias| bias.scales() == 1) else {
            return;
        };
        if name != "FULLY_CONNECTED" {
            let zero = bias.quantization.map_or(0, |it| it.first_zero);
            if zero != 0 {
                self.note(part, format!("the zero point of its bias is {zero}"));
            }
            return;
        }
        let output = operator.outputs.first().and_then(|it| graph.tensor(*it));
        let scale = |tensor: &TensorPart| {
            tensor
                .quantization
                .map_or(0.0, |it| f64::from(it.first_scale))
        };
        let (product, output) = (scale(values) * scale(weights), output.map_or(0.0, scale));
        let apart = (product - scale(bias)).abs();
        if weights.scales() == 1 && output > 0.0 && apart / output > FARTHEST {
            let detail = format!(
                "the scale of its bias is {}, and that of what it is added to {product}",
                scale(bias)
            );
            self.note(part, detail);
        }
    }
}
