//! The compressed pixels of a PNG file: whether they inflate, are as many as declared, and have filters that exist.

use flate2::{Decompress, FlushDecompress, Status};

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
}

#[derive(PartialEq, Eq)]
enum State {
    More,
    /// The compressed stream has ended.
    Ended,
    /// There are more bytes than pixels: libpng looks no further.
    Over,
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
        }
    }

    /// The next bytes of the compressed stream.
    pub(super) fn inflate(&mut self, mut input: &[u8]) {
        while self.state == State::More {
            let (taken, given) = (self.inflater.total_in(), self.inflater.total_out());
            let outcome = self
                .inflater
                .decompress(input, &mut self.block, FlushDecompress::None);
            let taken = (self.inflater.total_in() - taken) as usize;
            let given = (self.inflater.total_out() - given) as usize;
            input = input.get(taken..).unwrap_or_default();
            let block = std::mem::take(&mut self.block);
            self.rows(block.get(..given).unwrap_or_default());
            self.block = block;
            match outcome {
                Ok(Status::StreamEnd) if self.state == State::More => self.state = State::Ended,
                Err(error) if self.state == State::More => {
                    self.state = State::Broken(format!("they do not inflate: {error}"));
                }
                _ => {}
            }
            if taken == 0 && given == 0 || input.is_empty() && given < BLOCK {
                break;
            }
        }
    }

    /// Counts rows, and looks at the first byte of each.
    fn rows(&mut self, mut bytes: &[u8]) {
        while let Some(&first) = bytes.first() {
            let Some((rows, length)) = self.passes.last_mut() else {
                self.state = State::Over;
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
        (rows > 0).then(|| format!("{rows} rows of pixels are missing"))
    }

    pub(super) fn is_over(&self) -> bool {
        self.state == State::Over
    }
}
