//! What threads are for, as far as their stacks show.

use crashlens_core::{Frame, Thread, ThreadRole};

/// Functions a Python thread is in while TensorFlow works for it on other threads.
const TENSORFLOW_ENTRIES: [&str; 7] = [
    "TFE_Py_Execute",
    "TFE_Py_FastPathExecute",
    "TFE_Execute",
    "TF_SessionRun",
    "EagerExecute",
    "DirectSession::Run",
    "IteratorGetNext",
];

/// Code that only workers of a thread pool run.
const POOLS: [&str; 6] = [
    "WorkerLoop",
    "WorkLoop",
    "ThreadPool",
    "blas_thread_server",
    "gomp_thread_start",
    "kmp_launch",
];

/// Gives every thread its role, and marks the Python thread that waits for the crashed one.
pub(crate) fn assign(threads: &mut [Thread], pid: u32) {
    for thread in threads.iter_mut() {
        thread.role = role(thread, pid);
    }
    if !threads
        .iter()
        .any(|thread| thread.crashed && works_for_another(thread))
    {
        return;
    }
    // The crashed thread works for a Python thread that is inside TensorFlow. Where there are several, nothing
    // tells which.
    let mut candidates = threads.iter_mut().filter(|thread| {
        !thread.crashed && has_python(thread) && calls_any(&thread.frames, &TENSORFLOW_ENTRIES)
    });
    if let (Some(only), None) = (candidates.next(), candidates.next()) {
        only.waits_for_crashed = true;
    }
}

/// Whether a thread without Python runs code of TensorFlow. Its libraries tell: compiled kernels (oneDNN, XLA) have no
/// names, and their stacks are short.
fn works_for_another(thread: &Thread) -> bool {
    let of_tensorflow = |frame: &Frame| match frame {
        Frame::Native(native) => native
            .path
            .as_deref()
            .is_some_and(|path| path.contains("/tensorflow/")),
        Frame::Python(_) => false,
    };
    !has_python(thread) && thread.frames.iter().any(of_tensorflow)
}

fn role(thread: &Thread, pid: u32) -> ThreadRole {
    // A Python function that tf.data calls runs inside of its frames; a Python thread that reads a dataset is
    // outside of them.
    let outermost_python = thread
        .frames
        .iter()
        .rposition(|frame| matches!(frame, Frame::Python(_)));
    let around_python = &thread.frames[outermost_python.unwrap_or(0)..];
    if thread.id == pid {
        ThreadRole::Main
    } else if calls_any(around_python, &["tensorflow::data::"])
        || thread.name.starts_with("tf_data")
    {
        ThreadRole::TfData
    } else if outermost_python.is_some() {
        ThreadRole::Python
    } else if calls_any(&thread.frames, &POOLS) {
        ThreadRole::Pool
    } else {
        ThreadRole::Other
    }
}

fn has_python(thread: &Thread) -> bool {
    thread
        .frames
        .iter()
        .any(|frame| matches!(frame, Frame::Python(_)))
}

fn calls_any(frames: &[Frame], names: &[&str]) -> bool {
    frames.iter().any(|frame| match frame {
        Frame::Native(native) => native
            .function
            .as_deref()
            .is_some_and(|function| names.iter().any(|name| function.contains(name))),
        Frame::Python(_) => false,
    })
}
