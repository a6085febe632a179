//! Whether bytes are UTF-8 as Python takes it from a pickle: with halves of surrogate pairs.

use std::io::{self, Read};

const PIECE: usize = 64 * 1024;
/// A character has so many bytes at most.
const LONGEST: usize = 4;

/// What came of reading a text.
pub(super) struct Passed {
    /// Bytes that were read.
    pub(super) length: u64,
    pub(super) is_utf8: bool,
}

/// Reads `length` bytes, or as many as there are, and keeps none of them.
pub(super) fn pass(reader: &mut impl Read, length: u64) -> io::Result<Passed> {
    let mut passed = Passed {
        length: 0,
        is_utf8: true,
    };
    let mut open = Vec::new();
    while passed.length < length {
        let wanted = (length - passed.length).min(PIECE as u64);
        let read = reader.by_ref().take(wanted).read_to_end(&mut open)?;
        if read == 0 {
            break;
        }
        passed.length += read as u64;
        if let Some(rest) = half_done(&open) {
            open.drain(..rest);
        } else {
            passed.is_utf8 = false;
            open.clear();
        }
    }
    passed.is_utf8 &= open.is_empty();
    Ok(passed)
}

/// Where the last character begins that is not whole; `None` where there is something that is no UTF-8.
fn half_done(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let Err(error) = std::str::from_utf8(rest) else {
            return Some(bytes.len());
        };
        at += error.valid_up_to();
        let rest = bytes.get(at..)?;
        match rest {
            // Half of a surrogate pair, which `surrogatepass` lets pass.
            [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => at += 3,
            [0xed, 0xa0..=0xbf] => return Some(at),
            _ if error.error_len().is_none() && rest.len() < LONGEST => return Some(at),
            _ => return None,
        }
    }
}

/// Whether all of it is UTF-8 as Python takes it.
pub(super) fn is_utf8(bytes: &[u8]) -> bool {
    half_done(bytes) == Some(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(bytes: &[u8]) -> bool {
        pass(&mut &bytes[..], bytes.len() as u64).unwrap().is_utf8
    }

    #[test]
    fn characters_across_two_pieces_are_whole() {
        let text = format!("a{}", "ä€𝄞".repeat(20_000));
        assert!(text.len() > 2 * PIECE);
        assert!(passed(text.as_bytes()));
        assert!(!passed(&text.as_bytes()[..text.len() - 1]));
    }

    #[test]
    fn halves_of_surrogate_pairs_pass_and_other_bytes_do_not() {
        assert!(is_utf8(b"a\xed\xa0\x80b\xed\xbf\xbf"));
        assert!(!is_utf8(b"a\xed\xa0"));
        assert!(!is_utf8(b"a\xc3("));
        assert!(!is_utf8(b"\xff"));
        assert!(!passed(&[&[b'a'; 700][..], b"\xb8"].concat()));
    }
}
