//! What the text of an advisory says: the ops and functions it names, and how a process dies.

use crate::cause::Cause;
use crate::frameworks::is_registered_op;

/// Text beyond this is not looked at.
const LONGEST: usize = 64 << 10;
/// Names beyond this are not kept.
const MOST_NAMES: usize = 64;

/// What a text says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) ops: Vec<String>,
    pub(super) functions: Vec<String>,
    pub(super) causes: Vec<Cause>,
}

/// Words, in lower case, and the ways to die that they stand for.
const WORDS: &[(&[&str], &[Cause])] = &[
    (
        &[
            "check fail",
            "check-fail",
            "`check`",
            "check failure",
            "assertion fail",
            "reachable assertion",
            "check_",
        ],
        &[Cause::CheckFailure],
    ),
    (
        &[
            "null pointer",
            "null-pointer",
            "nullptr",
            "null dereference",
            "null deref",
            "null reference",
        ],
        &[Cause::NullPointer],
    ),
    (
        &[
            "out of bounds",
            "out-of-bounds",
            "buffer overflow",
            "heap overflow",
            "heap oob",
            "oob read",
            "oob write",
            "overread",
            "over-read",
            "overrun",
        ],
        &[Cause::OutOfBounds, Cause::HeapCorruption],
    ),
    (
        &[
            "division by zero",
            "division by 0",
            "divide by zero",
            "divide-by-zero",
            "floating point exception",
            "fpe",
        ],
        &[Cause::DivisionByZero],
    ),
    (
        &[
            "use after free",
            "use-after-free",
            "double free",
            "double-free",
        ],
        &[Cause::UseAfterFree, Cause::HeapCorruption],
    ),
    (
        &[
            "stack overflow",
            "stack exhaustion",
            "infinite recursion",
            "uncontrolled recursion",
        ],
        &[Cause::StackOverflow],
    ),
    (
        &[
            "uncaught exception",
            "unhandled exception",
            "std::bad_alloc",
            "std::terminate",
        ],
        &[Cause::EscapedException],
    ),
    (
        &["integer overflow", "integer truncation"],
        &[
            Cause::CheckFailure,
            Cause::OutOfBounds,
            Cause::HeapCorruption,
            Cause::EscapedException,
        ],
    ),
    (
        &["segfault", "segmentation fault", "segmentation violation"],
        &[
            Cause::NullPointer,
            Cause::OutOfBounds,
            Cause::EscapedException,
        ],
    ),
];

pub(super) fn read(summary: &str, details: &str) -> Said {
    let details = details
        .get(..details.floor_char_boundary(LONGEST))
        .unwrap_or_default();
    let summary = summary
        .get(..summary.floor_char_boundary(LONGEST))
        .unwrap_or_default();
    let mut said = Said::default();
    for text in [summary, details] {
        for (name, is_quoted) in names(text) {
            note(&mut said, name, is_quoted);
        }
    }
    let lower = format!("{summary}\n{details}").to_ascii_lowercase();
    for (words, causes) in WORDS {
        if words.iter().any(|word| holds_word(&lower, word)) {
            for cause in *causes {
                if !said.causes.contains(cause) {
                    said.causes.push(*cause);
                }
            }
        }
    }
    said
}

/// Names of code in a text, and whether the text marks them as such.
fn names(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split('`').enumerate().flat_map(|(part, piece)| {
        let is_quoted = part % 2 == 1;
        piece
            .split(|c: char| !(c.is_ascii_alphanumeric() || "_:.".contains(c)))
            .map(move |word| (word.trim_matches([':', '.']), is_quoted))
    })
}

fn note(said: &mut Said, name: &str, is_quoted: bool) {
    let is_raw_op = name.starts_with("tf.raw_ops.") || name.starts_with("raw_ops.");
    let last = name.rsplit(['.', ':']).next().unwrap_or_default();
    let humps = last.chars().filter(char::is_ascii_uppercase).count();
    // `Add`, `Max` and `While` are ops, too, and words.
    let is_marked = is_raw_op || is_quoted || humps >= 2;
    if is_marked && is_registered_op(last) {
        push(&mut said.ops, last);
    } else if is_quoted && last.len() > 3 && !last.starts_with(|c: char| c.is_ascii_digit()) {
        push(&mut said.functions, last);
    }
}

fn push(names: &mut Vec<String>, name: &str) {
    if names.len() < MOST_NAMES && !names.iter().any(|it| it == name) {
        names.push(name.to_owned());
    }
}

/// Whether `word` stands in `text`, and not as the end of a longer word.
fn holds_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| !c.is_ascii_alphanumeric())
    })
}
