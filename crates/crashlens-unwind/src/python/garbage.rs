//! The reader on memory that may say anything.

use crashlens_core::{Address, Gaps, Module};
use proptest::prelude::*;

use crate::{ProcessSnapshot, ReadMemory, ThreadState, Unreadable};

use super::SymbolLookup;

/// Where the bytes stand in the pretended process. Low enough that offsets into them are small
/// numbers, which random bytes are more likely to hit.
const BASE: u64 = 0x10000;

/// Every version with its own layout, and one without.
const LIBRARIES: [&str; 13] = [
    "libpython2.7.so",
    "libpython3.6m.so",
    "libpython3.7m.so",
    "libpython3.8.so",
    "libpython3.9.so",
    "libpython3.10.so",
    "libpython3.11.so",
    "libpython3.12.so",
    "libpython3.13.so",
    "libpython3.14.so",
    "libpython3.15.so",
    "libpython3.99.so",
    "libpython.so",
];

struct Bytes<'a>(&'a [u8]);

impl ReadMemory for Bytes<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let missing = Unreadable { address };
        let start = address
            .checked_sub(BASE)
            .and_then(|start| usize::try_from(start).ok());
        let start = start.ok_or(missing)?;
        let end = start.checked_add(buffer.len()).ok_or(missing)?;
        buffer.copy_from_slice(self.0.get(start..end).ok_or(missing)?);
        Ok(())
    }
}

/// Everything that is asked for is at the start of the bytes.
struct AllAtStart(u64);

impl SymbolLookup for AllAtStart {
    fn symbol(&self, module: &Module, name: &str) -> Option<u64> {
        let has_runtime = !matches!(module.name.as_str(), "libpython2.7.so" | "libpython3.6m.so");
        (has_runtime || name != "_PyRuntime").then_some(BASE)
    }

    fn section(&self, module: &Module, name: &str) -> Option<(u64, u64)> {
        (name == ".rodata" || self.symbol(module, "_PyRuntime").is_some()).then_some((BASE, self.0))
    }

    fn has_symtab(&self, _: &Module) -> bool {
        true
    }
}

/// Reads the stacks of every version from `bytes`.
fn read_everything(bytes: &[u8]) {
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: vec![ThreadState {
            id: 1,
            name: String::new(),
            registers: None,
        }],
        crashed_thread: Some(1),
        maps: Vec::new(),
        signal: None,
    };
    for name in LIBRARIES {
        let module = Module {
            name: name.to_owned(),
            path: format!("/lib/{name}"),
            start: Address(BASE),
            end: Address(BASE + bytes.len() as u64),
            bias: Address(BASE),
            build_id: None,
            package: None,
        };
        let symbols = AllAtStart(bytes.len() as u64);
        super::read(
            &Bytes(bytes),
            &[module],
            &symbols,
            &snapshot,
            Some(&Bytes(bytes)),
            &mut Gaps::default(),
        );
    }
}

/// Words that lead into the memory, are small, or are anything; sometimes with the cookie of a version
/// that publishes its offsets in front.
fn any_memory() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        4 => (0..512_u64).prop_map(|index| BASE + 8 * index),
        3 => 0..256_u64,
        1 => any::<u64>(),
    ];
    let published = prop::sample::select(vec![0x030d_00f0_u64, 0x030e_08f0, 0x030f_00f0]);
    (
        prop::collection::vec(word, 0..512),
        prop::option::of(published),
    )
        .prop_map(|(mut words, published)| {
            if let (Some(version), [cookie, number, ..]) = (published, words.as_mut_slice()) {
                *cookie = u64::from_le_bytes(*b"xdebugpy");
                *number = version;
            }
            words.into_iter().flat_map(u64::to_le_bytes).collect()
        })
}

proptest! {
    #[test]
    fn no_memory_is_too_broken(memory in any_memory()) {
        read_everything(&memory);
    }
}
