//! Fields and rows of comma-separated text, told apart as `tf.data.experimental.CsvDataset` does.

/// Bytes of a field that are kept; longer ones are no numbers.
const KEPT: usize = 64;

/// Something that `CsvDataset` refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// A quote within a field that does not begin with one.
    StrayQuote,
    /// Something other than a separator behind a closing quote.
    UnescapedQuote,
    /// The text ended within quotes.
    Unclosed,
}

/// What the text is made of, as it comes.
pub(super) enum Event<'a> {
    /// A field, or its first bytes.
    Field(&'a [u8]),
    /// The end of a row.
    Row,
    /// At this byte.
    Slip(Slip, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing of a row was read.
    Row,
    /// Nothing of a field was read.
    Field,
    Plain,
    Quoted,
    /// Behind a quote within quotes: it closes, or is the first of two.
    Quote,
}

/// Takes the text piece by piece.
pub(super) struct Splitter {
    delimiter: u8,
    state: State,
    kept: Vec<u8>,
    at: u64,
    /// Byte of the quote that was opened last.
    opened: u64,
    after_return: bool,
}

impl Splitter {
    pub(super) fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            state: State::Row,
            kept: Vec::new(),
            at: 0,
            opened: 0,
            after_return: false,
        }
    }

    pub(super) fn feed(&mut self, piece: &[u8], on: &mut impl FnMut(Event<'_>)) {
        for byte in piece {
            self.byte(*byte, on);
            self.at += 1;
        }
    }

    pub(super) fn finish(&mut self, on: &mut impl FnMut(Event<'_>)) {
        if self.state == State::Quoted {
            on(Event::Slip(Slip::Unclosed, self.opened));
        }
        if self.state != State::Row {
            self.end_field(on);
            on(Event::Row);
        }
    }

    fn byte(&mut self, byte: u8, on: &mut impl FnMut(Event<'_>)) {
        let is_second_half = byte == b'\n' && self.after_return;
        self.after_return = false;
        if is_second_half {
            return;
        }
        match self.state {
            State::Row | State::Field if byte == b'"' => {
                self.state = State::Quoted;
                self.opened = self.at;
            }
            State::Row | State::Field | State::Plain => self.plain(byte, on),
            State::Quoted if byte == b'"' => self.state = State::Quote,
            State::Quoted => self.keep(byte),
            State::Quote => match byte {
                b'"' => {
                    self.keep(byte);
                    self.state = State::Quoted;
                }
                b'\n' | b'\r' => self.separator(byte, on),
                _ if byte == self.delimiter => self.separator(byte, on),
                _ => {
                    on(Event::Slip(Slip::UnescapedQuote, self.at));
                    self.keep(byte);
                    self.state = State::Quoted;
                }
            },
        }
    }

    fn plain(&mut self, byte: u8, on: &mut impl FnMut(Event<'_>)) {
        if byte == self.delimiter || matches!(byte, b'\n' | b'\r') {
            self.separator(byte, on);
            return;
        }
        if byte == b'"' {
            on(Event::Slip(Slip::StrayQuote, self.at));
        }
        self.state = State::Plain;
        self.keep(byte);
    }

    fn separator(&mut self, byte: u8, on: &mut impl FnMut(Event<'_>)) {
        self.end_field(on);
        if byte == self.delimiter {
            self.state = State::Field;
        } else {
            self.state = State::Row;
            self.after_return = byte == b'\r';
            on(Event::Row);
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.kept.len() <= KEPT {
            self.kept.push(byte);
        }
    }

    fn end_field(&mut self, on: &mut impl FnMut(Event<'_>)) {
        on(Event::Field(&self.kept));
        self.kept.clear();
    }
}

/// What a field may be read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FieldKind {
    Empty,
    /// Zero is written the same way in columns of both kinds.
    Zero,
    Integer {
        /// Whether it needs more than 32 bits.
        wide: bool,
    },
    Float,
    Text,
}

/// What TensorFlow's readers of numbers make of a field.
pub(super) fn kind(field: &[u8]) -> FieldKind {
    if field.is_empty() {
        return FieldKind::Empty;
    }
    let trimmed = field.trim_ascii();
    if field.len() > KEPT || trimmed.is_empty() {
        return FieldKind::Text;
    }
    let unsigned = match trimmed {
        [b'+' | b'-', rest @ ..] => rest,
        _ => trimmed,
    };
    if !unsigned.is_empty() && unsigned.iter().all(u8::is_ascii_digit) {
        return if unsigned.iter().all(|digit| *digit == b'0') {
            FieldKind::Zero
        } else {
            let text = std::str::from_utf8(trimmed).unwrap_or_default();
            let wide = text.parse::<i32>().is_err();
            FieldKind::Integer { wide }
        };
    }
    let is_hex = matches!(unsigned, [b'0', b'x' | b'X', digits @ ..]
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit));
    // Rust's reader takes the same decimals, exponents and words for infinity.
    let is_number = std::str::from_utf8(unsigned).is_ok_and(|text| {
        let signed_twice = text.starts_with(['+', '-']);
        !signed_twice && text.parse::<f64>().is_ok()
    });
    if is_hex || is_number {
        FieldKind::Float
    } else {
        FieldKind::Text
    }
}
