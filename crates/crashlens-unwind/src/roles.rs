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

/// Gives every thread its role, and marks the Python thread that waits for the crashed one.
pub(crate) fn assign(threads: &mut [Thread], pid: u32) {
    for thread in threads.iter_mut() {
        thread.role = role(thread, pid);
    }
    let crashed_in_python = threads
        .iter()
        .find(|thread| thread.crashed)
        .is_none_or(has_python);
    if crashed_in_python {
        return;
    }
    // The crashed thread works for somebody: the Python thread that is inside TensorFlow.
    for thread in threads
        .iter_mut()
        .filter(|thread| !thread.crashed && has_python(thread))
    {
        thread.waits_for_crashed = calls_any(thread, &TENSORFLOW_ENTRIES);
    }
}

fn role(thread: &Thread, pid: u32) -> ThreadRole {
    if thread.id == pid {
        ThreadRole::Main
    } else if calls_any(thread, &["tensorflow::data::"]) || thread.name.starts_with("tf_data") {
        ThreadRole::TfData
    } else if has_python(thread) {
        ThreadRole::Python
    } else if calls_any(
        thread,
        &[
            "WorkerLoop",
            "WorkLoop",
            "ThreadPool",
            "blas_thread_server",
            "gomp_thread_start",
            "kmp_launch",
        ],
    ) {
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

fn calls_any(thread: &Thread, names: &[&str]) -> bool {
    thread.frames.iter().any(|frame| match frame {
        Frame::Native(native) => native
            .function
            .as_deref()
            .is_some_and(|function| names.iter().any(|name| function.contains(name))),
        Frame::Python(_) => false,
    })
}
