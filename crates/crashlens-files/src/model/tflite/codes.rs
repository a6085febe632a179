//! The operations that a model lists, and whether TensorFlow has a kernel for each.

use crashlens_core::files::{FlawKind, Part};

use super::check::{Check, field};
use super::operators::KERNELS;
use super::parts::Code;

/// Custom operations that the interpreter of the Python package brings along.
const OWN_CUSTOM: [&str; 4] = [
    "TFLite_Detection_PostProcess",
    "Mfcc",
    "AudioSpectrogram",
    "NumericVerify",
];

/// Custom operations that XNNPACK takes over in TensorFlow 2.21.0, and that 2.15.1 has no kernel for.
const TAKEN_OVER: [&str; 3] = [
    "Convolution2DTransposeBias",
    "MaxPoolingWithArgmax2D",
    "MaxUnpooling2D",
];

impl Check<'_> {
    /// Every operation that is listed must have a kernel, used or not.
    pub(super) fn codes(&mut self) {
        for (number, code) in self.model.codes.iter().enumerate() {
            let custom = code.custom.as_deref().unwrap_or_default();
            let is_custom = self.schema.member("BuiltinOperator", code.builtin) == Some("CUSTOM");
            if is_custom && custom.starts_with("Flex") {
                let detail = format!(
                    "`{custom}` is run by the whole of TensorFlow, which the interpreter must be linked with"
                );
                self.note_as(FlawKind::Unsupported, Part::SelectOperation, detail);
            } else if is_custom && TAKEN_OVER.contains(&custom) {
                let detail = format!("not every TensorFlow has a kernel for `{custom}`");
                self.note_as(FlawKind::Unsupported, Part::MediaPipeOperation, detail);
            } else if let Some(missing) = self.missing(code) {
                let part = field(format!("operator_codes[{number}]"));
                self.note_as(FlawKind::Unsupported, part, missing);
            }
        }
    }

    fn missing(&self, code: &Code) -> Option<String> {
        let Some(name) = self.schema.member("BuiltinOperator", code.builtin) else {
            return Some(format!("there is no operation {}", code.builtin));
        };
        if name == "CUSTOM" {
            return match &code.custom {
                None => Some("it is a custom operation without a name".to_owned()),
                Some(name) if OWN_CUSTOM.contains(&name.as_str()) => None,
                Some(name) => Some(format!(
                    "TensorFlow has no kernel for the custom operation `{name}`"
                )),
            };
        }
        let Some(kernel) = KERNELS.get(name) else {
            return Some(format!("TensorFlow has no kernel for {name}"));
        };
        let version = u64::try_from(code.version).unwrap_or_default();
        (!kernel.versions.has(version)).then(|| {
            format!(
                "TensorFlow has no kernel for version {} of {name}",
                code.version
            )
        })
    }
}
