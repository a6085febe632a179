//! A fault of a thread whose registers, code, mappings and stack are anything.
//!
//! The bytes are, one after the other: signal, code, whether the kernel named an address, how many mappings and
//! frames; the address; the registers; the mappings; the stack pointers of the frames; what the system told. What
//! is left is the memory, which repeats at every address.

use crashlens_core::{Address, FrameTrust, Mapping, Registers, Signal, StackEnd};

use super::{Everywhere, Tiled};
use crate::fault::{examine, first_chance};
use crate::image::Images;
use crate::native::{RawFrame, RawStack};
use crate::testimony::Scene;
use crate::{EarlierMapping, MappedFile, ProcessSnapshot, SignalAtFault, Witnessed};

const SIGNALS: [i32; 6] = [11, 7, 8, 4, 5, 6];
const CODES: [&str; 6] = [
    "SEGV_MAPERR",
    "SEGV_ACCERR",
    "SI_KERNEL",
    "BUS_ADRERR",
    "FPE_INTDIV",
    "SI_TKILL",
];
const PERMISSIONS: [&str; 5] = ["rw-p", "r--p", "r-xp", "---p", "rwxs"];
const PATHS: [Option<&str>; 3] = [None, Some("[stack]"), Some("/data/batch")];
const MAX_PARTS: u8 = 8;

/// Numbers from the front of the bytes; zeros behind their end.
struct Numbers<'bytes>(&'bytes [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    fn address(&mut self) -> Address {
        Address(self.number())
    }

    fn pick<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[usize::from(self.byte()) % N]
    }

    fn mapping(&mut self) -> Mapping {
        let path = self.pick(PATHS);
        Mapping {
            permissions: self.pick(PERMISSIONS).to_owned(),
            start: self.address(),
            end: self.address(),
            offset: self.number(),
            inode: u64::from(path.is_some()),
            path: path.map(str::to_owned),
        }
    }

    fn registers(&mut self) -> Registers {
        Registers {
            rip: self.address(),
            rsp: self.address(),
            rbp: self.address(),
            rax: self.address(),
            rbx: self.address(),
            rcx: self.address(),
            rdx: self.address(),
            rsi: self.address(),
            rdi: self.address(),
            r8: self.address(),
            r9: self.address(),
            r10: self.address(),
            r11: self.address(),
            r12: self.address(),
            r13: self.address(),
            r14: self.address(),
            r15: self.address(),
            eflags: self.address(),
            fs_base: self.address(),
            gs_base: self.address(),
        }
    }

    fn witnessed(&mut self) -> Witnessed {
        Witnessed {
            stack_limit: Some(self.number()),
            processor: Some(Vec::new()),
            file: Some(MappedFile {
                size: self.number(),
                space: Some((self.number(), self.number())),
                in_memory: None,
            }),
            earlier: Some(EarlierMapping {
                mapping: self.mapping(),
                last_seen_milliseconds: self.number(),
            }),
        }
    }
}

/// Everything that is ever asked of a fault.
pub fn fault(bytes: &[u8]) {
    let mut numbers = Numbers(bytes);
    let signal = Signal(numbers.pick(SIGNALS));
    let code = numbers.pick(CODES).to_owned();
    let named = numbers.byte() & 1 == 1;
    let (mappings, frames) = (numbers.byte() % MAX_PARTS, numbers.byte() % MAX_PARTS);
    let at_fault = SignalAtFault {
        signal,
        code: Some(code),
        address: Some(numbers.address()).filter(|_| named),
        registers: Some(numbers.registers()),
        witnessed: Witnessed::default(),
    };
    let maps = (0..mappings).map(|_| numbers.mapping()).collect();
    let frame = |stack: Address| RawFrame {
        address: stack.0,
        lookup: stack.0,
        stack: stack.0,
        trust: FrameTrust::CallFrameInfo,
    };
    let frames = (0..frames).map(|_| frame(numbers.address())).collect();
    let stack = RawStack {
        frames,
        end: StackEnd::DepthLimit,
    };
    let witnessed = numbers.witnessed();
    let memory = Tiled(numbers.0);
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: Vec::new(),
        crashed_thread: Some(1),
        maps,
        signal: Some(SignalAtFault {
            witnessed,
            ..at_fault
        }),
    };
    let scene = Scene {
        snapshot: &snapshot,
        memory: &memory,
        confidential: &memory,
        images: &Images::find(&snapshot, &memory),
        stacks: &[stack],
        python: None,
        symbols: &Everywhere { has_runtime: false },
        locals: false,
    };
    let _ = (first_chance(&scene), examine(&scene));
}
