//! Which damage is done to a file: by chance, and where its format says that it matters.

use super::fields;
use super::mutation::{Chance, Mutation, Subject};
use super::seal::Seal;

/// The mutations of a file, the same ones for the same label.
pub fn plan(subject: &Subject<'_>, label: &str) -> Vec<Mutation> {
    let length = subject.content.len();
    let mut chance = Chance::new(label);
    let is_small_part = !subject.member.is_empty() && length < 2000;
    let much = if is_small_part { 1 } else { 2 };
    let mut planned = cuts(length);
    planned.extend(fields::fields(subject));
    for number in 0..9 * much {
        // Half of them where headers are.
        let until = if number % 2 == 0 {
            length
        } else {
            length.min(64.max(length / 10))
        };
        let bit = u8::try_from(chance.below(8)).unwrap_or(0);
        planned.push(Mutation::Flip {
            at: chance.below(until),
            bit,
        });
    }
    for number in 0..2 * much {
        let value = if number % 2 == 0 { 0 } else { 255 };
        planned.push(Mutation::Set {
            at: chance.below(length),
            value,
        });
    }
    planned.extend(ranges(length, &mut chance));
    let end = [
        Mutation::CrLf,
        Mutation::Utf8,
        Mutation::Garbage(1),
        Mutation::Garbage(100),
        Mutation::Twice,
    ];
    planned.extend(end);
    if Seal::of(subject.format, subject.member).is_some() {
        planned.extend(sealed(subject, &mut chance));
    }
    planned
}

fn cuts(length: usize) -> Vec<Mutation> {
    let heads = [0, 1, 4, 8, 16, 32];
    let fractions = [5, 25, 50, 75, 90, 99].map(|percent| length * percent / 100);
    let tails = [1, 2, 4, 16].map(|lost| length.saturating_sub(lost));
    let mut kept: Vec<usize> = [&heads[..], &fractions, &tails].concat();
    kept.retain(|kept| *kept < length);
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(Mutation::Cut).collect()
}

fn ranges(length: usize, chance: &mut Chance) -> Vec<Mutation> {
    let half = length / 2;
    let mut planned = vec![
        Mutation::Zero { at: 0, length },
        Mutation::Zero {
            at: half,
            length: length - half,
        },
    ];
    for size in [4, 16, 64, 512] {
        let size = size.min(length);
        let mut at = || chance.below(length - size + 1);
        planned.push(Mutation::Zero {
            at: at(),
            length: size,
        });
        if size > 4 {
            planned.push(Mutation::Delete {
                at: at(),
                length: size,
            });
            planned.push(Mutation::Insert {
                at: at(),
                length: size,
            });
        }
        let (first, second) = (at(), at());
        if first.abs_diff(second) >= size {
            planned.push(Mutation::Swap {
                first,
                second,
                length: size,
            });
        }
    }
    planned
}

/// Changed bytes that no checksum shows.
fn sealed(subject: &Subject<'_>, chance: &mut Chance) -> Vec<Mutation> {
    let mut planned = Vec::new();
    for _ in 0..24 {
        let at = chance.below(subject.content.len());
        let byte = subject.content[at] ^ (1 << chance.below(8));
        let mutation = Mutation::Sealed {
            at,
            bytes: vec![byte],
        };
        // No sum covers a directory or a footer.
        if mutation.apply(subject).is_ok() {
            planned.push(mutation);
        }
    }
    planned.truncate(12);
    planned
}
