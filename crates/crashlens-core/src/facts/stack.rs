//! Questions about stacks.

use super::Facts;
use crate::capture::{Frame, NativeFrame, PythonFrame, Thread};
use crate::evidence::FactRef;

/// A native frame and its place.
#[derive(Debug, Clone)]
pub struct NativeSight<'a> {
    /// The frame.
    pub frame: &'a NativeFrame,
    /// Where it is.
    pub fact: FactRef,
    /// Index among all frames of its thread.
    pub index: usize,
}

impl<'a> NativeSight<'a> {
    /// Demangled function; empty where it is not known.
    pub fn function(&self) -> &'a str {
        self.frame.function.as_deref().unwrap_or_default()
    }

    /// File name of the library; empty where it is not known.
    pub fn library(&self) -> &'a str {
        self.frame.library.as_deref().unwrap_or_default()
    }
}

impl<'a> Facts<'a> {
    /// The thread that took the fatal signal.
    pub fn crashed(&self) -> Option<&'a Thread> {
        let capture = self.capture();
        let by_id = capture
            .crashed_thread
            .and_then(|id| capture.threads.iter().find(|thread| thread.id == id));
        by_id.or_else(|| capture.threads.iter().find(|thread| thread.crashed))
    }

    /// Native frames of the crashed thread, innermost first.
    pub fn native_frames(&self) -> impl Iterator<Item = NativeSight<'a>> + use<'a> {
        self.crashed().into_iter().flat_map(native_frames)
    }

    /// Python frames of the crashed thread, innermost first.
    pub fn python_frames(&self) -> impl Iterator<Item = (FactRef, &'a PythonFrame)> + use<'a> {
        let thread = self.crashed();
        thread.into_iter().flat_map(|thread| {
            let frames = thread.frames.iter().enumerate();
            frames.filter_map(|(index, frame)| match frame {
                Frame::Python(frame) => Some((
                    FactRef::Frame {
                        thread: thread.id,
                        index,
                    },
                    frame,
                )),
                Frame::Native(_) => None,
            })
        })
    }

    /// The innermost native frame of the crashed thread.
    pub fn top(&self) -> Option<NativeSight<'a>> {
        self.native_frames().next()
    }

    /// The innermost native frame of the crashed thread whose function holds one of `words`.
    pub fn frame_calling(&self, words: &[&str]) -> Option<NativeSight<'a>> {
        self.native_frames()
            .find(|sight| words.iter().any(|word| sight.function().contains(word)))
    }

    /// The innermost native frame of the crashed thread in a library whose file name holds one of `words`.
    pub fn frame_in(&self, words: &[&str]) -> Option<NativeSight<'a>> {
        self.native_frames()
            .find(|sight| words.iter().any(|word| sight.library().contains(word)))
    }
}

/// Native frames of a thread, innermost first.
pub(super) fn native_frames(thread: &Thread) -> impl Iterator<Item = NativeSight<'_>> {
    let frames = thread.frames.iter().enumerate();
    frames.filter_map(|(index, frame)| match frame {
        Frame::Native(frame) => Some(NativeSight {
            frame,
            fact: FactRef::Frame {
                thread: thread.id,
                index,
            },
            index,
        }),
        Frame::Python(_) => None,
    })
}
