//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

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
