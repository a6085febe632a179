//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::distribution::{Listing, Metadata, name_and_version};
use crate::interpreter::{executable, path_file, pyvenv};
use crate::{cache, elf, site, tensorflow};

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

/// Every text in which an interpreter or a package tells about itself.
pub fn package_text(bytes: &[u8]) {
    for listing in [Listing::Record, Listing::Installed] {
        let listing = listing(bytes.to_vec());
        let listed: usize = listing.files().map(|listed| listed.path.len()).sum();
        assert!(listed <= bytes.len(), "a path is not longer than its line");
    }
    let text = String::from_utf8_lossy(bytes);
    let metadata = Metadata::parse(&text);
    let is_shown = |text: &String| !text.contains(char::is_control);
    assert!(metadata.name.iter().all(is_shown) && metadata.requires.iter().all(is_shown));
    pyvenv::Pyvenv::parse(&text);
    for line in path_file::lines(&text) {
        path_file::without_dots(line.as_ref());
        name_and_version(line);
    }
    site::generator(&text);
    tensorflow::version_of_header(&text);
    tensorflow::version_of_script(&text);
    let _ = executable::Head::from_bytes(bytes.to_vec()).architecture();
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
