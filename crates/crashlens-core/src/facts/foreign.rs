//! Questions about calls from Python into C through ctypes and cffi.

use super::Facts;
use super::stack::NativeSight;
use crate::capture::{ForeignArgument, ForeignCall, Place, PointerTarget};
use crate::culprit::{is_foreign_call, is_interpreter};

/// As far from the pointer that was passed as a first access through it is: a field of a structure.
const NEAR: u64 = 4096;
/// Before the pointer that was passed: an allocator's own header.
const BEFORE: u64 = 64;

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
        let mut depth = 0;
        for sight in self.frames_at_fault().filter(|it| !it.frame.inlined) {
            if is_foreign_call(sight.frame) {
                return Some(depth);
            }
            if is_evaluation(&sight) {
                return None;
            }
            depth += 1;
        }
        None
    }

    /// The argument of the foreign call that the failed access went through, where it cannot be a right one.
    pub fn bad_argument(&self) -> Option<BadArgument<'a>> {
        let call = self.foreign_call()?;
        let depth = self.depth_below_foreign_call()?;
        let access = self.access()?;
        let used = [
            Some(access.address),
            access.base.as_ref().map(|it| it.value),
        ];
        let is_forbidden = matches!(
            self.place(),
            Some(Place::ReadOnly { .. } | Place::NotExecutable { .. } | Place::NoAccess { .. })
        );
        let mut arguments = call.arguments.iter().zip(1..);
        arguments.find_map(|(argument, number)| {
            let pointer = pointer_of(argument)?;
            let is_bad = argument.target != Some(PointerTarget::Mapped) || is_forbidden;
            let is_used = used.iter().flatten().any(|used| {
                let offset = used.0.wrapping_sub(pointer);
                offset <= NEAR || offset >= BEFORE.wrapping_neg()
            });
            (is_bad && is_used).then_some(BadArgument {
                number,
                argument,
                depth,
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

/// The number that reached the function in the place of an argument.
fn pointer_of(argument: &ForeignArgument) -> Option<u64> {
    let number = || {
        let value = argument.value.as_ref()?;
        let text = value.text.as_deref().filter(|_| value.type_name == "int")?;
        // What fits into a C int and is not null may be meant as a number: only small ones are told from pointers
        // by nothing but the access itself.
        text.parse::<i64>()
            .ok()
            .filter(|it| *it != 0)
            .map(i64::cast_unsigned)
    };
    argument.pointer.map(|it| it.0).or_else(number)
}

/// Whether a library is the machinery of ctypes or cffi.
fn is_bridge(library: &str) -> bool {
    library.starts_with("_ctypes.") || library.starts_with("_cffi_backend.") || library == "_ctypes"
}

/// Whether the frame runs Python code.
fn is_evaluation(sight: &NativeSight<'_>) -> bool {
    sight.function().starts_with("_PyEval_EvalFrame") || sight.function() == "PyEval_EvalFrameEx"
}

/// Whether a frame is of the interpreter and runs no Python code itself: it works on an object.
pub(crate) fn works_on_object(sight: &NativeSight<'_>) -> bool {
    is_interpreter(sight.frame) && !is_evaluation(sight)
}
