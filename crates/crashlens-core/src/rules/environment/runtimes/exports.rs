//! Libraries that offer whole namespaces which a TensorFlow that loads itself for everybody offers too.

use crate::survey::{NativeFile, Survey};

/// Functions of one namespace that make a whole library of it. A few shared inline functions do no harm (8 of
/// protocol buffers in onnx, 1 of LLVM in llvmlite); the libraries that crashed share 2,735 and more.
const WHOLE: u64 = 500;

/// Whether the TensorFlow here offers its functions to all libraries that are loaded later.
pub(super) fn is_global(survey: &Survey) -> bool {
    let traits = survey.tensorflow.known();
    traits.is_some_and(|traits| traits.loads_globally)
}

/// How many functions of these namespaces a file shares with TensorFlow, where that makes a whole library.
pub(super) fn shared(file: &NativeFile, namespaces: &[&str]) -> Option<u64> {
    let counts = namespaces
        .iter()
        .filter_map(|namespace| file.shared_with_tensorflow.get(*namespace));
    let total = counts.fold(0_u64, |sum, count| sum.saturating_add(*count));
    (total >= WHOLE).then_some(total)
}

/// Whether a file is linked to TensorFlow's own libraries. It was built together with their protocol buffers and is meant to
/// use them: `libpybinds_library_common.so` of tensorflow-text 2.21.1 exports a copy, and all works. One that was made
/// for another TensorFlow is told by its version or by its undefined symbols.
pub(super) fn is_addon(file: &NativeFile) -> bool {
    let mut needed = file.needed.iter();
    needed.any(|name| name.starts_with("libtensorflow_"))
}
