//! Whether a thread ran out of stack, and how large its stack was.
//!
//! The address alone does not tell: the page below a stack is also the page behind whatever is below it. It is
//! an overflow if the access was made where the stack pointer is, or above it, and that is below the memory which
//! the thread has as its stack.

use crashlens_core::{FrameTrust, Mapping, StackEnd, StackUse};

use super::FaultInProcess;
use super::access::Attempt;
use crate::arch::{BELOW_STACK_POINTER, STACK_POINTER};

/// How far ahead code probes that makes room for large frames.
const PROBES_AHEAD: u64 = 64 << 10;
/// A frame that leaves the stack by more needs a witness besides the stack pointer, which may be garbage.
const NEAR: u64 = 1 << 20;
/// Nobody means to have a larger frame; what is further away is garbage, whatever else is in order.
const LARGEST_FRAME: u64 = 1 << 30;
/// What the C library keeps of a thread behind the address of its thread-local storage, at the top of its stack.
const THREAD_RECORD: u64 = 2304;
const PAGE: u64 = 4096;

/// A stack that was full.
pub(super) struct Overflow<'a> {
    stack: &'a Mapping,
}

/// The stack that overflowed, if the access at `address` is that.
pub(super) fn find<'a>(
    fault: &FaultInProcess<'a>,
    address: u64,
    attempt: Option<&Attempt>,
) -> Option<Overflow<'a>> {
    let pointer = fault.registers.sp().0;
    let by_pointer = attempt.is_some_and(|attempt| attempt.base == Some(STACK_POINTER));
    let ahead = if by_pointer {
        PROBES_AHEAD
    } else {
        BELOW_STACK_POINTER
    };
    if address < pointer.saturating_sub(ahead) {
        return None;
    }
    let distance = |stack: &Mapping| stack.start.0.checked_sub(address).filter(|gap| *gap > 0);
    let fits = |stack: &&Mapping| {
        stack.is_writable() && distance(stack).is_some_and(|gap| gap <= LARGEST_FRAME)
    };
    let walked = walked_stack(fault, address).filter(fits);
    let own = own_stack(fault).filter(fits).filter(|stack| {
        distance(stack).is_some_and(|gap| gap <= NEAR) || stack.contains(fault.registers.fp().0)
    });
    walked.or(own).map(|stack| Overflow { stack })
}

/// The mapping that holds the first caller's frame above the address.
fn walked_stack<'a>(fault: &FaultInProcess<'a>, address: u64) -> Option<&'a Mapping> {
    let frames = &fault.scene.stacks.first()?.frames;
    let caller = frames
        .iter()
        .skip(1)
        .find(|frame| frame.trust == FrameTrust::CallFrameInfo && frame.stack > address)?;
    fault.scene.snapshot.mapping_at(caller.stack)
}

/// The mapping that the thread was given as its stack.
fn own_stack<'a>(fault: &FaultInProcess<'a>) -> Option<&'a Mapping> {
    let snapshot = fault.scene.snapshot;
    if snapshot.crashed_thread == Some(snapshot.pid) {
        let named = |mapping: &&Mapping| mapping.path.as_deref() == Some("[stack]");
        return snapshot.maps.iter().find(named);
    }
    // The C library keeps its record of a thread at the top of the thread's stack.
    snapshot.mapping_at(fault.registers.thread_pointer().0)
}

impl Overflow<'_> {
    /// The numbers of the stack. The frames that repeat have no names yet.
    pub(super) fn measure(&self, fault: &FaultInProcess<'_>) -> StackUse {
        let snapshot = fault.scene.snapshot;
        let record = fault.registers.thread_pointer().0;
        let top = if self.stack.contains(record) {
            let end = record.saturating_add(THREAD_RECORD + PAGE - 1) & !(PAGE - 1);
            end.min(self.stack.end.0)
        } else {
            self.stack.end.0
        };
        let is_first = snapshot.crashed_thread == Some(snapshot.pid);
        let python = fault.scene.python;
        let thread = python
            .iter()
            .flat_map(|python| &python.threads)
            .find(|thread| thread.thread.is_some() && thread.thread == snapshot.crashed_thread);
        StackUse {
            size: top.checked_sub(self.stack.start.0),
            limit: fault.signal.witnessed.stack_limit.filter(|_| is_first),
            depth: self.depth(fault, top),
            python_frames: thread.map(|thread| {
                let elided = thread.elided.map_or(0, |elided| elided.frames);
                thread.frames.len().saturating_add(elided) as u64
            }),
            recursion_limit: python.and_then(|python| python.recursion_limit),
            ..StackUse::default()
        }
    }

    /// Frames on the whole stack: those that were walked, and as many of their size as fit above them.
    fn depth(&self, fault: &FaultInProcess<'_>, top: u64) -> Option<u64> {
        let walked = fault.scene.stacks.first()?;
        let places: Vec<u64> = walked
            .frames
            .iter()
            .map(|frame| frame.stack)
            .filter(|stack| self.stack.contains(*stack))
            .collect();
        let seen = places.len() as u64;
        if walked.end != StackEnd::DepthLimit {
            return Some(seen).filter(|_| walked.end == StackEnd::Complete);
        }
        let (first, last) = (*places.first()?, *places.last()?);
        let average = last.checked_sub(first)? / seen;
        let above = top.checked_sub(last)?.checked_div(average)?;
        Some(seen.saturating_add(above))
    }
}
