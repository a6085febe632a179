//! What a module calls the functions it imports, as the dynamic linker bound them in memory.
//!
//! Some functions have no name at their own address: the C library picks one of several `memmove`s when it is
//! loaded, and only the name that is asked for is exported.

use crashlens_core::Module;

use crate::ReadMemory;

/// Program headers and entries of tables that are looked at: an extension module has a few hundred.
const MOST_HEADERS: u64 = 32;
const MOST_DYNAMIC: u64 = 128;
const MOST_RELOCATIONS: u64 = 4096;
const LONGEST_NAME: usize = 16;

const DYNAMIC_SEGMENT: u32 = 2;
/// `R_X86_64_64`, `R_X86_64_GLOB_DAT`, `R_X86_64_JUMP_SLOT`.
const BINDINGS: [u32; 3] = [1, 6, 7];

/// The dynamic linker's tables of one module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tables {
    names: u64,
    symbols: u64,
    /// Where they are and how many bytes they have.
    relocations: [(u64, u64); 2],
}

/// The one of `names` by which `module` imports what is at `address`.
pub(super) fn name_of<'names>(
    memory: &dyn ReadMemory,
    module: &Module,
    address: u64,
    names: &[&'names str],
) -> Option<&'names str> {
    let tables = tables(memory, module)?;
    let imported = |place: u64| {
        let slot = memory.u64(place).ok()?;
        let kind = memory.u64(place.checked_add(8)?).ok()?;
        let bound = memory.u64(module.bias.0.checked_add(slot)?).ok();
        if !BINDINGS.contains(&(kind as u32)) || bound != Some(address) {
            return None;
        }
        let symbol = tables.symbols.checked_add((kind >> 32).checked_mul(24)?)?;
        let start = tables
            .names
            .checked_add(u64::from(memory.u32(symbol).ok()?))?;
        let name = memory.array::<LONGEST_NAME>(start).ok()?;
        let name = name.split(|byte| *byte == 0).next()?;
        names.iter().copied().find(|known| known.as_bytes() == name)
    };
    tables.relocations.into_iter().find_map(|(start, length)| {
        let count = (length / 24).min(MOST_RELOCATIONS);
        (0..count).find_map(|index| imported(start.checked_add(index * 24)?))
    })
}

fn tables(memory: &dyn ReadMemory, module: &Module) -> Option<Tables> {
    let start = module.start.0;
    let headers = start.checked_add(memory.u64(start.checked_add(32)?).ok()?)?;
    let count = u64::from(memory.u16(start.checked_add(56)?).ok()?).min(MOST_HEADERS);
    let dynamic = (0..count).find_map(|index| {
        let header = headers.checked_add(index * 56)?;
        let is_dynamic = memory.u32(header).ok()? == DYNAMIC_SEGMENT;
        let address = memory.u64(header.checked_add(16)?).ok()?;
        is_dynamic.then(|| module.bias.0.wrapping_add(address))
    })?;
    let mut tables = Tables::default();
    for index in 0..MOST_DYNAMIC {
        let entry = dynamic.checked_add(index * 16)?;
        let tag = memory.u64(entry).ok()?;
        let value = memory.u64(entry.checked_add(8)?).ok()?;
        // Most dynamic linkers have put addresses here by now, some leave the file's.
        let address = if value < start {
            module.bias.0.wrapping_add(value)
        } else {
            value
        };
        match tag {
            0 => break,
            2 => tables.relocations[0].1 = value,
            5 => tables.names = address,
            6 => tables.symbols = address,
            7 => tables.relocations[1].0 = address,
            8 => tables.relocations[1].1 = value,
            23 => tables.relocations[0].0 = address,
            _ => {}
        }
    }
    Some(tables)
}
