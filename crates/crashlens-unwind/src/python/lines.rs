//! From an instruction to its line: the three encodings CPython has used.
//!
//! Pure functions over bytes that may be garbage: the worst answer is a wrong or missing line.

use super::offsets::LineFormat;

/// The line of the instruction at byte `offset` of the byte code; negative before the first.
///
/// `None` where the table says that the instruction has no line, or ends before it.
pub(crate) fn line_at(
    format: LineFormat,
    table: &[u8],
    first_line: i64,
    offset: i64,
) -> Option<u32> {
    let line = match (u64::try_from(offset), format) {
        (Err(_), _) => Some(first_line),
        (Ok(offset), LineFormat::UnsignedIncrements) => {
            Some(increments(table, first_line, offset, i64::from))
        }
        (Ok(offset), LineFormat::SignedIncrements) => {
            Some(increments(table, first_line, offset, |byte| {
                i64::from(byte.cast_signed())
            }))
        }
        (Ok(offset), LineFormat::Ranges) => ranges(table, first_line, offset),
        (Ok(offset), LineFormat::Locations) => locations(table, first_line, offset),
    };
    line.and_then(|line| u32::try_from(line).ok())
        .filter(|&line| line > 0)
}

/// `co_lnotab`: pairs of an address increment and a line increment.
fn increments(table: &[u8], first_line: i64, offset: u64, increment: impl Fn(u8) -> i64) -> i64 {
    let mut line = first_line;
    let mut address = 0_u64;
    for pair in table.as_chunks::<2>().0 {
        address += u64::from(pair[0]);
        if address > offset {
            break;
        }
        line += increment(pair[1]);
    }
    line
}

/// `co_linetable` of 3.10: pairs of a range's length in bytes and its line increment.
fn ranges(table: &[u8], first_line: i64, offset: u64) -> Option<i64> {
    const NO_LINE: i8 = -128;
    let mut line = first_line;
    let mut end = 0_u64;
    for pair in table.as_chunks::<2>().0 {
        let increment = pair[1].cast_signed();
        if increment != NO_LINE {
            line += i64::from(increment);
        }
        end += u64::from(pair[0]);
        if offset < end {
            return (increment != NO_LINE).then_some(line);
        }
    }
    None
}

/// `co_linetable` of 3.11 and later. Each entry begins with a byte whose top bit is set: a kind and a
/// length in code units of two bytes; the operands that follow have the top bit clear.
fn locations(table: &[u8], first_line: i64, offset: u64) -> Option<i64> {
    const NO_LOCATION: u8 = 15;
    let mut line = first_line;
    let mut end = 0_u64;
    let mut rest = table;
    while let Some((&head, operands)) = rest.split_first() {
        let kind = (head >> 3) & 15;
        end += 2 * (u64::from(head & 7) + 1);
        line = line.wrapping_add(match kind {
            13 | 14 => signed_varint(operands),
            11 => 1,
            12 => 2,
            _ => 0,
        });
        if offset < end {
            return (kind != NO_LOCATION).then_some(line);
        }
        let next = operands
            .iter()
            .position(|byte| byte & 0x80 != 0)
            .unwrap_or(operands.len());
        rest = operands.get(next..)?;
    }
    None
}

/// Six bits in each byte, lowest first; bit 6 says that more follow; the lowest bit of all is the sign.
fn signed_varint(bytes: &[u8]) -> i64 {
    // Lines fit 32 bits, and so do six bytes; a longer number is garbage.
    const LONGEST: usize = 6;
    let mut value = 0_i64;
    for (index, byte) in bytes.iter().take(LONGEST).enumerate() {
        value |= i64::from(byte & 0x3f) << (6 * index);
        if byte & 0x40 == 0 {
            break;
        }
    }
    if value & 1 == 1 {
        -(value >> 1)
    } else {
        value >> 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_instruction_before_the_first_has_the_first_line() {
        for format in [
            LineFormat::UnsignedIncrements,
            LineFormat::Ranges,
            LineFormat::Locations,
        ] {
            assert_eq!(line_at(format, &[], 7, -2), Some(7));
        }
    }

    #[test]
    fn increments_add_up_to_the_instruction() {
        let table = [0, 1, 6, 1, 4, 0xff, 4, 200];
        assert_eq!(
            line_at(LineFormat::SignedIncrements, &table, 10, 0),
            Some(11)
        );
        assert_eq!(
            line_at(LineFormat::SignedIncrements, &table, 10, 6),
            Some(12)
        );
        assert_eq!(
            line_at(LineFormat::SignedIncrements, &table, 10, 10),
            Some(11)
        );
        assert_eq!(
            line_at(LineFormat::UnsignedIncrements, &table, 10, 10),
            Some(12 + 255)
        );
    }

    #[test]
    fn a_range_may_have_no_line() {
        let table = [4, 1, 2, 0x80, 4, 2];
        assert_eq!(line_at(LineFormat::Ranges, &table, 1, 2), Some(2));
        assert_eq!(line_at(LineFormat::Ranges, &table, 1, 4), None);
        assert_eq!(line_at(LineFormat::Ranges, &table, 1, 6), Some(4));
        assert_eq!(line_at(LineFormat::Ranges, &table, 1, 10), None);
    }

    #[test]
    fn locations_of_every_kind_are_followed() {
        // Two units without location, one unit one line on, two units three lines back, one unit 40 on.
        let table = [
            0xf9,
            0x80 | 11 << 3,
            1,
            2,
            0x80 | 13 << 3 | 1,
            7,
            0x80 | 14 << 3,
            0x50,
            0x01,
            0,
            1,
            2,
        ];
        let line = |offset| line_at(LineFormat::Locations, &table, 5, offset);
        assert_eq!(
            [line(0), line(4), line(6), line(8), line(10), line(12)],
            [None, Some(6), Some(3), Some(3), Some(43), None]
        );
    }

    proptest! {
        #[test]
        fn no_table_is_too_broken(table: Vec<u8>, first_line: i32, offset in -4_i64..5000) {
            for format in [
                LineFormat::UnsignedIncrements,
                LineFormat::SignedIncrements,
                LineFormat::Ranges,
                LineFormat::Locations,
            ] {
                let _ = line_at(format, &table, i64::from(first_line), offset);
            }
        }
    }
}
