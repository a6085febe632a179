//! The thread that a message came from, where the message or the stacks tell.

use std::sync::LazyLock;

use regex::Regex;

use super::Found;
use crate::capture::{
    CppException, CrashCapture, Frame, FrameTrust, MessageKind, NativeFrame, Signal, Thread,
};

/// Parts of names of functions that write a fatal line and end the process.
const FATAL_LOGGERS: [&str; 3] = ["LogMessageFatal", "LogMessage::Fail", "LogMessage::Die"];

/// Parts of names of functions that run while the C++ runtime gives up.
const TERMINATION: [&str; 3] = [
    "std::terminate",
    "__verbose_terminate_handler",
    "__cxa_throw",
];

/// What is known of the threads.
pub(super) struct Speakers<'a> {
    threads: &'a [Thread],
    crashed: Option<u32>,
    /// The crashed thread as the interpreter numbers it.
    crashed_pthread: Option<u64>,
    exception: Option<&'a CppException>,
    abort_message: Option<&'a str>,
    aborted: bool,
}

impl<'a> Speakers<'a> {
    pub(super) fn of(capture: &'a CrashCapture) -> Self {
        let registers = capture.registers.known();
        Self {
            threads: &capture.threads,
            crashed: capture.crashed_thread,
            crashed_pthread: registers.map(|registers| registers.thread_pointer().0),
            exception: capture.testimony.exception.known(),
            abort_message: capture.testimony.abort_message.known().map(String::as_str),
            aborted: capture.ending.signal == Some(Signal::ABRT),
        }
    }

    /// Gives each message its thread, as far as it can be told.
    pub(super) fn assign(&self, messages: &mut [Found], lines: &[&str]) {
        for found in messages {
            let line = found.message.line.unwrap_or(lines.len());
            let block = lines.iter().skip(line).take(found.length);
            found.message.thread = match found.tid {
                Some(tid) => self.known(tid),
                None => self.by_kind(found, block.copied()),
            };
        }
    }

    fn known(&self, tid: u32) -> Option<u32> {
        let is_known = self.threads.iter().any(|thread| thread.id == tid);
        is_known.then_some(tid)
    }

    fn by_kind<'l>(&self, found: &Found, lines: impl Iterator<Item = &'l str>) -> Option<u32> {
        let message = &found.message;
        match message.kind {
            MessageKind::PythonFatal => lines
                .filter_map(current_thread)
                .find(|pthread| Some(*pthread) == self.crashed_pthread)
                .and(self.crashed),
            // Earlier ones may have been written by other processes that share the stream.
            _ if !message.fatal => None,
            MessageKind::CheckFailure | MessageKind::Protobuf | MessageKind::Processor => self
                .only_thread_in(&FATAL_LOGGERS)
                .or_else(|| self.aborter(&message.text)),
            MessageKind::Terminate => self
                .exception
                .filter(|exception| message.text.contains(&exception.type_name))
                .map(|exception| exception.thread)
                .or_else(|| self.only_thread_in(&TERMINATION)),
            MessageKind::CLibrary => self.aborter(&message.text),
            _ => None,
        }
    }

    /// The crashed thread, if it aborted with these words of the C library.
    fn aborter(&self, text: &str) -> Option<u32> {
        let is_said = self
            .abort_message
            .is_some_and(|said| said.contains(text) || text.contains(said));
        self.crashed.filter(|_| self.aborted && is_said)
    }

    /// The thread that is in one of these functions, if one alone is.
    fn only_thread_in(&self, functions: &[&str]) -> Option<u32> {
        let is_in = |frame: &NativeFrame| {
            let name = frame.function.as_deref();
            name.is_some_and(|name| functions.iter().any(|part| name.contains(part)))
        };
        let mut threads = self.threads.iter().filter(|thread| {
            let frames = thread.frames.iter();
            frames
                .filter_map(|frame| match frame {
                    Frame::Native(native) if native.trust < FrameTrust::Scan => Some(native),
                    Frame::Native(_) | Frame::Python(_) => None,
                })
                .any(is_in)
        });
        match (threads.next(), threads.next()) {
            (Some(only), None) => Some(only.id),
            _ => None,
        }
    }
}

/// The number of the thread in `Current thread 0x00007f… (most recent call first):`.
fn current_thread(line: &str) -> Option<u64> {
    static CURRENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"Current thread 0x([0-9a-f]{1,16}) ").expect("the pattern is fixed")
    });
    let found = CURRENT.captures(line)?;
    u64::from_str_radix(found.get(1)?.as_str(), 16).ok()
}
