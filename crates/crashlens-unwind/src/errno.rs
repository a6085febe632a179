//! The C library's `errno` of the crashed thread: why its last call that failed did so.
//!
//! Nothing clears it when a call succeeds, so that it may be of long ago. `ENOMEM` right after an allocation is
//! what a pointer that nobody checked leaves behind.

use crashlens_core::Module;

use crate::arch::Leaf;
use crate::testimony::{Answer, Scene};

/// The kernel has no higher ones.
const HIGHEST: i32 = 4095;

/// `errno` of the crashed thread; `None` for a program without a C library, or where no thread crashed.
pub(crate) fn find(scene: &Scene<'_>) -> Answer<i32> {
    let Some(thread) = scene.snapshot.crashed_thread else {
        return Ok(None);
    };
    let states = &scene.snapshot.threads;
    let registers = states
        .iter()
        .find(|state| state.id == thread)
        .and_then(|state| state.registers)
        .ok_or("the registers of the crashed thread could not be read")?;
    let modules = scene.images.modules();
    let libraries: Vec<&Module> = modules
        .iter()
        .filter(|module| is_c_library(&module.name))
        .collect();
    // A static program holds the library itself.
    let function = libraries
        .iter()
        .copied()
        .chain(modules.first())
        .find_map(|module| scene.symbols.symbol(module, "__errno_location"));
    let Some(function) = function else {
        return if libraries.is_empty() {
            Ok(None)
        } else {
            Err("the C library does not tell where it keeps it".to_owned())
        };
    };
    let memory = scene.confidential;
    let leaf = Leaf {
        memory,
        thread_pointer: registers.thread_pointer().0,
        callee: &|_| None,
    };
    let value = leaf
        .returned(function, 0)
        .and_then(|address| memory.i32(address).ok())
        .ok_or("the thread's own memory could not be read")?;
    if (0..=HIGHEST).contains(&value) {
        Ok(Some(value))
    } else {
        Err(format!("{value} is no error number"))
    }
}

fn is_c_library(name: &str) -> bool {
    ["libc.so", "libc-2.", "libc.musl", "ld-musl"]
        .iter()
        .any(|start| name.starts_with(start))
}
