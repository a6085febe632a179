//! What a file is that has the name of a native file and is none.

/// In words, from its first bytes.
pub(super) fn name(start: &[u8]) -> &'static str {
    const KINDS: [(&[u8], &str); 9] = [
        (
            b"version https://git-lfs",
            "it is a pointer of Git LFS: the file itself was never fetched",
        ),
        (b"\xcf\xfa\xed\xfe", "it is a library of macOS"),
        (b"\xca\xfe\xba\xbe", "it is a library of macOS"),
        (b"MZ", "it is a library of Windows"),
        (b"!<arch>", "it is an archive of object files"),
        (b"\x1f\x8b", "it is a compressed file"),
        (b"PK\x03\x04", "it is a zip file"),
        (b"BC\xc0\xde", "it is LLVM's bitcode"),
        (b"\x7fEL", "it ends within the first bytes of an ELF file"),
    ];
    if start.is_empty() {
        return "it is empty";
    }
    if let Some((_, words)) = KINDS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return words;
    }
    if start.iter().all(|byte| *byte == 0) {
        return "it begins with zeros";
    }
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..);
    if start.iter().all(is_text) && std::str::from_utf8(start).is_ok() {
        return super::TEXT;
    }
    "it is no ELF file"
}
