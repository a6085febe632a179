//! The TensorFlow kernel and op around the fault.
//!
//! Three witnesses: the runtime's own record of the kernel, the generated Python function that was called, and the
//! class whose code was running. The record is exact. The Python function is exact too, but may stand for more than
//! itself (a whole pipeline behind `iterator_get_next`). A class may serve several ops. Of witnesses that do not
//! agree the innermost is right: it tells what was going on when it happened.

use super::registered::{names_of_class, spelled};
use crate::capture::{Frame, FrameTrust, NativeFrame, PythonFrame, Thread, ThreadRole};
use crate::culprit::python_frames;
use crate::frameworks::Seen;
use crate::text::capitalised;

/// The methods TensorFlow calls on a kernel, with the parameters that set them apart from helpers of the same name:
/// `ThreadPoolDevice::Compute(tensorflow::OpKernel*, …)` runs kernels and is none.
const KERNEL_METHODS: &[&str] = &[
    "::Compute(tensorflow::OpKernelContext*)",
    "::ComputeAsync(tensorflow::OpKernelContext*,",
    "::ComputeWithReservedSpace(tensorflow::OpKernelContext*,",
    "::MakeDataset(tensorflow::OpKernelContext*,",
    "::Compile(tensorflow::XlaOpKernelContext*)",
];

/// Modules of TensorFlow through which a generated wrapper reaches the runtime.
const EAGER_MACHINERY: &[&str] = &[
    "tensorflow/python/eager/execute.py",
    "tensorflow/python/eager/context.py",
];

/// The nearest frame of the crashed thread that is a method of an `OpKernel`, or a lambda inside one.
pub(super) fn kernel(crashed: &Thread) -> Option<&str> {
    find(crashed, |function| {
        KERNEL_METHODS
            .iter()
            .any(|method| function.contains(method))
    })
    .and_then(|(_, frame)| frame.function.as_deref())
}

/// The op's registered name; `None` when nothing says it for sure enough.
pub(super) fn name(seen: &Seen<'_>) -> Option<String> {
    let crashed = seen.crashed;
    let running = find(crashed, |function| class_of(function).is_some());
    let wrapper = wrapper(crashed);
    // Python code that a kernel called is further in than the kernel.
    let outer_wrapper = match (&wrapper, running) {
        (Some(wrapper), Some((place, _))) if wrapper.place < place => return Some(wrapper.op()),
        (wrapper, _) => wrapper.as_ref().map(Wrapper::op),
    };
    let candidates = running.map(|(_, frame)| ops_of(frame)).unwrap_or_default();
    let pipeline = running
        .and_then(|(_, frame)| frame.function.as_deref())
        .is_some_and(|function| kernel_class(function).is_none());
    let recorded = seen
        .record
        .map(|record| without_library(&record.op))
        // A function that is called like an op; and a pipeline's step, which is further in than any kernel.
        .filter(|op| !op.starts_with("__") && !pipeline);
    if recorded.is_some() {
        return recorded;
    }
    match (outer_wrapper, candidates.as_slice()) {
        (Some(op), candidates) if candidates.is_empty() || candidates.contains(&op) => Some(op),
        (_, [only]) => Some(only.clone()),
        // What waits for a pipeline's worker is `IteratorGetNext`, whatever the worker does.
        (None, candidates) if crashed.role != ThreadRole::TfData => seen
            .waiting
            .and_then(self::wrapper)
            .map(|wrapper| wrapper.op())
            .filter(|op| candidates.is_empty() || candidates.contains(op)),
        _ => None,
    }
}

/// The first native frame, from the innermost, whose function is wanted, and its place among all frames.
fn find(thread: &Thread, wanted: impl Fn(&str) -> bool) -> Option<(usize, &NativeFrame)> {
    thread
        .frames
        .iter()
        .enumerate()
        .find_map(|(place, frame)| match frame {
            Frame::Native(native) if native.trust < FrameTrust::Scan => native
                .function
                .as_deref()
                .is_some_and(&wanted)
                .then_some((place, native)),
            Frame::Native(_) | Frame::Python(_) => None,
        })
}

/// The ops that the class of the frame's function serves; one it may be the name of, where it is not TensorFlow's.
fn ops_of(frame: &NativeFrame) -> Vec<String> {
    let Some(function) = frame.function.as_deref() else {
        return Vec::new();
    };
    let Some(class) = class_of(function) else {
        return Vec::new();
    };
    let known = names_of_class(class, function);
    if !known.is_empty() {
        return known.iter().map(|op| without_library(op)).collect();
    }
    let is_tensorflow = frame.library.as_deref().is_some_and(|library| {
        library.starts_with("libtensorflow") || library.starts_with("_pywrap_tensorflow")
    });
    let stem = stem_of(class).filter(|stem| !is_tensorflow || spelled(stem) == Some(*stem));
    stem.map(str::to_owned).into_iter().collect()
}

/// The op that oneDNN's variant of a kernel stands for: `Conv2D` of `_MklNativeConv2D`.
fn without_library(op: &str) -> String {
    let rest = ["_MklNative", "_MklEager", "_Mkl"]
        .iter()
        .find_map(|prefix| op.strip_prefix(prefix));
    let original = rest.and_then(|rest| {
        [rest.to_owned(), format!("_{rest}")]
            .into_iter()
            .find(|name| spelled(name) == Some(name))
    });
    original.unwrap_or_else(|| op.to_owned())
}

/// A function of a generated `gen_*_ops.py` module.
struct Wrapper<'a> {
    function: &'a str,
    source: Option<&'a str>,
    /// Its place among all frames of its thread.
    place: usize,
}

/// The wrapper in which the thread's innermost Python code is, apart from the machinery wrappers use.
fn wrapper(thread: &Thread) -> Option<Wrapper<'_>> {
    let frame = python_frames(thread).find(|frame| {
        !EAGER_MACHINERY
            .iter()
            .any(|part| frame.file.ends_with(part))
    })?;
    let is_it = |other: &Frame| matches!(other, Frame::Python(other) if std::ptr::eq(other, frame));
    is_generated(frame).then(|| Wrapper {
        function: frame
            .function
            .strip_suffix("_eager_fallback")
            .unwrap_or(&frame.function),
        source: frame.source.as_deref(),
        place: thread.frames.iter().position(is_it).unwrap_or_default(),
    })
}

/// `…/tensorflow/python/ops/gen_math_ops.py`.
fn is_generated(frame: &PythonFrame) -> bool {
    let name = frame.file.rsplit('/').next().unwrap_or_default();
    name.starts_with("gen_") && name.ends_with("_ops.py") && frame.file.contains("/tensorflow/")
}

impl Wrapper<'_> {
    fn op(&self) -> String {
        self.source
            .and_then(quoted_op)
            .or_else(|| spelled(self.function).map(str::to_owned))
            .unwrap_or_else(|| self.camel_case())
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

/// The class whose kernel or whose step of a pipeline `function` is.
fn class_of(function: &str) -> Option<&str> {
    kernel_class(function).or_else(|| pipeline_class(function))
}

/// `BlockLSTMGradOp` of `tensorflow::BlockLSTMGradOp<Eigen::ThreadPoolDevice, float>::Compute(…)`, also inside
/// `std::_Function_handler<…>`.
fn kernel_class(function: &str) -> Option<&str> {
    let method = KERNEL_METHODS
        .iter()
        .filter_map(|method| function.find(method))
        .min()?;
    class_before(function, method)
}

/// `MapDatasetOp` of `tensorflow::data::MapDatasetOp::Dataset::Iterator::GetNextInternal(…)`.
fn pipeline_class(function: &str) -> Option<&str> {
    let class = class_before(function, function.find("::Dataset::")?)?;
    class.ends_with("DatasetOp").then_some(class)
}

fn class_before(function: &str, end: usize) -> Option<&str> {
    let owner = without_template_arguments(function.get(..end)?);
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
