//! The C library's last words: what it keeps for whoever opens the core.
//!
//! glibc copies the text of a failed assertion or of a damaged heap to a page of its own and points
//! `__abort_msg` there before it aborts (2.14 and later). Nothing clears it afterwards: a program that
//! survived its own abort still has the old words. What is there is told, not when it was written.

use crashlens_core::Module;

use crate::testimony::{Answer, Scene};
use crate::text;

/// Where glibc keeps the pointer to its message.
const SYMBOL: &str = "__abort_msg";
/// The text follows a 32-bit count of the bytes that were mapped for it.
const TEXT: u64 = 4;

/// The message, masked.
pub(crate) fn find(scene: &Scene<'_>) -> Answer<String> {
    let modules = scene.images.modules();
    // A static program holds the library itself. A file that is mapped as data, too, is listed twice; the one
    // that is loaded answers.
    let libraries = modules.iter().filter(|module| is_glibc(module));
    let variable = libraries
        .chain(modules.first())
        .find_map(|module| scene.symbols.symbol(module, SYMBOL))
        .ok_or("no C library of the process tells where it keeps them")?;
    let memory = scene.confidential;
    let unreadable = |_| "the memory of the C library could not be read".to_owned();
    let message = memory.u64(variable).map_err(unreadable)?;
    if message == 0 {
        return Ok(None);
    }
    let size = memory.u32(message).map_err(unreadable)?;
    let longest = (size as usize).saturating_sub(TEXT as usize);
    Ok(text::c_string(memory, message.saturating_add(TEXT))
        .filter(|text| !text.trim().is_empty() && text.len() <= longest)
        .map(|text| text::masked(text.trim())))
}

/// `libc.so.6`, or `libc-2.31.so` of older distributions.
fn is_glibc(module: &Module) -> bool {
    module.name == "libc.so.6" || module.name.starts_with("libc-2.")
}
