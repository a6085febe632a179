//! Faults in address spaces made by hand.

use crashlens_core::{Access, AccessKind, Address, FaultSite, FrameTrust, Mapping, Place, Signal};
use crashlens_core::{Module, Registers, StackEnd};

use super::examine;
use crate::image::Images;
use crate::native::{RawFrame, RawStack};
use crate::python::SymbolLookup;
use crate::testimony::{Answer, Scene};
use crate::{ProcessSnapshot, ReadMemory, SignalAtFault, Unreadable, Witnessed};

mod anything;
mod handlers;
mod instructions;
mod places;
mod stacks;

/// Where the code of every test is.
const CODE: u64 = 0x40_0000;
const STACK: u64 = 0x7fff_0000_0000;
const STACK_SIZE: u64 = 0x10_0000;

/// A process that faults.
struct World {
    snapshot: ProcessSnapshot,
    memory: Vec<(u64, Vec<u8>)>,
    stacks: Vec<RawStack>,
}

fn mapping(start: u64, size: u64, permissions: &str, path: &str) -> Mapping {
    Mapping {
        start: Address(start),
        end: Address(start.saturating_add(size)),
        permissions: permissions.to_owned(),
        offset: 0,
        inode: u64::from(path.starts_with('/')),
        path: (!path.is_empty()).then(|| path.to_owned()),
    }
}

impl World {
    /// A thread that dies of SIGSEGV at the instruction `code`.
    fn new(code: &[u8]) -> Self {
        let registers = Registers {
            rip: Address(CODE),
            rsp: Address(STACK + 0x8000),
            rbp: Address(STACK + 0x9000),
            ..Registers::default()
        };
        let snapshot = ProcessSnapshot {
            pid: 1,
            threads: Vec::new(),
            crashed_thread: Some(1),
            maps: vec![
                mapping(CODE, 0x1000, "r-xp", "/usr/bin/program"),
                mapping(STACK, STACK_SIZE, "rw-p", "[stack]"),
            ],
            signal: Some(SignalAtFault {
                signal: Signal::SEGV,
                code: Some("SEGV_MAPERR".to_owned()),
                address: None,
                registers: Some(registers),
                witnessed: Witnessed::default(),
            }),
        };
        let mut padded = code.to_vec();
        padded.resize(16, 0x90);
        Self {
            snapshot,
            memory: vec![(CODE, padded)],
            stacks: Vec::new(),
        }
    }

    fn signal(&mut self) -> &mut SignalAtFault {
        self.snapshot.signal.as_mut().unwrap()
    }

    fn registers(mut self, set: impl FnOnce(&mut Registers)) -> Self {
        set(self.signal().registers.as_mut().unwrap());
        self
    }

    fn raised(mut self, signal: Signal, code: &str, address: Option<u64>) -> Self {
        let raised = self.signal();
        raised.signal = signal;
        raised.code = Some(code.to_owned());
        raised.address = address.map(Address);
        self
    }

    /// SIGSEGV where nothing is mapped.
    fn nothing_at(self, address: u64) -> Self {
        self.raised(Signal::SEGV, "SEGV_MAPERR", Some(address))
    }

    /// SIGSEGV where the permissions forbid it.
    fn forbidden_at(self, address: u64) -> Self {
        self.raised(Signal::SEGV, "SEGV_ACCERR", Some(address))
    }

    fn with(mut self, mapping: Mapping) -> Self {
        self.snapshot.maps.push(mapping);
        self.snapshot.maps.sort_by_key(|mapping| mapping.start);
        self
    }

    fn holding(mut self, address: u64, bytes: &[u8]) -> Self {
        self.memory.push((address, bytes.to_vec()));
        self
    }

    fn witnessed(mut self, set: impl FnOnce(&mut Witnessed)) -> Self {
        set(&mut self.signal().witnessed);
        self
    }

    /// Frames with these stack pointers, the innermost first.
    fn walked(mut self, pointers: &[u64], end: StackEnd) -> Self {
        let frame = |stack: &u64| RawFrame {
            address: CODE + 8,
            lookup: CODE + 7,
            stack: *stack,
            trust: FrameTrust::CallFrameInfo,
        };
        let frames = pointers.iter().map(frame).collect();
        self.stacks = vec![RawStack { frames, end }];
        self
    }

    fn ask<T>(&self, question: impl FnOnce(&Scene<'_>) -> T) -> T {
        question(&Scene {
            snapshot: &self.snapshot,
            memory: self,
            confidential: self,
            images: &Images::find(&self.snapshot, self),
            stacks: &self.stacks,
            python: None,
            symbols: &NoSymbols,
            locals: false,
        })
    }

    fn examine(&self) -> Answer<FaultSite> {
        self.ask(examine)
    }

    fn site(&self) -> FaultSite {
        self.examine().unwrap().expect("a fault")
    }

    fn place(&self) -> Place {
        self.site().place.expect("a place")
    }

    fn access(&self) -> Access {
        self.site().access.expect("an access")
    }

    fn access_summary(&self) -> (AccessKind, u64, Option<u32>, Option<String>) {
        let access = self.access();
        let base = access.base.map(|base| base.name);
        (access.kind, access.address.0, access.width, base)
    }
}

impl ReadMemory for World {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let found = self.memory.iter().find_map(|(start, bytes)| {
            let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(offset..offset.checked_add(buffer.len())?)
        });
        buffer.copy_from_slice(found.ok_or(Unreadable { address })?);
        Ok(())
    }
}

struct NoSymbols;

impl SymbolLookup for NoSymbols {
    fn symbol(&self, _: &Module, _: &str) -> Option<u64> {
        None
    }

    fn section(&self, _: &Module, _: &str) -> Option<(u64, u64)> {
        None
    }

    fn has_symtab(&self, _: &Module) -> bool {
        false
    }
}
