//! A frame's pixels, unpacked so far that they can be counted and their colours looked at.
//!
//! For every code it is enough to know how many pixels it stands for and whether one of them is outside the colour
//! table. What a code means that was never made, giflib decides in a way of its own, and so is it here.

const MOST_CODES: usize = 4096;
const MOST_BITS: u32 = 12;
/// giflib's stack: no code may stand for more pixels.
const MOST_PIXELS: u32 = 4095;
/// The colour that giflib takes for the missing end of a code that was never made.
const STRAY: u8 = 2;

/// The colours of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Colours {
    pub(super) colours: u16,
    pub(super) transparent: Option<u8>,
}

/// How a frame's data ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Complete,
    TooSoon,
    NoSuchCode,
}

/// What a code stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Run {
    /// Pixels; 0 where the code was not made.
    length: u32,
    first: u8,
    /// A pixel whose colour is not there, and is not the transparent one.
    outside: Option<u8>,
    /// The transparent colour, where that is not there.
    left_out: bool,
}

/// What follows a code that was never made: giflib fails when it comes to use it.
const NEVER: Run = Run {
    length: MOST_PIXELS,
    first: STRAY,
    outside: None,
    left_out: false,
};

pub(super) struct Unpacker {
    runs: Vec<Run>,
    colours: Colours,
    clear: usize,
    code_size: u32,
    bits: u32,
    /// One more than the last code that can be made now.
    next: usize,
    last: Option<usize>,
    held: u32,
    count: u32,
    missing: u64,
    outside: Option<u8>,
    left_out: bool,
}

impl Unpacker {
    /// `code_size` is at most 8.
    pub(super) fn new(code_size: u8, pixels: u64, colours: Colours) -> Self {
        let clear = 1usize << code_size.min(8);
        let mut unpacker = Self {
            runs: vec![Run::default(); MOST_CODES],
            colours,
            clear,
            code_size: u32::from(code_size),
            bits: 0,
            next: 0,
            last: None,
            held: 0,
            count: 0,
            missing: pixels,
            outside: None,
            left_out: false,
        };
        for (colour, run) in (0..=255).zip(unpacker.runs.iter_mut().take(clear)) {
            *run = literal(colour, colours);
        }
        unpacker.reset();
        unpacker
    }

    fn reset(&mut self) {
        self.bits = self.code_size + 1;
        self.next = self.clear + 2;
        self.last = None;
        if let Some(made) = self.runs.get_mut(self.clear..) {
            made.fill(Run::default());
        }
    }

    pub(super) fn missing(&self) -> u64 {
        self.missing
    }

    /// A pixel's colour that is not in the table.
    pub(super) fn outside(&self) -> Option<u8> {
        self.outside
    }

    /// Whether a pixel is transparent by a colour that is not in the table.
    pub(super) fn outside_and_transparent(&self) -> bool {
        self.left_out
    }

    /// The next bytes; how the frame ended, if it did.
    pub(super) fn block(&mut self, bytes: &[u8]) -> Option<End> {
        for &byte in bytes {
            self.held |= u32::from(byte) << self.count;
            self.count += 8;
            while self.count >= self.bits {
                let code = (self.held & ((1 << self.bits) - 1)) as usize;
                self.held >>= self.bits;
                self.count -= self.bits;
                // The code that is being made may need a bit more from the next one on.
                if self.next < MOST_CODES + 1 {
                    self.next += 1;
                    if self.next > 1 << self.bits && self.bits < MOST_BITS {
                        self.bits += 1;
                    }
                }
                let end = self.code(code);
                if end.is_some() {
                    return end;
                }
            }
        }
        None
    }

    fn code(&mut self, code: usize) -> Option<End> {
        if code == self.clear {
            self.reset();
            return None;
        }
        if code == self.clear + 1 {
            return Some(End::TooSoon);
        }
        let making = self.next.saturating_sub(2);
        let known = self.runs.get(code).copied().filter(|run| run.length > 0);
        let before = self.last.and_then(|last| self.runs.get(last).copied());
        let before = before.map(|run| if run.length == 0 { NEVER } else { run });
        let run = match (known, before) {
            (Some(run), _) => run,
            (None, None | Some(NEVER)) => return Some(End::NoSuchCode),
            (None, Some(before)) => {
                let first = if code == making { before.first } else { STRAY };
                longer(before, literal(first, self.colours))
            }
        };
        if run.length >= MOST_PIXELS {
            return Some(End::NoSuchCode);
        }
        if let Some(before) = before
            && let Some(place) = self.runs.get_mut(making).filter(|place| place.length == 0)
        {
            let first = known.map_or(if code == making { before.first } else { STRAY }, |run| {
                run.first
            });
            *place = longer(before, literal(first, self.colours));
        }
        self.last = Some(code);
        self.outside = self.outside.or(run.outside);
        self.left_out |= run.left_out;
        self.missing = self.missing.saturating_sub(u64::from(run.length));
        (self.missing == 0).then_some(End::Complete)
    }
}

fn literal(colour: u8, colours: Colours) -> Run {
    let outside = u16::from(colour) >= colours.colours;
    let transparent = colours.transparent == Some(colour);
    Run {
        length: 1,
        first: colour,
        outside: (outside && !transparent).then_some(colour),
        left_out: outside && transparent,
    }
}

fn longer(run: Run, by: Run) -> Run {
    Run {
        length: run.length + by.length,
        first: run.first,
        outside: run.outside.or(by.outside),
        left_out: run.left_out || by.left_out,
    }
}
