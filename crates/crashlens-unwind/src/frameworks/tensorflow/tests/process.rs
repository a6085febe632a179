//! A process with kernels in it, laid out by hand.

use crashlens_core::{Address, FrameTrust, Mapping, StackEnd};

use crate::frameworks::tensorflow::{Kernels, look};
use crate::image::Images;
use crate::native::{RawFrame, RawStack};
use crate::python::SymbolLookup;
use crate::testimony::Scene;
use crate::{ProcessSnapshot, ReadMemory, ThreadState, Unreadable};

pub(super) const LIBRARY: u64 = 0x10_0000;
const HEAP: u64 = 0x50_0000;
pub(super) const STACK: u64 = 0x70_0000;
const SIZE: u64 = 0x1_0000;

pub(super) const CRASHED: u32 = 7;
pub(super) const OTHER: u32 = 8;

/// Where versions of TensorFlow keep the names, in bytes from the beginning of the message.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    node_name: u64,
    node_op: u64,
    definition_name: u64,
    /// Strings whose length is ahead of their bytes, and views that begin with the pointer.
    old_library: bool,
    owner_bits: u64,
}

pub(super) const LAYOUTS: [Layout; 3] = [
    // 2.4 and 2.8
    Layout {
        node_name: 144,
        node_op: 152,
        definition_name: 112,
        old_library: true,
        owner_bits: 0,
    },
    // 2.12 to 2.18
    Layout {
        node_name: 160,
        node_op: 168,
        definition_name: 112,
        old_library: false,
        owner_bits: 2,
    },
    // 2.21
    Layout {
        node_name: 96,
        node_op: 104,
        definition_name: 120,
        old_library: false,
        owner_bits: 3,
    },
];

/// A process whose memory is three regions: a library, a heap and a stack.
pub(super) struct Process {
    regions: [(u64, Vec<u8>); 3],
    next: [u64; 2],
    layout: Layout,
    kinds: [u64; 2],
}

impl ReadMemory for Process {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let found = self.regions.iter().find_map(|(start, bytes)| {
            let offset = address.checked_sub(*start)? as usize;
            bytes.get(offset..offset.checked_add(buffer.len())?)
        });
        buffer.copy_from_slice(found.ok_or(Unreadable { address })?);
        Ok(())
    }
}

/// Images without readable headers are known by their mappings alone.
struct NoHeaders;

impl ReadMemory for NoHeaders {
    fn read(&self, address: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable { address })
    }
}

struct NoSymbols;

impl SymbolLookup for NoSymbols {
    fn symbol(&self, _: &crashlens_core::Module, _: &str) -> Option<u64> {
        None
    }
    fn section(&self, _: &crashlens_core::Module, _: &str) -> Option<(u64, u64)> {
        None
    }
    fn has_symtab(&self, _: &crashlens_core::Module) -> bool {
        false
    }
}

impl Process {
    pub(super) fn new(layout: Layout) -> Self {
        let region = |start: u64| (start, vec![0; SIZE as usize]);
        let mut process = Self {
            regions: [region(LIBRARY), region(HEAP), region(STACK)],
            next: [LIBRARY + 0x1000, HEAP + 0x100],
            layout,
            kinds: [0; 2],
        };
        // The classes of type information have type information themselves.
        let root = process.type_record("N10__cxxabiv117__class_type_infoE", 0, None);
        process.kinds[0] = process.table(root);
        let single = process.type_record("N10__cxxabiv120__si_class_type_infoE", 0, None);
        process.kinds[1] = process.table(single);
        process
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        for (start, region) in &mut self.regions {
            if let Some(offset) = address.checked_sub(*start).filter(|offset| *offset < SIZE) {
                region[offset as usize..][..bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    pub(super) fn put_words(&mut self, address: u64, words: &[u64]) {
        for (index, word) in words.iter().enumerate() {
            self.put(address + 8 * index as u64, &word.to_le_bytes());
        }
    }

    /// Room in the library (0) or on the heap (1).
    pub(super) fn room(&mut self, place: usize, size: u64) -> u64 {
        let address = self.next[place];
        self.next[place] += size.next_multiple_of(16);
        address
    }

    fn type_record(&mut self, name: &str, kind: u64, base: Option<u64>) -> u64 {
        let text = self.room(0, name.len() as u64 + 1);
        self.put(text, name.as_bytes());
        let record = self.room(0, 24);
        self.put_words(record, &[kind, text, base.unwrap_or(0)]);
        record
    }

    fn table(&mut self, record: u64) -> u64 {
        let table = self.room(0, 160);
        self.put_words(table, &[0, record]);
        table + 16
    }

    /// The table of virtual functions of a class with these ancestors, mangled, itself first.
    pub(super) fn class(&mut self, lineage: &[&str]) -> u64 {
        let mut record = None;
        for name in lineage.iter().rev() {
            let kind = self.kinds[usize::from(record.is_some())];
            record = Some(self.type_record(name, kind, record));
        }
        self.table(record.unwrap())
    }

    /// A string on the heap: where its object is, and its bytes.
    fn string(&mut self, text: &str) -> (u64, u64) {
        let bytes = self.room(1, text.len() as u64 + 32) + 24;
        self.put(bytes - 24, &(text.len() as u64).to_le_bytes());
        self.put(bytes, text.as_bytes());
        let object = self.room(1, 32);
        let length = if self.layout.old_library {
            u64::MAX
        } else {
            text.len() as u64
        };
        self.put_words(object, &[bytes, length]);
        (object, bytes)
    }

    pub(super) fn kernel(&mut self, table: u64, node: &str, op: &str, defined: &str) -> u64 {
        let layout = self.layout;
        let definition = self.room(1, 160);
        let (name, _) = self.string(defined);
        self.put_words(
            definition + layout.definition_name,
            &[name | layout.owner_bits],
        );
        let properties = self.room(1, 256);
        self.put_words(properties, &[definition]);
        let ((node_object, node_bytes), (op_object, op_bytes)) =
            (self.string(node), self.string(op));
        self.put_words(
            properties + 8 + layout.node_name,
            &[node_object | layout.owner_bits],
        );
        self.put_words(
            properties + 8 + layout.node_op,
            &[op_object | layout.owner_bits],
        );
        let kernel = self.room(1, 256);
        self.put_words(kernel, &[table, properties]);
        for (offset, bytes, text) in [(200, node_bytes, node), (216, op_bytes, op)] {
            let mut view = [text.len() as u64, bytes];
            if layout.old_library {
                view.reverse();
            }
            self.put_words(kernel + offset, &view);
        }
        kernel
    }

    pub(super) fn fft(&mut self) -> u64 {
        self.class(&[
            "N10tensorflow6FFTCPUILb0ELb1ELi2EEE",
            "N10tensorflow7FFTBaseE",
            "N10tensorflow8OpKernelE",
        ])
    }

    pub(super) fn device(&mut self) -> u64 {
        let table = self.class(&[
            "N10tensorflow16ThreadPoolDeviceE",
            "N10tensorflow10DeviceBaseE",
        ]);
        let device = self.room(1, 64);
        self.put_words(device, &[table]);
        device
    }

    /// What is seen from threads with four frames of 256 bytes each.
    pub(super) fn look(&self, threads: &[(u32, u64)]) -> Kernels {
        let mapping = |start: u64, permissions: &str, path: Option<&str>| Mapping {
            start: Address(start),
            end: Address(start + SIZE),
            permissions: permissions.to_owned(),
            offset: 0,
            inode: 0,
            path: path.map(str::to_owned),
        };
        let snapshot = ProcessSnapshot {
            pid: CRASHED,
            threads: threads
                .iter()
                .map(|(id, _)| ThreadState {
                    id: *id,
                    name: String::new(),
                    registers: None,
                })
                .collect(),
            crashed_thread: Some(CRASHED),
            maps: vec![
                mapping(LIBRARY, "r-xp", Some("/lib/libtensorflow_cc.so.2")),
                mapping(HEAP, "rw-p", None),
                mapping(STACK, "rw-p", Some("[stack]")),
            ],
            signal: None,
        };
        let stacks: Vec<RawStack> = threads
            .iter()
            .map(|(_, stack)| RawStack {
                frames: (0..4)
                    .map(|index| RawFrame {
                        address: LIBRARY + 0x100,
                        lookup: LIBRARY + 0x100,
                        stack: stack + 256 * index,
                        trust: FrameTrust::CallFrameInfo,
                    })
                    .collect(),
                end: StackEnd::Complete,
            })
            .collect();
        let scene = Scene {
            snapshot: &snapshot,
            memory: self,
            confidential: self,
            images: &Images::find(&snapshot, &NoHeaders),
            stacks: &stacks,
            python: None,
            symbols: &NoSymbols,
            locals: true,
        };
        look(&scene).unwrap().unwrap_or_default()
    }
}
