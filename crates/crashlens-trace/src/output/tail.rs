//! The end of a stream: its last bytes while it runs, its last lines when somebody asks.

use crashlens_core::Tail;

use crashlens_core::secrets;

/// How many bytes are kept.
pub(super) const MAX_BYTES: usize = 256 * 1024;
/// How many lines are kept.
pub(super) const MAX_LINES: usize = 500;

/// The last [`MAX_BYTES`] of what was appended. Never allocates after it was made.
pub(super) struct Ring {
    bytes: Box<[u8]>,
    appended: u64,
}

impl Ring {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; MAX_BYTES].into_boxed_slice(),
            appended: 0,
        }
    }

    pub(super) fn append(&mut self, new: &[u8]) {
        let skipped = new.len().saturating_sub(MAX_BYTES);
        let kept = &new[skipped..];
        let position = ((self.appended + skipped as u64) % MAX_BYTES as u64) as usize;
        let until_end = kept.len().min(MAX_BYTES - position);
        self.bytes[position..position + until_end].copy_from_slice(&kept[..until_end]);
        self.bytes[..kept.len() - until_end].copy_from_slice(&kept[until_end..]);
        self.appended += new.len() as u64;
    }

    /// The bytes kept, older part first.
    pub(super) fn halves(&self) -> (&[u8], &[u8]) {
        if self.appended <= MAX_BYTES as u64 {
            return (&self.bytes[..self.appended as usize], &[]);
        }
        let oldest = (self.appended % MAX_BYTES as u64) as usize;
        (&self.bytes[oldest..], &self.bytes[..oldest])
    }

    /// How many bytes were ever appended.
    pub(super) fn appended(&self) -> u64 {
        self.appended
    }
}

/// The last lines of `bytes`, of which `earlier` bytes came before.
pub(super) fn last_lines(bytes: &[u8], earlier: u64) -> Tail {
    let mut bytes = bytes;
    // The ring cuts anywhere. Half a line misleads whoever reads it, unless there is nothing else.
    if earlier > 0
        && let Some(end) = memchr::memchr(b'\n', bytes)
        && end + 1 < bytes.len()
    {
        bytes = &bytes[end + 1..];
    }
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if whole.is_empty() && bytes.is_empty() {
        return Tail {
            lines: Vec::new(),
            truncated: earlier > 0,
        };
    }
    let mut lines: Vec<&[u8]> = whole
        .rsplit(|byte| *byte == b'\n')
        .take(MAX_LINES + 1)
        .collect();
    let truncated = earlier > 0 || lines.len() > MAX_LINES;
    lines.truncate(MAX_LINES);
    lines.reverse();
    let text: Vec<String> = lines
        .into_iter()
        .map(|line| String::from_utf8_lossy(visible(line)).into_owned())
        .collect();
    Tail {
        lines: secrets::mask_lines(&text),
        truncated,
    }
}

/// What a terminal shows of a line: progress bars (`tqdm`, pip) go back with `\r` and write over
/// themselves; thousands of old states would push the lines that matter out of the tail's reader.
fn visible(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match memchr::memrchr(b'\r', line) {
        Some(position) => &line[position + 1..],
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(ring: &Ring) -> Vec<u8> {
        let (older, newer) = ring.halves();
        [older, newer].concat()
    }

    #[test]
    fn the_ring_keeps_the_last_bytes_in_order_however_they_arrive() {
        let all: Vec<u8> = (0..MAX_BYTES * 3 + 17)
            .map(|index| (index % 251) as u8)
            .collect();
        for step in [
            1_000,
            65_536,
            MAX_BYTES - 1,
            MAX_BYTES,
            MAX_BYTES + 5,
            all.len(),
        ] {
            let mut ring = Ring::new();
            for piece in all.chunks(step) {
                ring.append(piece);
            }
            assert_eq!(
                contents(&ring),
                &all[all.len() - MAX_BYTES..],
                "in steps of {step}"
            );
            assert_eq!(ring.appended(), all.len() as u64);
        }
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut ring = Ring::new();
        ring.append(b"one\n");
        ring.append(b"two");
        assert_eq!(contents(&ring), b"one\ntwo");
    }

    #[test]
    fn lines_become_text_and_the_last_one_needs_no_line_end() {
        let cases: &[(&[u8], u64, &[&str], bool)] = &[
            (b"", 0, &[], false),
            (b"\n", 0, &[""], false),
            (b"a\nb\n", 0, &["a", "b"], false),
            (b"a\nhalf", 0, &["a", "half"], false),
            (b"ut of a line\nb\n", 9, &["b"], true),
            (
                b"only a piece of a huge line",
                9,
                &["only a piece of a huge line"],
                true,
            ),
            (b"the end of one\n", 9, &["the end of one"], true),
            (b"bad \xff byte\n", 0, &["bad \u{fffd} byte"], false),
            (b"windows\r\n", 0, &["windows"], false),
            (
                b" 10%|\r 50%|\r 99%| F0000 Check failed\n",
                0,
                &[" 99%| F0000 Check failed"],
                false,
            ),
        ];
        for (bytes, earlier, lines, truncated) in cases {
            let tail = last_lines(bytes, *earlier);
            assert_eq!(
                (tail.lines.as_slice(), tail.truncated),
                (
                    &lines
                        .iter()
                        .map(|line| (*line).to_owned())
                        .collect::<Vec<_>>()[..],
                    *truncated
                )
            );
        }
    }

    #[test]
    fn at_most_the_last_five_hundred_lines_are_kept() {
        let text = (0..502)
            .map(|number| format!("line {number}"))
            .collect::<Vec<_>>()
            .join("\n");
        let tail = last_lines(text.as_bytes(), 0);
        assert_eq!(tail.lines.len(), MAX_LINES);
        assert_eq!(tail.lines[0], "line 2");
        assert!(tail.truncated);
    }
}
