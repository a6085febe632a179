//! The GPU's driver and libraries, as files tell of them.

use crashlens_core::Gaps;
use crashlens_core::survey::{GpuStack, Interpreter, NativeFile};

use crate::Question;
use crate::site::Installed;

/// What there is between TensorFlow and a GPU.
pub(crate) fn read(
    _python: &Interpreter,
    _installed: &Installed,
    _native: &[NativeFile],
    _question: &Question,
    _gaps: &mut Gaps,
) -> GpuStack {
    GpuStack::default()
}
