//! What the named stack of a thread says about its exception.

use crashlens_core::{CppException, ExceptionState, Frame, FrameTrust, NativeFrame, Thread};

use super::HIDDEN;
use super::type_info::readable;
use crate::testimony::Answer;

/// Functions that begin to throw.
const THROWS: &[&str] = &["__cxa_throw", "__cxa_rethrow", "std::rethrow_exception"];

/// Functions that are on a stack only while an exception is thrown, looks for its handler or found none.
const CARRIES: &[&str] = &[
    "__cxa_throw",
    "__cxa_rethrow",
    "std::rethrow_exception",
    "_Unwind_RaiseException",
    "_Unwind_RaiseException_Phase2",
    "_Unwind_Resume",
    "_Unwind_Resume_or_Rethrow",
    "__gxx_personality_v0",
    "__cxa_call_terminate",
    "__cxa_call_unexpected",
    "__clang_call_terminate",
];

/// Frames that are shown of the way an exception took.
const MOST_THROWERS: usize = 16;

/// Completes the answer with a readable name and what the stack shows, or withdraws it where the stack does not support it.
pub(crate) fn settle(answer: Answer<CppException>, threads: &[Thread]) -> Answer<CppException> {
    let Some(mut exception) = answer? else {
        return Ok(None);
    };
    exception.type_name = readable(&exception.type_name);
    let thread = threads.iter().find(|thread| thread.id == exception.thread);
    let frames: Vec<&NativeFrame> = thread.map(native_frames).unwrap_or_default();
    let names: Vec<&str> = frames.iter().map(|frame| proven_name(frame)).collect();
    let carries = names.iter().any(|name| CARRIES.contains(name));
    if exception.state == ExceptionState::Unknown && !carries {
        return Err(HIDDEN.to_owned());
    }
    // The runtime marks an exception that nobody catches as caught before it gives up. None of these functions
    // is on the stack of a handler, nor of a destructor that runs on the way.
    if carries {
        exception.state = ExceptionState::Uncaught;
        exception.thrown_from = throwers(&frames, &names);
    }
    Ok(Some(exception))
}

fn native_frames(thread: &Thread) -> Vec<&NativeFrame> {
    let frames = thread.frames.iter();
    let native = frames.filter_map(|frame| match frame {
        Frame::Native(native) => Some(native),
        Frame::Python(_) => None,
    });
    native.collect()
}

/// The functions that the exception was thrown through and that are still on the stack.
fn throwers(frames: &[&NativeFrame], names: &[&str]) -> Vec<String> {
    let Some(start) = names.iter().position(|name| THROWS.contains(name)) else {
        return Vec::new();
    };
    let callers = frames.iter().skip(start + 1);
    let callers = callers.take_while(|frame| frame.trust < FrameTrust::Scan);
    let functions = callers.filter_map(|frame| frame.function.clone());
    functions.take(MOST_THROWERS).collect()
}

/// The name without arguments; empty where there is none, or where the frame is but a guess.
fn proven_name(frame: &NativeFrame) -> &str {
    let function = frame.function.as_deref();
    let function = function.filter(|_| frame.trust < FrameTrust::Scan);
    let function = function.unwrap_or_default();
    function.split('(').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crashlens_core::{Address, StackEnd, ThreadRole};

    use super::*;

    fn state(trust: FrameTrust) -> Option<ExceptionState> {
        let frame = NativeFrame {
            address: Address(1),
            library: None,
            path: None,
            module_offset: None,
            function: Some("__cxa_throw".to_owned()),
            function_offset: None,
            source: None,
            inlined: false,
            trust,
        };
        let thread = Thread {
            id: 1,
            name: String::new(),
            role: ThreadRole::Main,
            crashed: true,
            holds_gil: None,
            waits_for_crashed: false,
            frames: vec![Frame::Native(frame)],
            end: StackEnd::Complete,
        };
        let exception = CppException {
            type_name: "St9exception".to_owned(),
            what: None,
            state: ExceptionState::Caught,
            thread: 1,
            thrown_from: Vec::new(),
        };
        let settled = settle(Ok(Some(exception)), &[thread]).ok().flatten();
        settled.map(|exception| exception.state)
    }

    #[test]
    fn a_guessed_frame_does_not_prove_that_nobody_catches() {
        let proven = state(FrameTrust::CallFrameInfo);
        assert_eq!(proven, Some(ExceptionState::Uncaught));
        assert_eq!(state(FrameTrust::Scan), Some(ExceptionState::Caught));
    }
}
