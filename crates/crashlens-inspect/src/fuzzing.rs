//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::{cache, elf};

/// Everything that is ever read of an ELF file.
pub fn elf_file(bytes: &[u8]) {
    if let Ok(file) = elf::from_source(&bytes) {
        file.exported.shared_with(&[&file.exported]);
    }
    let _ = elf::vectors_of(&bytes);
}

/// An entry of the cache of ELF files, behind its checksum, which no fuzzer would guess.
pub fn elf_cache(bytes: &[u8]) {
    if let Some((_, file)) = cache::decode_body(bytes) {
        file.exported.contains_version("name", "VERSION_1");
        file.exported.shared_with(&[&file.exported]);
    }
}

/// What is read of files about the GPU: the driver's words, cuDNN's header, TensorFlow's account of its build.
pub fn gpu_files(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = crate::gpu::driver_version(&text);
    let _ = crate::gpu::header_version(&text);
    let _ = crate::gpu::parse_build_info(&text);
}

/// The cache of libraries that `ldconfig` writes.
pub fn library_cache(bytes: &[u8]) {
    let _ = crate::loader::cache::LibraryCache::parse(bytes);
}
