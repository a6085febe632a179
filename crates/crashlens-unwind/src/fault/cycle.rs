//! The frames that repeat on a stack that was full.

use crashlens_core::{FaultSite, Frame, Thread};

/// Mutual recursion through an interpreter takes a dozen frames for each round; a hundred is generous.
const LONGEST_CYCLE: usize = 128;
/// Fewer rounds are not what filled a stack.
const FEWEST_ROUNDS: usize = 3;

/// Names the frames that repeat on the crashed thread, if its stack was full.
pub(crate) fn name_cycle(site: &mut FaultSite, threads: &[Thread]) {
    let Some(stack) = &mut site.stack else { return };
    let Some(thread) = threads.iter().find(|thread| thread.crashed) else {
        return;
    };
    // By line first; a function that calls itself from several lines repeats only as a function.
    let found = [by_line as fn(&Frame) -> String, by_function]
        .iter()
        .find_map(|key| {
            let keys: Vec<String> = thread.frames.iter().map(key).collect();
            find(&keys)
        });
    if let Some(cycle) = found {
        let frames = thread.frames.iter().skip(cycle.start).take(cycle.length);
        stack.cycle = frames.map(by_line).collect();
        stack.repeats = cycle.rounds as u64;
    }
}

/// A repetition in a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cycle {
    start: usize,
    length: usize,
    rounds: usize,
}

/// The shortest cycle that makes up at least half of the sequence.
fn find(keys: &[String]) -> Option<Cycle> {
    let longest = LONGEST_CYCLE.min(keys.len() / FEWEST_ROUNDS);
    (1..=longest).find_map(|length| {
        let (start, run) = longest_run(keys, length);
        let rounds = (run + length) / length;
        (rounds >= FEWEST_ROUNDS && (run + length) * 2 >= keys.len()).then_some(Cycle {
            start,
            length,
            rounds,
        })
    })
}

/// Start and length of the longest stretch in which every element equals the one `length` further on.
fn longest_run(keys: &[String], length: usize) -> (usize, usize) {
    let (mut best, mut start) = ((0, 0), 0);
    for (index, (key, later)) in keys.iter().zip(keys.iter().skip(length)).enumerate() {
        if key != later {
            start = index + 1;
        } else if index + 1 - start > best.1 {
            best = (start, index + 1 - start);
        }
    }
    best
}

fn by_line(frame: &Frame) -> String {
    match frame {
        Frame::Python(python) => match python.line {
            Some(line) => format!("{} ({}:{line})", python.function, python.file),
            None => format!("{} ({})", python.function, python.file),
        },
        Frame::Native(native) => {
            let function = native.function.as_deref().unwrap_or("??");
            let library = native.library.as_deref().unwrap_or("??");
            match native.function {
                // Unnamed functions of one library are told apart by where they are.
                None => {
                    let offset = native.module_offset.unwrap_or(native.address);
                    format!("{function} ({library}+{offset})")
                }
                Some(_) => format!("{function} ({library})"),
            }
        }
    }
}

fn by_function(frame: &Frame) -> String {
    match frame {
        Frame::Python(python) => format!("{} ({})", python.function, python.file),
        Frame::Native(native) => match &native.function {
            Some(function) => function.clone(),
            None => native.library.clone().unwrap_or_default(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(text: &str) -> Option<Cycle> {
        let keys: Vec<String> = text.chars().map(String::from).collect();
        find(&keys)
    }

    #[test]
    fn the_shortest_cycle_is_found_behind_frames_that_do_not_repeat() {
        let found = cycle("xyabcabcabcabcabz").unwrap();
        assert_eq!((found.start, found.length, found.rounds), (2, 3, 4));
        assert_eq!(cycle("aaaaaaaa").unwrap().length, 1);
    }

    #[test]
    fn a_stack_without_repetition_has_no_cycle() {
        assert_eq!(cycle("abcdefghij"), None);
        assert_eq!(cycle("aabcdefghij"), None);
        assert_eq!(cycle("ab"), None);
        assert_eq!(cycle(""), None);
    }
}
