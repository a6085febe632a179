//! Paths as text, and back: names of files need not be UTF-8, and those from old disks and archives are not.
//!
//! A byte that is no text becomes a letter of the last private range of Unicode, which no name has; so it can be told,
//! compared, kept in a manifest, and opened again.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

/// The letter of byte 0.
const FIRST: u32 = 0x0010_ff00;

/// The text of a name or path.
pub fn text_of(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        let letters = chunk.invalid().iter().map(|byte| FIRST + u32::from(*byte));
        text.extend(letters.filter_map(char::from_u32));
    }
    text
}

/// The path that a text stands for.
pub fn path_of(text: &str) -> Cow<'_, Path> {
    if text.chars().all(|letter| byte_of(letter).is_none()) {
        return Cow::Borrowed(Path::new(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match byte_of(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(OsString::from_vec(bytes).into())
}

/// ASCII is always text.
fn byte_of(letter: char) -> Option<u8> {
    let byte = u32::from(letter).checked_sub(FIRST)?;
    u8::try_from(byte).ok().filter(|byte| !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_utf_8_is_found_again() {
        for name in [
            &b"caf\xe9.jpg"[..],
            b"caf\xc3\xa9.jpg",
            b"\xff\xfe\xc3",
            b"",
        ] {
            let name = OsStr::from_bytes(name);
            assert_eq!(path_of(&text_of(name)).as_os_str(), name);
        }
        assert_eq!(text_of(OsStr::new("café.jpg")), "café.jpg");
        assert!(matches!(path_of("café.jpg"), Cow::Borrowed(_)));
    }
}
