//! LZF, which h5py brings along: bytes as they are, or a stretch of what was unpacked before.
//!
//! Not the `lzf` crate, which is deprecated: the format is two cases.

/// Bytes that a chunk may become; a damaged one may ask for more than it should have.
const MOST: usize = 64 << 20;

/// What a chunk unpacks to. Fails where the reader of h5py does: the input ends in the middle, or a stretch would begin
/// before the first byte.
pub(super) fn unpacked(packed: &[u8], length: u64) -> Result<Vec<u8>, &'static str> {
    let mut values = Vec::with_capacity((length as usize).min(MOST));
    let mut rest = packed;
    while let Some((&control, after)) = rest.split_first() {
        rest = after;
        if values.len() > MOST {
            break;
        }
        let control = usize::from(control);
        if control < 32 {
            let (literal, after) = rest
                .split_at_checked(control + 1)
                .ok_or("a packed chunk ends in the middle")?;
            values.extend_from_slice(literal);
            rest = after;
        } else {
            copy(control, &mut rest, &mut values)?;
        }
    }
    Ok(values)
}

fn copy(control: usize, rest: &mut &[u8], values: &mut Vec<u8>) -> Result<(), &'static str> {
    let mut next = || -> Result<usize, &'static str> {
        let (byte, after) = rest
            .split_first()
            .ok_or("a packed chunk ends in the middle")?;
        *rest = after;
        Ok(usize::from(*byte))
    };
    let mut length = control >> 5;
    if length == 7 {
        length += next()?;
    }
    let back = ((control & 31) << 8) + next()? + 1;
    let start = values
        .len()
        .checked_sub(back)
        .ok_or("a packed chunk refers to what is before its beginning")?;
    // Byte by byte: a stretch may go on into what it has just written.
    for at in start..start + length + 2 {
        let byte = values.get(at).copied().unwrap_or_default();
        values.push(byte);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_stretches_are_unpacked() {
        assert_eq!(
            unpacked(b"\x02abc\x20\x02", 6).as_deref(),
            Ok(&b"abcabc"[..])
        );
        assert_eq!(
            unpacked(b"\x00a\xe0\x01\x00", 11).as_deref(),
            Ok(&b"aaaaaaaaaaa"[..])
        );
        assert_eq!(unpacked(b"", 0).as_deref(), Ok(&b""[..]));
    }

    #[test]
    fn damage_is_told() {
        assert!(unpacked(b"\x05ab", 6).is_err());
        assert!(unpacked(b"\x00a\x20\x01", 4).is_err());
        assert!(unpacked(b"\x00a\xe0", 4).is_err());
    }
}
