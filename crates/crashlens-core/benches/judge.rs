//! How long it takes to judge a death: recorded captures, pasted logs, and a log of 100 MB.
//!
//! `cargo lab bench rules` runs this and makes a table of it. A line is `what<TAB>count<TAB>median ms<TAB>worst ms`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "what a benchmark prints is its result, and a failed step ends it"
)]

use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::Instant;

use crashlens_core::{CrashCapture, Death, pasted};

/// The shortest of so many rounds counts: whatever else the machine does only adds to it.
const ROUNDS: usize = 5;
/// Bytes of the long log.
const LONG_LOG: u64 = 100_000_000;

fn main() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let captures = files(&fixtures.join("captures"), "json");
    let captures: Vec<CrashCapture> = captures
        .iter()
        .map(|text| serde_json::from_slice(text).unwrap())
        .collect();
    let first = captures.first().unwrap();
    tell("first death of a process", &[once(&mut || judge(first))]);
    tell("recorded capture", &each(&captures, judge));
    let logs = files(&fixtures.join("logs"), "txt");
    tell(
        "pasted log",
        &each(&logs, |text| judge(&pasted::read(text.as_slice()).unwrap())),
    );
    tell("log of 100 MB", &[once(&mut || judge(&long_log()))]);
}

/// Facts, rules and the report of one death.
fn judge(capture: &CrashCapture) {
    black_box(Death::new(black_box(capture)));
}

fn each<T>(things: &[T], work: impl Fn(&T)) -> Vec<f64> {
    let shortest = |thing: &T| {
        let rounds = (0..ROUNDS).map(|_| once(&mut || work(thing)));
        rounds.fold(f64::INFINITY, f64::min)
    };
    things.iter().map(shortest).collect()
}

/// Milliseconds.
fn once(work: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1000.0
}

/// Lines as a training run writes them, and a crash at the end.
fn long_log() -> CrashCapture {
    let line = "2024-05-04 11:00:01.104512: I tensorflow/core/common_runtime/process_util.cc:146] step 1187/9380 - loss: 2.2104\n";
    let end = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  \
               File \"train.py\", line 3 in <module>\nSegmentation fault (core dumped)\n";
    let mut repeated = Vec::new();
    while repeated.len() < 1 << 16 {
        repeated.extend_from_slice(line.as_bytes());
    }
    let source = Repeated {
        text: repeated,
        at: 0,
    };
    let log = source.take(LONG_LOG).chain(end.as_bytes());
    pasted::read(BufReader::with_capacity(1 << 16, log)).unwrap()
}

/// A text without end.
struct Repeated {
    text: Vec<u8>,
    at: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at = (self.at + count) % self.text.len();
        Ok(count)
    }
}

fn files(folder: &Path, extension: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn tell(what: &str, milliseconds: &[f64]) {
    let mut sorted = milliseconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
    let worst = sorted.last().copied().unwrap_or(f64::NAN);
    println!("{what}\t{}\t{median:.2}\t{worst:.2}", sorted.len());
}
