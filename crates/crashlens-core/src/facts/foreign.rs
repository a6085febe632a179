//! Questions about calls from Python into C through ctypes and cffi.

use super::Facts;
use super::stack::NativeSight;
use crate::capture::{ForeignArgument, ForeignCall, Place, PointerTarget};
use crate::culprit::{is_foreign_call, is_interpreter, is_machinery_frame};

/// As far from the pointer that was passed as a first access through it is: a field of a structure.
const NEAR: u64 = 4096;
/// Before the pointer that was passed: an allocator's own header.
const BEFORE: u64 = 64;

/// Beginnings of the names of functions of ctypes and cffi that follow a pointer because Python code says so.
#[rustfmt::skip]
const ACCESSES: [&str; 10] = [
    "Pointer_", "string_at", "wstring_at", "CharArray_", "WCharArray_", "convert_", "read_raw_", "write_raw_",
    "b_string", "b_unpack",
];
/// Ends of the names of those that read or write one number.
const ACCESSORS: [&str; 4] = ["_get", "_set", "_get_sw", "_set_sw"];

/// An argument of a foreign call that the failed access used.
#[derive(Debug, Clone, Copy)]
pub struct BadArgument<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// The argument.
    pub argument: &'a ForeignArgument,
    /// Frames between the fault and the call.
    pub depth: usize,
}

impl<'a> Facts<'a> {
    /// The call through ctypes or cffi that the crashed thread was in.
    pub fn foreign_call(&self) -> Option<&'a ForeignCall> {
        self.capture().testimony.foreign_call.known()
    }

    /// Functions between the fault and the call through ctypes or cffi; `None` without such a call, or where Python
    /// code ran in between.
    pub fn depth_below_foreign_call(&self) -> Option<usize> {
        self.foreign_call()?;
        let frames = self.frames_at_fault().filter(|it| !it.frame.inlined);
        for (depth, sight) in frames.enumerate() {
            if is_foreign_call(sight.frame) {
                return Some(depth);
            }
            if is_evaluation(&sight) {
                return None;
            }
        }
        None
    }

    /// The argument of the foreign call that the failed access went through, where it cannot be a right one.
    pub fn bad_argument(&self) -> Option<BadArgument<'a>> {
        let call = self.foreign_call()?;
        let depth = self.depth_below_foreign_call()?;
        let access = self.access()?;
        let base = access.base.as_ref().map(|it| it.value);
        let is_forbidden = matches!(
            self.place(),
            Some(Place::ReadOnly { .. } | Place::NotExecutable { .. } | Place::NoAccess { .. })
        );
        let is_misaligned = |pointer: u64| {
            let Some(Place::Misaligned { alignment, .. }) = self.place() else {
                return false;
            };
            pointer
                .checked_rem(u64::from(*alignment))
                .is_some_and(|rest| rest != 0)
        };
        let leads_there = |pointer: u64| {
            let mut used = [Some(access.address), base].into_iter().flatten();
            used.any(|used| {
                let offset = used.0.wrapping_sub(pointer);
                offset <= NEAR || offset >= BEFORE.wrapping_neg()
            })
        };
        let arguments = || call.arguments.iter().zip(1..);
        let pointer = arguments().find(|(argument, _)| {
            let is_odd = argument.pointer.is_some_and(|it| is_misaligned(it.0));
            let is_bad = argument.target != Some(PointerTarget::Mapped) || is_forbidden || is_odd;
            is_bad
                && argument
                    .pointer
                    .is_some_and(|pointer| leads_there(pointer.0))
        });
        // A number that was not meant as a pointer is told by nothing but the access itself.
        let number = || {
            arguments().find(|(argument, _)| {
                let number = number_of(argument).filter(|number| *number != 0);
                argument.pointer.is_none()
                    && number.is_some_and(|number| {
                        access.address.0 == number || base.is_some_and(|base| base.0 == number)
                    })
            })
        };
        let (argument, number) = pointer.or_else(number)?;
        Some(BadArgument {
            number,
            argument,
            depth,
        })
    }

    /// Whether nothing but the C library and the interpreter is between the fault and the call: they do what they are
    /// told.
    pub fn only_machinery_below_call(&self) -> bool {
        let depth = self.depth_below_foreign_call();
        depth.is_some_and(|depth| {
            self.frames_at_fault()
                .filter(|it| !it.frame.inlined)
                .take(depth)
                .all(|it| {
                    is_machinery_frame(it.frame)
                        || is_bridge(it.library())
                        || is_interpreter(it.frame)
                })
        })
    }

    /// The innermost frame in which ctypes or cffi itself touched memory for Python: a pointer read, a field written.
    pub fn foreign_access(&self) -> Option<NativeSight<'a>> {
        let frames = self.frames_at_fault().filter(|it| !it.frame.inlined);
        frames
            .take_while(|sight| !is_evaluation(sight) && !is_foreign_call(sight.frame))
            .take(4)
            .find(|sight| is_bridge(sight.library()))
    }
}

/// A whole number that was passed.
fn number_of(argument: &ForeignArgument) -> Option<u64> {
    let value = argument
        .value
        .as_ref()
        .filter(|value| value.type_name == "int")?;
    let number: i64 = value.text.as_deref()?.parse().ok()?;
    Some(number.cast_unsigned())
}

/// Whether a library is the machinery of ctypes or cffi.
fn is_bridge(library: &str) -> bool {
    library.starts_with("_ctypes.") || library.starts_with("_cffi_backend.") || library == "_ctypes"
}

/// Whether a function of ctypes or cffi follows the pointer that Python code gave it. Those that let go of an object, or
/// walk through it, follow what is in the object.
pub(crate) fn follows_pointer(function: &str) -> bool {
    ACCESSES.iter().any(|name| function.starts_with(name))
        || ACCESSORS.iter().any(|name| function.ends_with(name))
}

/// Whether the frame runs Python code.
fn is_evaluation(sight: &NativeSight<'_>) -> bool {
    sight.function().starts_with("_PyEval_EvalFrame") || sight.function() == "PyEval_EvalFrameEx"
}

/// Whether a frame is of the interpreter and runs no Python code itself: it works on an object.
pub(crate) fn works_on_object(sight: &NativeSight<'_>) -> bool {
    is_interpreter(sight.frame) && !is_evaluation(sight)
}
