//! The C++ runtime's own record of a thread's exceptions, in every copy of the runtime that may matter.
//!
//! `__cxa_get_globals` returns the address of two words in the thread's own memory: the list of exceptions
//! that were caught and are not yet done with, and how many are on their way. The function is followed rather
//! than its variable looked up, because the variable has no exported symbol.

use crashlens_core::{Module, Registers};

use crate::image::Image;
use crate::testimony::Scene;
use crate::{ReadMemory, Unreadable, text};

use crate::arch::Leaf;

/// Modules whose symbols are asked for; a stack that runs through more is not an honest one.
const MOST_MODULES: usize = 32;
/// Entries of a table for the loader; linkers write some thirty.
const MOST_DYNAMIC_ENTRIES: u64 = 512;
/// Libraries that one module needs.
const MOST_NEEDED: usize = 256;
/// More modules with thread-local variables than any program has.
const MOST_TLS_MODULES: u64 = 1 << 16;
/// Marks thread-local memory that this thread has not asked for yet.
const UNALLOCATED: u64 = u64::MAX;

/// What one copy of the runtime says of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Globals {
    /// The exception that was caught last; 0 if none is.
    pub(super) caught: u64,
    /// How many are on their way.
    pub(super) uncaught: u32,
}

/// What the copies of the runtime say. Copies whose record could not be found are counted.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) known: Vec<Globals>,
    pub(super) hidden: usize,
}

/// Asks the runtimes that the process has loaded, and the modules on the stack, which may hold one of their own.
pub(super) fn read(scene: &Scene<'_>, registers: &Registers) -> Records {
    let mut records = Records::default();
    for module in candidates(scene) {
        let is_runtime = is_runtime(&module.name);
        match scene.symbols.symbol(&module, "__cxa_get_globals") {
            Some(function) => match of_thread(scene.confidential, function, registers) {
                Some(globals) => records.known.push(globals),
                None => records.hidden += 1,
            },
            None if is_runtime => records.hidden += 1,
            None => {}
        }
    }
    records
}

fn candidates(scene: &Scene<'_>) -> Vec<Module> {
    let mut modules = scene.images.modules();
    let frames = scene
        .stacks
        .first()
        .into_iter()
        .flat_map(|stack| &stack.frames);
    let mut on_stack: Vec<&Image> = frames
        .filter_map(|frame| scene.images.at(frame.lookup))
        .collect();
    on_stack.sort_by_key(|image| image.module.start);
    on_stack.dedup_by_key(|image| image.module.start);
    on_stack.truncate(MOST_MODULES);
    let starts: Vec<u64> = on_stack
        .into_iter()
        .filter(|image| may_hold_runtime(scene.confidential, image))
        .map(|image| image.module.start.0)
        .collect();
    modules.retain(|module| is_runtime(&module.name) || starts.contains(&module.start.0));
    modules.sort_by_key(|module| !is_runtime(&module.name));
    modules.truncate(MOST_MODULES);
    modules
}

/// Whether a module on the stack may hold a runtime of its own. One that imports a shared one has none; looking
/// for a name that is not there would read all names of a large library, and is not done on suspicion alone.
fn may_hold_runtime(memory: &dyn ReadMemory, image: &Image) -> bool {
    let is_c = [
        "libc.so",
        "libc-2",
        "ld-",
        "libpython",
        "libgcc_s",
        "[vdso]",
    ]
    .iter()
    .any(|start| image.module.name.starts_with(start));
    !is_c
        && needed_libraries(memory, image)
            .is_some_and(|needed| !needed.iter().any(|name| is_runtime(name)))
}

/// The libraries that the loader's table of an image names; `None` if they cannot be read.
fn needed_libraries(memory: &dyn ReadMemory, image: &Image) -> Option<Vec<String>> {
    const NEEDED: u64 = 1;
    const NAMES: u64 = 5;
    let Some(table) = image.dynamic else {
        return Some(Vec::new());
    };
    let mut entries = Vec::new();
    for index in 0..MOST_DYNAMIC_ENTRIES {
        let entry = table.checked_add(index * 16)?;
        let tag = memory.u64(entry).ok()?;
        if tag == 0 {
            break;
        }
        entries.push((tag, memory.u64(entry.checked_add(8)?).ok()?));
    }
    let mut needed = entries.iter().filter(|(tag, _)| *tag == NEEDED).peekable();
    if needed.peek().is_none() {
        return Some(Vec::new());
    }
    let (_, names) = entries.iter().find(|(tag, _)| *tag == NAMES)?;
    // glibc's loader writes the address in the process over that in the file.
    let names = if *names < image.module.start.0 {
        names.wrapping_add(image.module.bias.0)
    } else {
        *names
    };
    needed
        .take(MOST_NEEDED)
        .map(|(_, offset)| text::c_string(memory, names.checked_add(*offset)?))
        .collect()
}

/// GNU's runtime or LLVM's. `libc++` without `libc++abi` holds it, too, in some builds.
fn is_runtime(name: &str) -> bool {
    name.starts_with("libstdc++.so")
        || name.starts_with("libstdc++-")
        || name.starts_with("libc++abi")
}

/// The record that the function at `function` would return on the thread with these registers.
pub(super) fn of_thread(
    memory: &dyn ReadMemory,
    function: u64,
    registers: &Registers,
) -> Option<Globals> {
    let thread = registers.thread_pointer().0;
    let leaf = Leaf {
        memory,
        thread_pointer: thread,
        callee: &|index| tls_address(memory, thread, index).ok().flatten(),
    };
    let address = leaf.returned(function, 0)?;
    if address == 0 {
        return Some(Globals {
            caught: 0,
            uncaught: 0,
        });
    }
    Some(Globals {
        caught: memory.u64(address).ok()?,
        uncaught: memory.u32(address.checked_add(8)?).ok()?,
    })
}

/// What `__tls_get_addr` of glibc answers for the index at `index`: 0 for a module whose variables this thread
/// never used, `None` if the thread does not look like one of glibc's.
fn tls_address(
    memory: &dyn ReadMemory,
    thread: u64,
    index: u64,
) -> Result<Option<u64>, Unreadable> {
    let (module, offset) = (memory.u64(index)?, memory.u64(index.wrapping_add(8))?);
    // The thread's descriptor begins with its own address and has it again behind the vector.
    let is_glibc = memory.u64(thread)? == thread && memory.u64(thread.wrapping_add(16))? == thread;
    if !is_glibc || module == 0 || module > MOST_TLS_MODULES {
        return Ok(None);
    }
    let vector = memory.u64(thread.wrapping_add(8))?;
    let length = memory.u64(vector.wrapping_sub(16))?;
    if module > length {
        return Ok(Some(0));
    }
    Ok(
        match memory.u64(vector.wrapping_add(module.wrapping_mul(16)))? {
            UNALLOCATED | 0 => Some(0),
            block => Some(block.wrapping_add(offset)),
        },
    )
}
