//! The native frame to name.

use super::machinery::{Part, part};
use crate::capture::{CrashCapture, Frame, FrameTrust, NativeFrame, Package, Registers, Thread};

/// What stands for code in memory that belongs to no file, as just-in-time compilers make it.
const ANONYMOUS_CODE: &str = "[anonymous executable memory]";

/// The top meaningful frame of `thread`.
///
/// From the faulting instruction outwards, the first frame that acts on its own account. Where
/// machinery was called through libffi, Python code called it: then the machinery itself is what to
/// name (`free` called twice by ctypes). Expanded functions are passed over for the function that
/// contains them, whose name does not depend on the optimiser's mood.
pub(super) fn frame<'a>(
    thread: &'a Thread,
    registers: Option<&Registers>,
) -> Option<&'a NativeFrame> {
    let frames: Vec<&NativeFrame> = native_frames(thread)
        .filter(|frame| !frame.inlined)
        .collect();
    // A handler that raises the signal again (faulthandler) leaves its own frames above the fault. The
    // registers kept are those of the first chance, so their frame is where the account begins.
    let start = registers
        .and_then(|registers| {
            frames
                .iter()
                .position(|frame| frame.address == registers.pc())
        })
        .unwrap_or_default();
    let frames = from_caller_of_bad_target(frames.get(start..).unwrap_or_default());
    let mut called_by_next = None;
    for frame in frames {
        match part(frame) {
            Part::Actor => return Some(frame),
            Part::Machinery => called_by_next = Some(*frame),
            Part::ForeignCall if called_by_next.is_some() => return called_by_next,
            Part::ForeignCall => {}
        }
    }
    frames.first().copied()
}

/// The frames without a place that was called and is no code: a null function pointer. Who called it acted.
fn from_caller_of_bad_target<'s, 'a>(frames: &'s [&'a NativeFrame]) -> &'s [&'a NativeFrame] {
    match frames {
        [_, rest @ ..]
            if rest
                .first()
                .is_some_and(|frame| frame.trust == FrameTrust::CallTarget) =>
        {
            rest
        }
        _ => frames,
    }
}

/// The name to show for `frame`, which may be that of nameless memory.
pub(super) fn name(frame: &NativeFrame, capture: &CrashCapture) -> Option<String> {
    if frame.function.is_some() || frame.library.is_some() {
        return frame.function.clone();
    }
    let mapping = capture
        .maps
        .known()?
        .iter()
        .find(|mapping| mapping.contains(frame.address.0))?;
    mapping.is_executable().then(|| ANONYMOUS_CODE.to_owned())
}

/// The package that installed the library `frame` is in.
pub(super) fn package(frame: &NativeFrame, capture: &CrashCapture) -> Option<Package> {
    let modules = capture.modules.known()?;
    let module = modules.iter().find(|module| match &frame.path {
        Some(path) => module.path == *path,
        None => (module.start.0..module.end.0).contains(&frame.address.0),
    })?;
    module.package.clone()
}

/// The native frames of a thread, innermost first.
pub(super) fn native_frames(thread: &Thread) -> impl Iterator<Item = &NativeFrame> {
    thread.frames.iter().filter_map(|frame| match frame {
        Frame::Native(native) => Some(native),
        Frame::Python(_) => None,
    })
}

#[cfg(test)]
#[path = "native_tests.rs"]
mod tests;
