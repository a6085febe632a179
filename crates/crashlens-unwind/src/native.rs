//! Walks native stacks, and says of each frame how it was found.
//!
//! Order of trust: unwind tables; the return address that a call to a bad target left behind; the
//! frame pointer; a scan of the stack for something that looks like a return address. The last two
//! are guesses and marked as such: a module without tables (XLA's compiled code) has no better way.

use std::collections::HashSet;

use crashlens_core::{Address, FrameTrust, Registers, StackEnd};
use gimli::{CfaRule, RegisterRule};

use crate::arch::{self, Known};
use crate::cfi::{Row, Rows};
use crate::image::Images;
use crate::{ProcessSnapshot, ReadMemory, Unreadable};

mod expression;

/// More than any program that works; a stack overflow has a hundred times as many, which repeat.
pub(crate) const MAX_FRAMES: usize = 1024;
/// How far a scan looks: frames of 8 KiB and more are rare, and every further word is a chance to be wrong.
const MAX_SCAN_WORDS: u64 = 1024;
/// A stack of nothing but guesses is noise.
const MAX_GUESSES: usize = 16;

/// A native frame before it has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawFrame {
    /// Where execution was, or is to return to.
    pub(crate) address: u64,
    /// The address to look up: inside the call for a return address.
    pub(crate) lookup: u64,
    /// The stack pointer in this frame.
    pub(crate) stack: u64,
    pub(crate) trust: FrameTrust,
}

impl RawFrame {
    /// The frame a thread was stopped in.
    pub(crate) fn interrupted(registers: &Registers) -> Self {
        Self {
            address: registers.pc().0,
            lookup: registers.pc().0,
            stack: registers.sp().0,
            trust: FrameTrust::Registers,
        }
    }
}

/// A native stack before it has names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawStack {
    pub(crate) frames: Vec<RawFrame>,
    pub(crate) end: StackEnd,
}

/// Walks the stacks of one process.
pub(crate) struct Walker<'process> {
    snapshot: &'process ProcessSnapshot,
    memory: &'process dyn ReadMemory,
    /// The same memory, of which nothing is recorded.
    confidential: &'process dyn ReadMemory,
    images: &'process Images,
    rows: Rows,
}

/// A step to the caller.
struct Step {
    registers: Known,
    trust: FrameTrust,
    /// Whether the caller was interrupted here rather than having called.
    interrupted: bool,
}

impl<'process> Walker<'process> {
    pub(crate) fn new(
        snapshot: &'process ProcessSnapshot,
        memory: &'process dyn ReadMemory,
        confidential: &'process dyn ReadMemory,
        images: &'process Images,
    ) -> Self {
        Self {
            snapshot,
            memory,
            confidential,
            images,
            rows: Rows::default(),
        }
    }

    /// The stack of a thread with these registers.
    pub(crate) fn walk(&mut self, registers: &Registers) -> RawStack {
        let mut known = Known::from(registers);
        let mut frames = vec![RawFrame::interrupted(registers)];
        let mut seen = HashSet::new();
        let mut guesses = 0;
        // The first frame was interrupted, not left by a call: its address is looked up as it is.
        let mut interrupted = true;
        let end = loop {
            if frames.len() >= MAX_FRAMES {
                break StackEnd::DepthLimit;
            }
            let step = match self.step(&known, interrupted) {
                Ok(step) => step,
                Err(end) => break end,
            };
            let (Some(address), Some(stack)) =
                (step.registers.get(Known::PC), step.registers.get(Known::SP))
            else {
                break StackEnd::Lost;
            };
            if address == 0 {
                break StackEnd::Complete;
            }
            if !seen.insert((address, stack)) {
                break StackEnd::Loop;
            }
            if matches!(step.trust, FrameTrust::FramePointer | FrameTrust::Scan) {
                guesses += 1;
                if guesses > MAX_GUESSES {
                    break StackEnd::Lost;
                }
            }
            interrupted = step.interrupted;
            // A return address points after the call. When the callee never returns (`abort`,
            // `std::terminate`) the compiler may end the function with the call, and the return address
            // already belongs to the next function: a CHECK failure would blame a stranger.
            let lookup = if interrupted {
                address
            } else {
                address.wrapping_sub(1)
            };
            frames.push(RawFrame {
                address,
                lookup,
                stack,
                trust: step.trust,
            });
            known = step.registers;
        };
        RawStack { frames, end }
    }

    fn step(&mut self, known: &Known, interrupted: bool) -> Result<Step, StackEnd> {
        let address = known.get(Known::PC).ok_or(StackEnd::Lost)?;
        let lookup = if interrupted {
            address
        } else {
            address.wrapping_sub(1)
        };
        let row = self
            .images
            .at(lookup)
            .and_then(|image| self.rows.find(self.memory, image, lookup));
        let mut end = StackEnd::Lost;
        if let Some(row) = row {
            // `_start` and `clone` mark their return address as undefined: the stack is complete.
            if has_no_caller(&row) {
                return Err(StackEnd::Complete);
            }
            match self.apply(&row, known) {
                Ok(Some(registers)) => {
                    return Ok(Step {
                        registers,
                        trust: FrameTrust::CallFrameInfo,
                        interrupted: row.is_signal,
                    });
                }
                Ok(None) => {}
                Err(gap) => end = unreadable(gap),
            }
        }
        let stack = known.get(Known::SP).ok_or(StackEnd::Lost)?;
        if interrupted && !self.is_code(address) {
            // A call or jump to a bad address: the caller's return address is still on top of the stack.
            return self.caller_by_call_target(known, stack);
        }
        self.caller_by_frame_pointer(known, stack)
            .or_else(|| self.caller_by_scan(known, stack))
            .ok_or(end)
    }

    /// The caller's registers by the rules of `row`.
    fn apply(&self, row: &Row, known: &Known) -> Result<Option<Known>, Unreadable> {
        let cfa = match &row.cfa {
            CfaRule::RegisterAndOffset { register, offset } => known
                .get(*register)
                .map(|value| value.wrapping_add_signed(*offset)),
            CfaRule::Expression(expression) => {
                expression::evaluate(self.memory, row, expression, known, None)
            }
        };
        let Some(cfa) = cfa else { return Ok(None) };
        // Callee-saved registers that no rule mentions keep their values.
        let mut caller = known.callee_saved();
        caller.set(Known::SP, Some(cfa));
        caller.set(Known::PC, None);
        for (register, rule) in &row.rules {
            let value = match rule {
                RegisterRule::SameValue => known.get(*register),
                RegisterRule::Offset(offset) => {
                    Some(self.memory.u64(cfa.wrapping_add_signed(*offset))?)
                }
                RegisterRule::ValOffset(offset) => Some(cfa.wrapping_add_signed(*offset)),
                RegisterRule::Register(other) => known.get(*other),
                RegisterRule::Expression(expression) => {
                    match expression::evaluate(self.memory, row, expression, known, Some(cfa)) {
                        Some(address) => Some(self.memory.u64(address)?),
                        None => None,
                    }
                }
                RegisterRule::ValExpression(expression) => {
                    expression::evaluate(self.memory, row, expression, known, Some(cfa))
                }
                // Undefined, and rules that unwind tables do not use.
                _ => None,
            };
            let target = if *register == row.return_address {
                Known::PC
            } else {
                *register
            };
            caller.set(target, value);
        }
        Ok(caller.get(Known::PC).is_some().then_some(caller))
    }

    fn caller_by_call_target(&self, known: &Known, stack: u64) -> Result<Step, StackEnd> {
        let caller = known.before_call(self.memory).map_err(unreadable)?;
        let is_call = |caller: &Known| {
            caller
                .get(Known::PC)
                .is_some_and(|address| self.is_return_address(address))
        };
        let step = caller.filter(is_call).map(|registers| Step {
            registers,
            trust: FrameTrust::CallTarget,
            interrupted: false,
        });
        step.or_else(|| self.caller_by_scan(known, stack))
            .ok_or(StackEnd::Lost)
    }

    fn caller_by_frame_pointer(&self, known: &Known, stack: u64) -> Option<Step> {
        let frame = known.get(Known::FP)?;
        // The saved frame pointer lies above the stack pointer, aligned, in the same mapping.
        let mapping = self.snapshot.mapping_at(stack)?;
        if frame % 8 != 0 || frame < stack || !mapping.contains(frame.saturating_add(8)) {
            return None;
        }
        let saved = self.memory.u64(frame).ok()?;
        let caller = self.memory.u64(frame + 8).ok()?;
        if saved <= frame || !self.is_return_address(caller) {
            return None;
        }
        let mut registers = *known;
        registers.set(Known::PC, Some(caller));
        registers.set(Known::SP, Some(frame + 16));
        registers.set(Known::FP, Some(saved));
        Some(Step {
            registers,
            trust: FrameTrust::FramePointer,
            interrupted: false,
        })
    }

    fn caller_by_scan(&self, known: &Known, stack: u64) -> Option<Step> {
        let mapping = self.snapshot.mapping_at(stack)?;
        let first = stack.checked_add(7)? & !7;
        for index in 0..MAX_SCAN_WORDS {
            let place = first.checked_add(index * 8)?;
            if !mapping.contains(place) {
                return None;
            }
            // Most words are no addresses but whatever the program had on its stack, which is not to be kept.
            // In a replay they are missing, and were not what was looked for.
            let is_candidate = |word: &u64| self.is_code(*word) && self.memory.u64(place).is_ok();
            let word = self.confidential.u64(place).ok().filter(is_candidate);
            if let Some(word) = word.filter(|word| self.is_return_address(*word)) {
                let mut registers = *known;
                registers.set(Known::PC, Some(word));
                registers.set(Known::SP, Some(place + 8));
                return Some(Step {
                    registers,
                    trust: FrameTrust::Scan,
                    interrupted: false,
                });
            }
        }
        None
    }

    fn is_code(&self, address: u64) -> bool {
        self.snapshot
            .mapping_at(address)
            .is_some_and(crashlens_core::Mapping::is_executable)
    }

    fn is_return_address(&self, address: u64) -> bool {
        self.is_code(address) && arch::follows_call(self.memory, address)
    }
}

fn unreadable(gap: Unreadable) -> StackEnd {
    StackEnd::Unreadable {
        address: Address(gap.address),
    }
}

/// Whether the row says that there is no caller. Every other row says where its return address is.
fn has_no_caller(row: &Row) -> bool {
    let rule = row
        .rules
        .iter()
        .find(|(register, _)| *register == row.return_address);
    rule.is_none_or(|(_, rule)| matches!(rule, RegisterRule::Undefined))
}
