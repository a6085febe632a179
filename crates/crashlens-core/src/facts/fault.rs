//! Questions about the fault: what the instruction did, what is at the address, and whose code it was.

use super::stack::NativeSight;
use super::{Facts, Sighting};
use crate::capture::{Access, AccessKind, CrashCapture, FaultSite, Mapping, Place, Signal};
use crate::culprit::{is_allocator, is_machinery_frame, plain_name, usual_name};
use crate::evidence::Weight;

/// More bytes than any program indexes by mistake with 32 bits: what is further away is no overrun.
const REACH: u64 = 1 << 36;

/// A longer line of source code is not quoted.
const LONGEST_LINE: usize = 60;

/// What an allocator that is set to do so fills memory with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Memory that was given back.
    Freed(u8),
    /// Memory that was not yet written to.
    Fresh(u8),
}

impl<'a> Facts<'a> {
    /// Whether another process, or the program by itself, sent the signal: no instruction was at fault.
    pub fn signal_was_sent(&self) -> bool {
        let code = self.capture().ending.code.as_deref();
        matches!(code, Some("SI_USER" | "SI_TKILL" | "SI_QUEUE" | "SI_TIMER"))
    }

    /// A sign of Windows. Only text can be of Windows: elsewhere it is a number of another program.
    pub fn windows_sign(&self, id: &str) -> Option<&Sighting<'a>> {
        self.sign(id).filter(|_| self.is_text())
    }

    /// The fault of the crashed thread.
    pub fn fault(&self) -> Option<&'a FaultSite> {
        self.capture().testimony.fault.known()
    }

    /// Whether the instruction at fault is in the program or a library, not in memory that was made at run time.
    pub fn is_code_of_file(&self) -> bool {
        let top = self.frames_at_fault().next();
        top.is_some_and(|top| top.frame.library.is_some())
    }

    /// The access that failed.
    pub fn access(&self) -> Option<&'a Access> {
        self.fault()?.access.as_ref()
    }

    /// What is at the address of the access that failed.
    pub fn place(&self) -> Option<&'a Place> {
        self.fault()?.place.as_ref()
    }

    /// The mapping that is nearest to an address where nothing is mapped, and how far it is, unless that is further
    /// than any pointer goes astray.
    pub fn nearest_mapping(&self) -> Option<(u64, &'a Mapping)> {
        let Place::Unmapped { below, above } = self.place()? else {
            return None;
        };
        let address = self.access()?.address.0;
        let below = below.as_ref().map(|it| (address.abs_diff(it.end.0), it));
        let above = above.as_ref().map(|it| (address.abs_diff(it.start.0), it));
        let nearest = below
            .into_iter()
            .chain(above)
            .min_by_key(|(distance, _)| *distance);
        nearest.filter(|(distance, _)| *distance < REACH)
    }

    /// The allocator's function in which it happened: nothing but the machinery of dying is further in.
    pub fn in_allocator(&self) -> Option<NativeSight<'a>> {
        self.frames_at_fault()
            .take_while(|sight| is_machinery_frame(sight.frame))
            .find(|sight| is_allocator(sight.frame))
    }

    /// Native frames from the instruction at fault outwards, without those of a handler that raised the signal again.
    pub fn frames_at_fault(&self) -> impl Iterator<Item = NativeSight<'a>> + use<'a> {
        let at_fault = start_of_fault(self.capture(), self.native_frames());
        self.native_frames().skip(at_fault)
    }

    /// Who did it, as a noun: an op, a function, or the code of a library.
    pub fn actor(&self) -> String {
        let culprit = self.culprit();
        let called = self
            .foreign_call()
            .and_then(|call| call.function.as_deref());
        if let Some(called) = called.filter(|_| self.depth_below_foreign_call().is_some()) {
            return format!("`{}`", usual_name(called));
        }
        if let Some(op) = &culprit.op {
            return format!("op `{op}`");
        }
        let function = culprit.function.as_deref().map(short_name);
        let function = function.filter(|name| !name.starts_with("std::") && !name.is_empty());
        match (function, culprit.library.as_deref()) {
            (Some(function), Some(library)) if function.starts_with('[') => {
                format!("code of `{library}`")
            }
            (Some(function), _) if function.starts_with('[') => {
                "code that was compiled at run time".to_owned()
            }
            (Some(function), _) => format!("`{function}`"),
            (None, Some(library)) => format!("code of `{library}`"),
            (None, None) => "native code".to_owned(),
        }
    }

    /// What an allocator had filled the memory with from which the pointer at fault came.
    pub fn fill(&self) -> Option<Fill> {
        let access = self.access()?;
        let base = access.base.as_ref().map(|base| base.value);
        let pointer = match access.kind {
            AccessKind::Execute => access.address,
            AccessKind::Read | AccessKind::Write => base?,
        };
        // The lowest bytes may have been counted up or down since.
        let bytes = pointer.0.to_be_bytes();
        let [byte, others @ .., _, _] = bytes;
        if others.iter().any(|other| *other != byte) {
            return None;
        }
        let perturb = self.environment_number("MALLOC_PERTURB_");
        match byte {
            _ if perturb == Some(byte) => Some(Fill::Freed(byte)),
            _ if perturb == Some(!byte) => Some(Fill::Fresh(byte)),
            // CPython's debugging allocator from 3.8 on, and before.
            0xdd | 0xdb => Some(Fill::Freed(byte)),
            0xcd | 0xcb => Some(Fill::Fresh(byte)),
            _ => None,
        }
    }

    /// The lowest byte of a number in the environment, as the C library takes it.
    fn environment_number(&self, name: &str) -> Option<u8> {
        let variables = self.capture().environment.variables.known()?;
        let number: u64 = variables.get(name)?.trim().parse().ok()?;
        number.to_le_bytes().first().copied().filter(|it| *it != 0)
    }

    /// What the last failed call of the C library said, where it was a lack of memory.
    pub fn memory_was_refused(&self) -> bool {
        const ENOMEM: i32 = 12;
        self.capture().testimony.errno.known() == Some(&ENOMEM)
    }

    /// ` in ` and the innermost line of the user's own code; empty where that is not known.
    pub fn in_user_line(&self) -> String {
        let line = self.user_line();
        line.map_or_else(String::new, |line| format!(" in `{line}`"))
    }

    /// A weight, one step lower where all that is known is text: it may be cut, mixed and of several processes.
    pub fn unless_text(&self, weight: Weight) -> Weight {
        match (self.is_text(), weight) {
            (true, Weight::Decisive) => Weight::Strong,
            (true, Weight::Strong | Weight::Weak) => Weight::Weak,
            (false, weight) => weight,
        }
    }

    /// The innermost line of the user's own code, as its source, or as its place where that is long.
    pub fn user_line(&self) -> Option<String> {
        let line = self.culprit().python.as_ref()?;
        let file = line.file.rsplit('/').next().unwrap_or_default();
        let number = line.line.map(|number| format!(":{number}"));
        let place = || format!("{file}{}", number.unwrap_or_default());
        let source = line.source.as_deref().map(str::trim);
        let source = source.filter(|text| text.chars().count() <= LONGEST_LINE);
        Some(source.map_or_else(place, str::to_owned))
    }
}

/// Index of the frame that the registers of the first chance were in.
fn start_of_fault<'a>(
    capture: &CrashCapture,
    mut frames: impl Iterator<Item = NativeSight<'a>>,
) -> usize {
    let is_fault = capture.ending.signal.is_some_and(Signal::is_fault);
    let registers = capture.registers.known().filter(|_| is_fault);
    registers
        .and_then(|it| frames.position(|sight| sight.frame.address == it.pc()))
        .unwrap_or_default()
}

/// A function without its parameters and template arguments, as people call it.
pub(crate) fn short_name(function: &str) -> String {
    plain_name(function).replace("::::", "::")
}
