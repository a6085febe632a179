//! Questions about the fault: what the instruction did, what is at the address, and whose code it was.

use super::Facts;
use super::stack::NativeSight;
use crate::capture::{Access, CrashCapture, FaultSite, Mapping, Place, Signal};
use crate::culprit::{is_allocator, is_machinery_frame, plain_name};

/// More bytes than any program indexes by mistake with 32 bits: what is further away is no overrun.
pub(crate) const REACH: u64 = 1 << 36;

impl<'a> Facts<'a> {
    /// Whether another process, or the program by itself, sent the signal: no instruction was at fault.
    pub fn signal_was_sent(&self) -> bool {
        let code = self.capture().ending.code.as_deref();
        matches!(code, Some("SI_USER" | "SI_TKILL" | "SI_QUEUE" | "SI_TIMER"))
    }

    /// The fault of the crashed thread.
    pub fn fault(&self) -> Option<&'a FaultSite> {
        self.capture().testimony.fault.known()
    }

    /// The access that failed.
    pub fn access(&self) -> Option<&'a Access> {
        self.fault()?.access.as_ref()
    }

    /// What is at the address of the access that failed.
    pub fn place(&self) -> Option<&'a Place> {
        self.fault()?.place.as_ref()
    }

    /// The mapping that an address is in.
    pub fn mapping_at(&self, address: u64) -> Option<&'a Mapping> {
        let maps = self.capture().maps.known()?;
        maps.iter().find(|mapping| mapping.contains(address))
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
        if let Some(op) = &culprit.op {
            return format!("op `{op}`");
        }
        let function = culprit.function.as_deref().map(plain_name);
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

    /// What the last failed call of the C library said, where it was a lack of memory.
    pub fn memory_was_refused(&self) -> bool {
        const ENOMEM: i32 = 12;
        self.capture().testimony.errno.known() == Some(&ENOMEM)
    }

    /// The innermost line of the user's own code, as its source or its place.
    pub fn user_line(&self) -> Option<String> {
        let line = self.culprit().python.as_ref()?;
        let place = || {
            let file = line.file.rsplit('/').next().unwrap_or_default();
            let number = line.line.map(|number| format!(":{number}"));
            format!("{file}{}", number.unwrap_or_default())
        };
        Some(
            line.source
                .as_deref()
                .map_or_else(place, |text| text.trim().to_owned()),
        )
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
        .and_then(|it| frames.position(|sight| sight.frame.address == it.rip))
        .unwrap_or_default()
}
