//! The TensorFlow kernel and op around the fault, as far as frames show them.

use super::native::native_frames;
use super::python::python_frames;
use crate::capture::{PythonFrame, Thread, ThreadRole};

/// The methods TensorFlow calls on a kernel, with the parameters that set them apart from helpers of the same name:
/// `ThreadPoolDevice::Compute(tensorflow::OpKernel*, …)` runs kernels and is none.
const KERNEL_METHODS: &[&str] = &[
    "::Compute(tensorflow::OpKernelContext*)",
    "::ComputeAsync(tensorflow::OpKernelContext*,",
    "::ComputeWithReservedSpace(tensorflow::OpKernelContext*,",
    "::MakeDataset(tensorflow::OpKernelContext*,",
    "::Compile(tensorflow::XlaOpKernelContext*)",
];

/// Kernel classes that serve many ops, so that their name says nothing about which one ran.
#[rustfmt::skip]
const SHARED_KERNELS: &[&str] = &[
    "AsyncOpKernel", "XlaOpKernel", "DatasetOpKernel", "UnaryDatasetOpKernel", "BinaryDatasetOpKernel", "UnaryOp",
    "BinaryOp", "SimpleBinaryOp", "BinaryElementWiseOp", "UnaryElementWiseOp", "ReductionOp", "SegmentReductionOp",
    "SegmentReductionGPUOp", "UnsortedSegmentReductionOp", "ScatterUpdateOp", "ScatterNdUpdateOp",
    "ResourceScatterUpdateOp", "LinearAlgebraOp", "ConstantOp", "PoolingOp", "FunctionalOp",
];

/// Capital letters that Python's names of ops have lost, by the part of the name they were in.
#[rustfmt::skip]
const ACRONYMS: &[(&str, &str)] = &[
    ("fft", "FFT"), ("ifft", "IFFT"), ("rfft", "RFFT"), ("irfft", "IRFFT"), ("fft2d", "FFT2D"), ("ifft2d", "IFFT2D"),
    ("rfft2d", "RFFT2D"), ("irfft2d", "IRFFT2D"), ("fft3d", "FFT3D"), ("ifft3d", "IFFT3D"), ("rfft3d", "RFFT3D"),
    ("irfft3d", "IRFFT3D"), ("lstm", "LSTM"), ("gru", "GRU"), ("rnn", "RNN"), ("ctc", "CTC"), ("lrn", "LRN"),
    ("csr", "CSR"), ("csv", "CSV"), ("hsv", "HSV"), ("rgb", "RGB"), ("io", "IO"),
];

/// Modules of TensorFlow through which a generated wrapper reaches the runtime.
const EAGER_MACHINERY: &[&str] = &[
    "tensorflow/python/eager/execute.py",
    "tensorflow/python/eager/context.py",
];

/// The nearest frame of the crashed thread that is a method of an `OpKernel`, or a lambda inside one.
pub(super) fn kernel(crashed: &Thread) -> Option<&str> {
    native_frames(crashed)
        .filter_map(|frame| frame.function.as_deref())
        .find(|function| {
            KERNEL_METHODS
                .iter()
                .any(|method| function.contains(method))
        })
}

/// The op's registered name; `None` when nothing says it for sure enough.
///
/// The Python wrapper that was running on the crashed thread names the op, but has lost its capitals; the
/// kernel's class has them, but may serve several ops. Where they agree, the class lends its capitals.
/// On a pool thread the wrapper is another thread's, and may be about a whole pipeline: there the kernel goes first.
pub(super) fn name(
    kernel: Option<&str>,
    crashed: &Thread,
    waiting: Option<&Thread>,
) -> Option<String> {
    let class = kernel
        .and_then(class_of)
        .filter(|class| !SHARED_KERNELS.contains(class));
    let stem = class.and_then(stem_of);
    if let Some(wrapper) = wrapper(crashed) {
        return Some(wrapper.op(stem.or(class)));
    }
    // What waits for a pipeline's worker is `IteratorGetNext`, whatever the worker does.
    let waiting = waiting.filter(|_| crashed.role != ThreadRole::TfData);
    stem.map(str::to_owned)
        .or_else(|| waiting.and_then(wrapper).map(|wrapper| wrapper.op(class)))
}

/// A function of a generated `gen_*_ops.py` module.
struct Wrapper<'a> {
    function: &'a str,
    source: Option<&'a str>,
}

/// The wrapper in which the thread's innermost Python code is, apart from the machinery wrappers use.
fn wrapper(thread: &Thread) -> Option<Wrapper<'_>> {
    let frame = python_frames(thread).find(|frame| {
        !EAGER_MACHINERY
            .iter()
            .any(|part| frame.file.ends_with(part))
    })?;
    is_generated(frame).then(|| Wrapper {
        function: frame
            .function
            .strip_suffix("_eager_fallback")
            .unwrap_or(&frame.function),
        source: frame.source.as_deref(),
    })
}

/// `…/tensorflow/python/ops/gen_math_ops.py`.
fn is_generated(frame: &PythonFrame) -> bool {
    let name = frame.file.rsplit('/').next().unwrap_or_default();
    name.starts_with("gen_") && name.ends_with("_ops.py") && frame.file.contains("/tensorflow/")
}

impl Wrapper<'_> {
    fn op(&self, class: Option<&str>) -> String {
        self.source
            .and_then(quoted_op)
            .or_else(|| class.and_then(|class| self.spelled_like(class)))
            .unwrap_or_else(|| self.camel_case())
    }

    /// The function's name with the capitals of `class`, where the class is its beginning:
    /// `block_lstm_grad_v2` and `BlockLSTMGrad` give `BlockLSTMGradV2`.
    fn spelled_like(&self, class: &str) -> Option<String> {
        let letters: String = self
            .function
            .chars()
            .filter(|letter| *letter != '_')
            .collect();
        let rest = letters.strip_prefix(&class.to_ascii_lowercase())?;
        let is_version = rest
            .strip_prefix('v')
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        (rest.is_empty() || is_version).then(|| format!("{class}{}", rest.to_ascii_uppercase()))
    }

    fn camel_case(&self) -> String {
        self.function.split('_').map(capitalised).collect()
    }
}

/// `QuantizedMatMul` of `_ctx, "QuantizedMatMul", name, …` or of `_execute.execute(b"QuantizedMatMul", …`.
fn quoted_op(source: &str) -> Option<String> {
    let (_, after) = source
        .split_once("_ctx, \"")
        .or_else(|| source.split_once("execute(b\""))?;
    let (op, _) = after.split_once('"')?;
    let is_name = op.starts_with(|first: char| first.is_ascii_uppercase());
    (is_name
        && op
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'>'))
    .then(|| op.to_owned())
}

/// `Conv2D` of `conv2d`, `Mul` of `mul`.
fn capitalised(word: &str) -> String {
    if let Some((_, capitals)) = ACRONYMS.iter().find(|(small, _)| *small == word) {
        return (*capitals).to_owned();
    }
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    match name
        .strip_suffix("2d")
        .map(|stem| (stem, "2D"))
        .or_else(|| name.strip_suffix("3d").map(|stem| (stem, "3D")))
    {
        Some((stem, dimensions)) => format!("{stem}{dimensions}"),
        None => name,
    }
}

/// `BlockLSTMGradOp` of `tensorflow::BlockLSTMGradOp<Eigen::ThreadPoolDevice, float>::Compute(…)`, also inside
/// `std::_Function_handler<…>`.
fn class_of(kernel: &str) -> Option<&str> {
    let method = KERNEL_METHODS
        .iter()
        .filter_map(|method| kernel.find(method))
        .min()?;
    let owner = without_template_arguments(kernel.get(..method)?);
    let begin = owner
        .rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .map_or(0, |at| at + 1);
    owner.get(begin..).filter(|class| !class.is_empty())
}

/// The text before the template arguments it ends with, if it ends with some.
fn without_template_arguments(name: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in name.char_indices().rev() {
        match letter {
            '>' => depth += 1,
            '<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if letter == '<' { &name[..at] } else { name };
        }
    }
    name
}

/// `QuantizedMatMul` of `QuantizedMatMulOp`, `Unbatch` of `UnbatchKernel`; `None` for a base class such as
/// `ReaderVerbAsyncOpKernel`, which is no op.
fn stem_of(class: &str) -> Option<&str> {
    if class.ends_with("OpKernel") {
        return None;
    }
    class
        .strip_suffix("Op")
        .or_else(|| class.strip_suffix("Kernel"))
        .filter(|stem| !stem.is_empty())
}

#[cfg(test)]
#[path = "op_tests.rs"]
mod tests;
