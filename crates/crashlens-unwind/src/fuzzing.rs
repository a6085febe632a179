//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

mod fault;
mod running_op;

use crashlens_core::{Address, ForeignApi, Gaps, Mapping, Module, Registers};

pub use fault::fault;
pub use running_op::running_op;

use crate::python::{self, SymbolLookup};
use crate::{
    CoreFile, NoFiles, ProcessSnapshot, ReadMemory, ThreadState, Unreadable, exception, fatal_log,
    symbols,
};

/// Everything that is ever asked of a module file.
pub fn symbol_table(bytes: &[u8]) {
    symbols::ask_everything(bytes);
}

/// A line table of each encoding.
pub fn line_table(bytes: &[u8]) {
    python::every_line_format(bytes);
}

/// An array or tensor of every kind.
pub fn arrays(bytes: &[u8]) {
    python::every_kind_of_array(bytes);
}

/// Everything that is ever asked of a core.
pub fn core_file(bytes: &[u8]) {
    let Ok(core) = CoreFile::parse(std::sync::Arc::new(bytes.to_vec())) else {
        return;
    };
    let snapshot = core.snapshot();
    let memory = core.memory(&NoFiles);
    for mapping in snapshot.maps.iter().take(64) {
        let _ = (&memory as &dyn ReadMemory).u64(mapping.end.0.wrapping_sub(4));
    }
    let _ = (
        core.signal(),
        core.executable(),
        core.kernel_version(),
        core.initial_stack(&memory),
    );
}

/// An interpreter whose memory holds anything: the first byte picks the version, the rest is all there is.
pub fn cpython_memory(bytes: &[u8]) {
    let Some((selector, content)) = bytes.split_first() else {
        return;
    };
    let minor = selector % 17;
    let name = if minor == 2 {
        "libpython2.7.so.1.0".to_owned()
    } else {
        format!("libpython3.{minor}.so.1.0")
    };
    let module = Module {
        path: format!("/usr/lib/{name}"),
        name,
        start: Address(0x1000),
        end: Address(0x10_0000),
        bias: Address(0x1000),
        build_id: None,
        package: None,
    };
    let registers = Registers {
        fs_base: Address(0x4000),
        ..Registers::default()
    };
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: vec![ThreadState {
            id: 1,
            name: String::new(),
            registers: Some(registers),
        }],
        crashed_thread: Some(1),
        maps: Vec::new(),
        signal: None,
    };
    let memory = Tiled(content);
    python::read(
        &memory,
        &[module],
        &Everywhere {
            has_runtime: !matches!(minor, 2 | 6),
        },
        &snapshot,
        Some(&memory),
        &mut Gaps::default(),
    );
}

/// Python objects that hold anything: the first byte picks the version, the rest is memory, over and over.
pub fn python_values(bytes: &[u8]) {
    let Some((selector, content)) = bytes.split_first() else {
        return;
    };
    let version = match selector % 17 {
        2 => (2, 7),
        minor => (3, minor),
    };
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: Vec::new(),
        crashed_thread: None,
        maps: Vec::new(),
        signal: None,
    };
    python::every_value(&Tiled(content), &snapshot, version);
}

/// A thread whose C++ runtime holds anything: the first words are its registers, all of it repeats everywhere.
pub fn cpp_exception(bytes: &[u8]) {
    let words = bytes.chunks_exact(8).filter_map(|word| word.first_chunk());
    let mut words = words.map(|word| Address(u64::from_le_bytes(*word)));
    let mut next = || words.next().unwrap_or_default();
    let registers = Registers {
        rip: next(),
        rax: next(),
        fs_base: next(),
        rsp: next(),
        rbx: next(),
        ..Registers::default()
    };
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: Vec::new(),
        crashed_thread: None,
        maps: vec![Mapping {
            start: Address(0),
            end: Address(1 << 47),
            permissions: "rw-p".to_owned(),
            offset: 0,
            inode: 0,
            path: None,
        }],
        signal: None,
    };
    exception::ask_everything(&Tiled(bytes), &snapshot, &registers);
    fatal_log::ask_everything(&Tiled(bytes), &snapshot, &registers);
}

/// The stack of a foreign call, and everything it leads to: the first byte picks the version and the API.
pub fn foreign_call(bytes: &[u8]) {
    let Some((selector, content)) = bytes.split_first() else {
        return;
    };
    let version = match selector % 17 {
        2 => (2, 7),
        minor => (3, minor),
    };
    let api = if selector / 17 % 2 == 0 {
        ForeignApi::Ctypes
    } else {
        ForeignApi::Cffi
    };
    let _ = python::foreign::read_anything(&Tiled(content), version, api, [0x1_1000, 0x1_1400]);
}

/// The same bytes over and over, at every address below 2^47.
struct Tiled<'bytes>(&'bytes [u8]);

impl ReadMemory for Tiled<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        if self.0.is_empty() || address >> 47 != 0 {
            return Err(Unreadable { address });
        }
        let mut tile = &self.0[address as usize % self.0.len()..];
        let mut rest = buffer;
        while !rest.is_empty() {
            let (part, later) = rest.split_at_mut(tile.len().min(rest.len()));
            part.copy_from_slice(&tile[..part.len()]);
            (tile, rest) = (self.0, later);
        }
        Ok(())
    }
}

/// Every symbol is somewhere, but old versions have none for the runtime.
struct Everywhere {
    has_runtime: bool,
}

impl SymbolLookup for Everywhere {
    fn symbol(&self, _: &Module, name: &str) -> Option<u64> {
        (self.has_runtime || name != "_PyRuntime").then(|| 0x1000 + name.len() as u64 * 64)
    }

    fn section(&self, _: &Module, name: &str) -> Option<(u64, u64)> {
        (self.has_runtime || name != ".PyRuntime").then_some((0x2000, 0x4000))
    }

    fn has_symtab(&self, _: &Module) -> bool {
        false
    }
}
