//! The door to the search for kernels.

use crashlens_core::{Address, FrameTrust, Mapping, Registers, StackEnd};

use super::{Everywhere, Tiled};
use crate::image::Images;
use crate::native::{RawFrame, RawStack};
use crate::testimony::Scene;
use crate::{ProcessSnapshot, ReadMemory, ThreadState, Unreadable, frameworks};

const LIBRARY: u64 = 0x10_0000;
const HEAP: u64 = 0x50_0000;
const STACK: u64 = 0x70_0000;
const SIZE: u64 = 0x10_0000;

/// A thread of TensorFlow: its library, heap and stack hold the same bytes over and over.
pub fn running_op(bytes: &[u8]) {
    let memory = Tiled(bytes);
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: vec![ThreadState {
            id: 1,
            name: String::new(),
            registers: Some(Registers::default()),
        }],
        crashed_thread: Some(1),
        maps: vec![
            mapping(LIBRARY, "r-xp", Some("/lib/libtensorflow_cc.so.2")),
            mapping(HEAP, "rw-p", None),
        ],
        signal: None,
    };
    let stacks = [RawStack {
        frames: (0..8).map(frame).collect(),
        end: StackEnd::Complete,
    }];
    let _ = frameworks::look(&Scene {
        snapshot: &snapshot,
        memory: &memory,
        confidential: &memory,
        images: &Images::find(&snapshot, &NoHeaders),
        stacks: &stacks,
        python: None,
        symbols: &Everywhere { has_runtime: true },
        locals: true,
    });
}

fn mapping(start: u64, permissions: &str, path: Option<&str>) -> Mapping {
    Mapping {
        start: Address(start),
        end: Address(start + SIZE),
        permissions: permissions.to_owned(),
        offset: 0,
        inode: 0,
        path: path.map(str::to_owned),
    }
}

fn frame(index: u64) -> RawFrame {
    RawFrame {
        address: LIBRARY + index,
        lookup: LIBRARY + index,
        stack: STACK + 0x400 * index,
        trust: FrameTrust::CallFrameInfo,
    }
}

/// A library whose header cannot be read is known by its mappings.
struct NoHeaders;

impl ReadMemory for NoHeaders {
    fn read(&self, address: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable { address })
    }
}
