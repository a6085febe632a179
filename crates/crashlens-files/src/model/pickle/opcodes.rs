//! The instructions of pickles, protocols 0 to 5: what follows each of them in the stream.

/// What follows an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    Nothing,
    /// So many bytes.
    Fixed(usize),
    /// A length of so many bytes, then so many bytes.
    Counted(usize),
    /// Text up to the end of the line.
    Line,
    /// Two lines: module and name.
    TwoLines,
}

/// What follows the instruction `code`; `None` where there is no such instruction.
pub(super) fn argument(code: u8) -> Option<Argument> {
    Some(match code {
        b'('
        | b'.'
        | b'0'
        | b'1'
        | b'2'
        | b'N'
        | b'Q'
        | b'R'
        | b'a'
        | b'b'
        | b'd'
        | b'}'
        | b'e'
        | b'l'
        | b']'
        | b'o'
        | b's'
        | b't'
        | b')'
        | b'u'
        | 0x81
        | 0x85..=0x89
        | 0x8f..=0x94
        | 0x97
        | 0x98 => Argument::Nothing,
        b'K' | b'h' | b'q' | 0x80 | 0x82 => Argument::Fixed(1),
        b'M' | 0x83 => Argument::Fixed(2),
        b'J' | b'j' | b'r' | 0x84 => Argument::Fixed(4),
        b'G' | 0x95 => Argument::Fixed(8),
        b'U' | b'C' | 0x8a | 0x8c => Argument::Counted(1),
        b'T' | b'X' | b'B' | 0x8b => Argument::Counted(4),
        0x8d | 0x8e | 0x96 => Argument::Counted(8),
        b'F' | b'I' | b'L' | b'P' | b'S' | b'V' | b'g' | b'p' => Argument::Line,
        b'c' | b'i' => Argument::TwoLines,
        _ => return None,
    })
}

/// The highest protocol that Python has.
pub(super) const LATEST: u8 = 5;

pub(super) const PROTO: u8 = 0x80;
pub(super) const FRAME: u8 = 0x95;
pub(super) const STOP: u8 = b'.';
