//! stub
use crashlens_core::{Frame, NativeFrame};

use crate::python::PythonThread;

pub(crate) fn merge(
    native: Vec<NativeFrame>,
    _python: Option<&PythonThread>,
    _version: (u8, u8),
) -> Vec<Frame> {
    native.into_iter().map(Frame::Native).collect()
}
