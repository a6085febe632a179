//! The compressed pixels of a PNG file: whether they inflate, are as many as declared, and have filters that exist.

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use super::header::Header;

const BLOCK: usize = 64 * 1024;
const MOST_FILTER: u8 = 4;

pub(super) struct Pixels {
    inflater: Decompress,
    block: Vec<u8>,
    /// Passes that are not complete, the next last: rows, and bytes of a row.
    passes: Vec<(u64, u64)>,
    /// Bytes of the row that is being read which were seen.
    seen: u64,
    state: State,
    /// There are more bytes than pixels.
    is_over: bool,
}

#[derive(PartialEq, Eq)]
enum State {
    More,
    /// All rows are there; libpng still looks for the end of the compressed stream.
    Filled,
    /// The compressed stream has ended, or libpng looks no further.
    Ended,
    Broken(String),
}

impl Pixels {
    pub(super) fn new(header: &Header) -> Self {
        let mut passes = header.passes();
        passes.reverse();
        Self {
            inflater: Decompress::new(true),
            block: vec![0; BLOCK],
            passes,
            seen: 0,
            state: State::More,
            is_over: false,
        }
    }

    /// The next bytes of the compressed stream.
    pub(super) fn inflate(&mut self, mut input: &[u8]) {
        while self.state == State::More || self.state == State::Filled && !input.is_empty() {
            let (taken, given) = (self.inflater.total_in(), self.inflater.total_out());
            let room = self.room();
            let mut block = std::mem::take(&mut self.block);
            let space = block.get_mut(..room).unwrap_or_default();
            let outcome = self
                .inflater
                .decompress(input, space, FlushDecompress::None);
            let taken = (self.inflater.total_in() - taken) as usize;
            let given = (self.inflater.total_out() - given) as usize;
            input = input.get(taken..).unwrap_or_default();
            if self.state == State::Filled {
                self.behind_rows(&outcome, given);
            } else {
                self.rows(block.get(..given).unwrap_or_default());
                self.after_rows(outcome);
            }
            self.block = block;
            if taken == 0 && given == 0 || input.is_empty() && given < room {
                break;
            }
        }
    }

    /// Bytes to ask for: libpng asks for the rows first, and by itself for what is behind them, where it forgives more.
    fn room(&self) -> usize {
        let add =
            |sum: u64, (rows, row): &(u64, u64)| sum.saturating_add(rows.saturating_mul(*row));
        let rest = self.passes.iter().fold(0, add).saturating_sub(self.seen);
        match usize::try_from(rest) {
            Ok(0) | Err(_) => BLOCK,
            Ok(rest) => rest.min(BLOCK),
        }
    }

    fn after_rows(&mut self, outcome: Result<Status, DecompressError>) {
        if self.state != State::More {
            return;
        }
        match outcome {
            Ok(Status::StreamEnd) => self.state = State::Ended,
            Ok(_) if self.passes.is_empty() => self.state = State::Filled,
            Ok(_) => {}
            Err(error) => self.state = State::Broken(format!("they do not inflate: {error}")),
        }
    }

    /// libpng goes on while more bytes come; an error is a warning there.
    fn behind_rows(&mut self, outcome: &Result<Status, DecompressError>, given: usize) {
        self.is_over |= given > 0;
        if given == 0 || !matches!(outcome, Ok(Status::Ok | Status::BufError)) {
            self.state = State::Ended;
        }
    }

    /// Counts rows, and looks at the first byte of each.
    fn rows(&mut self, mut bytes: &[u8]) {
        while let Some(&first) = bytes.first() {
            let Some((rows, length)) = self.passes.last_mut() else {
                return;
            };
            if self.seen == 0 && first > MOST_FILTER {
                self.state = State::Broken(format!(
                    "a row has filter {first}; the last is {MOST_FILTER}"
                ));
                return;
            }
            let here = (*length - self.seen).min(bytes.len() as u64);
            bytes = bytes.get(here as usize..).unwrap_or_default();
            self.seen += here;
            if self.seen == *length {
                self.seen = 0;
                *rows -= 1;
                if *rows == 0 {
                    self.passes.pop();
                }
            }
        }
    }

    /// What libpng refuses.
    pub(super) fn complaint(&self) -> Option<String> {
        match &self.state {
            State::Broken(detail) => Some(detail.clone()),
            State::Ended => self.missing(),
            _ => None,
        }
    }

    /// What is not there when the pixels have ended.
    pub(super) fn missing(&self) -> Option<String> {
        let rows: u64 = self.passes.iter().map(|(rows, _)| rows).sum();
        match self.state {
            _ if rows > 0 => Some(format!("{rows} rows of pixels are missing")),
            State::Filled => Some("the end of the compressed stream is missing".to_owned()),
            _ => None,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }
}
