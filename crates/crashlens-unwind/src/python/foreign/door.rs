//! A way in with memory that holds anything: for the fuzzers and the tests.

use crashlens_core::{Address, ForeignApi, ForeignCall, Mapping, Module, PythonRuntime};

use crate::image::Images;
use crate::testimony::{Answer, Scene};
use crate::{ProcessSnapshot, ReadMemory};

use super::super::offsets;
use super::super::values::ValueFormat;
use super::super::{PythonState, SymbolLookup};
use super::imports;
use super::site::Site;

/// Reads a call whose stack is from `low` to `high`, as an interpreter of `version` would have made it, and the
/// imports of a module at `low`.
pub(crate) fn read_anything(
    memory: &dyn ReadMemory,
    version: (u8, u8),
    api: ForeignApi,
    [low, high]: [u64; 2],
) -> Answer<ForeignCall> {
    let table = offsets::table(version).or_else(|| offsets::table((3, 12)));
    let values = offsets::layout(version)
        .zip(table)
        .map(|(layout, table)| ValueFormat {
            layout,
            text: table.text,
            python2: None,
        });
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: Vec::new(),
        crashed_thread: None,
        maps: vec![everything()],
        signal: None,
    };
    let python = PythonState {
        runtime: PythonRuntime {
            version: String::new(),
            library: String::new(),
            shared: true,
            stripped: false,
            finalizing: None,
        },
        version,
        threads: Vec::new(),
        values,
        locals_gap: None,
        recursion_limit: None,
    };
    let module = Module {
        name: String::new(),
        path: String::new(),
        start: Address(low),
        end: Address(high),
        bias: Address(low),
        build_id: None,
        package: None,
    };
    imports::name_of(memory, &module, high, &["memmove"]);
    let scene = Scene {
        snapshot: &snapshot,
        memory,
        confidential: memory,
        images: &Images::default(),
        stacks: &[],
        python: Some(&python),
        symbols: &Nothing,
        locals: true,
    };
    super::read_site(&scene, Site { api, low, high })
}

fn everything() -> Mapping {
    Mapping {
        start: Address(0x1_0000),
        end: Address(1 << 47),
        permissions: "rw-p".to_owned(),
        offset: 0,
        inode: 0,
        path: None,
    }
}

struct Nothing;

impl SymbolLookup for Nothing {
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
