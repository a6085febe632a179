//! How the process ended, in the words of whoever saw it: facts about the world, in `data/endings.toml`.
//!
//! Responsible for the signal, its exit code and the process id. Several processes may have died: the first death in
//! the text is the one that counts, except that a mere request to end (SIGTERM) is mostly what the others got for it.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex};
use serde::Deserialize;

use super::systems::windows;
use crate::capture::{Address, Ending, EndingKind, Signal};
use crate::embedded;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    words: Vec<Words>,
    pub(super) form: Vec<Form>,
    code: Vec<Code>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    signal: Signal,
    said: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    pub(super) literals: Vec<String>,
    pub(super) pattern: String,
    signal: Option<Signal>,
    /// Whether whoever writes this ends the process, but does not tell of the end.
    #[serde(default)]
    implied: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    pub(super) source: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    pub(super) seen: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    #[serde(rename = "code")]
    number: i64,
    signal: Signal,
    name: Option<String>,
    #[serde(default)]
    only_on_windows: bool,
}

impl Table {
    pub(super) fn read() -> Self {
        embedded::table(include_str!("../../data/endings.toml"))
    }
}

/// A form, ready for use.
struct Compiled {
    signal: Option<Signal>,
    implied: bool,
    pattern: Regex,
}

/// The words and forms, ready for use.
struct Book {
    /// Which signal people mean by some words.
    words: HashMap<String, Signal>,
    /// Finds lines that may have any of the words or forms.
    literals: AhoCorasick,
    /// The form of each literal; none for a word.
    owners: Vec<Option<usize>>,
    forms: Vec<Compiled>,
    /// What a shell writes.
    shell: Vec<Regex>,
    codes: Vec<Code>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let table = Table::read();
    let words: HashMap<String, Signal> = table
        .words
        .iter()
        .flat_map(|words| words.said.iter().map(|said| (said.clone(), words.signal)))
        .collect();
    let said = table.words.iter().flat_map(|words| &words.said);
    let mut literals: Vec<(Option<usize>, &str)> = said.map(|said| (None, said.as_str())).collect();
    for (owner, form) in table.form.iter().enumerate() {
        literals.extend(form.literals.iter().map(|it| (Some(owner), it.as_str())));
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(literals.iter().map(|(_, literal)| literal))
        .expect("there are few literals");
    Book {
        owners: literals.iter().map(|(owner, _)| *owner).collect(),
        literals: automaton,
        forms: table
            .form
            .iter()
            .map(|form| Compiled {
                signal: form.signal,
                implied: form.implied,
                pattern: embedded::regex(&form.pattern),
            })
            .collect(),
        shell: shell_forms(&words),
        words,
        codes: table.code,
    }
});

/// Where a shell puts the name of a signal: alone, or behind the line of the script and the process id, or behind the
/// number of the job; then what was dumped and the command. Words before `(core dumped)` may be glued to output that
/// did not end its line, and a long name of a fault at the end of a line is no chance.
fn shell_forms(words: &HashMap<String, Signal>) -> Vec<Regex> {
    let mut names: Vec<&String> = words.keys().collect();
    // The longest first, because some begin with others.
    names.sort_by_key(|name| (std::cmp::Reverse(name.len()), *name));
    let any = |names: &[&String]| {
        let escaped: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
        format!("(?<words>{})", escaped.join("|"))
    };
    let all = any(&names);
    names.retain(|name| {
        let is_fault = words.get(*name).is_some_and(|signal| signal.is_fault());
        is_fault && name.len() > 12 && !name.starts_with(char::is_lowercase)
    });
    let long = any(&names);
    let dumped = r"\s*[(（][^()（）]*[)）]";
    [
        format!(r"^\s*(?:\S+: )?{all}(?::\s*\d+)?[.!]?(?:{dumped}|\s{{2,}}.*|\t.*)?\s*$"),
        format!(r"[\d)\]][:：]\s*{all}(?::\s*\d+)?(?:{dumped}|\s{{2,}}.*|\t.*)?\s*$"),
        format!(r"(?:[\d)\]][:：]|^\[\d+\])\s*[+-]?\s*(?<pid>\d+)\s+{all}(?:[\s:(（]|$)"),
        format!(r"{all}\s*[(（](?:core|`core|«core|核心|吐核|Speicher|imagem|コア|코어|образ|стек|zrzut|geheugen)"),
        format!(r"{long}(?::\s*\d+)?\s*$"),
    ]
    .iter()
    .map(|pattern| embedded::regex(pattern))
    .collect()
}

/// Whether a line is nothing but a shell's word for a signal.
pub(super) fn is_a_word(line: &[u8]) -> bool {
    const LONGEST: usize = 64;
    let line = line.trim_ascii();
    let text = (line.len() <= LONGEST).then(|| std::str::from_utf8(line).ok());
    text.flatten()
        .is_some_and(|text| BOOK.words.contains_key(text))
}

/// Words by which a log of any size is searched for ends. What shells say is looked for as a whole line only: it is
/// short, and there are hundreds of it.
pub(super) fn literals() -> impl Iterator<Item = &'static str> {
    static LITERALS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let forms = Table::read().form.into_iter();
        forms.flat_map(|form| form.literals).collect()
    });
    LITERALS.iter().map(String::as_str)
}

/// One end that a line tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// The line.
    pub(super) line: usize,
    /// Whether the line does not tell of the end itself.
    implied: bool,
    pub(super) signal: Option<Signal>,
    pub(super) exit_code: Option<i32>,
    /// Windows' name of the exit code.
    pub(super) code: Option<String>,
    pub(super) address: Option<Address>,
    pub(super) pid: Option<u32>,
}

/// The end of the process.
pub(super) fn of(lines: &[String]) -> Option<Told> {
    let on_windows = lines.iter().any(|line| windows::is_native(line));
    let told: Vec<Told> = lines
        .iter()
        .enumerate()
        .filter_map(|(number, line)| in_line(number, line, on_windows))
        .collect();
    let is_violent = |told: &&Told| told.signal.is_some_and(|signal| signal != Signal(15));
    let mut ends = told.iter().filter(|told| !told.implied);
    let violent = ends.find(is_violent);
    let violent = violent.or_else(|| told.iter().find(is_violent));
    let any = violent.or_else(|| told.iter().find(|told| told.signal.is_some()));
    // Of mere exit codes the last one is the program's own.
    any.or_else(|| told.last()).cloned()
}

fn in_line(number: usize, line: &str, on_windows: bool) -> Option<Told> {
    let book = &*BOOK;
    let hits = book.literals.find_overlapping_iter(line);
    let mut owners: Vec<Option<usize>> = hits
        .filter_map(|hit| book.owners.get(hit.pattern().as_usize()).copied())
        .collect();
    owners.sort_unstable();
    owners.dedup();
    let mut named = false;
    for owner in &owners {
        let Some(form) = owner.and_then(|owner| book.forms.get(owner)) else {
            named = true;
            continue;
        };
        let told = form
            .pattern
            .captures(line)
            .and_then(|groups| interpret(number, form.signal, &groups, on_windows));
        if let Some(told) = told {
            let implied = form.implied;
            return Some(Told { implied, ..told });
        }
    }
    let mut shell = book.shell.iter().filter(|_| named);
    shell.find_map(|form| interpret(number, None, &form.captures(line)?, on_windows))
}

/// What the groups of a form say.
fn interpret(
    line: usize,
    signal: Option<Signal>,
    groups: &Captures<'_>,
    on_windows: bool,
) -> Option<Told> {
    let text = |name: &str| groups.name(name).map(|group| group.as_str());
    let mut told = Told {
        line,
        implied: false,
        signal,
        exit_code: None,
        code: None,
        address: text("address").and_then(|address| address.parse().ok()),
        pid: text("pid").and_then(|pid| pid.parse().ok()),
    };
    if let Some(name) = text("name") {
        let name = serde_json::Value::String(name.to_owned());
        told.signal = Some(serde_json::from_value(name).ok()?);
    }
    if let Some(number) = text("number") {
        told.signal = Some(Signal(number.parse().ok()?));
    }
    if let Some(words) = text("words") {
        told.signal = Some(*BOOK.words.get(words)?);
    }
    if let Some(code) = text("code") {
        interpret_code(&mut told, code, on_windows)?;
    }
    let is_end = told.signal.is_none_or(ends_a_process);
    is_end.then_some(told)
}

/// An exit code, and the signal it stands for. Success is no end worth telling.
fn interpret_code(told: &mut Told, text: &str, on_windows: bool) -> Option<()> {
    let number: i64 = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    // Windows' codes are 32 bits, which some write with a sign.
    let unsigned = number & 0xffff_ffff;
    let known = BOOK.codes.iter().find(|known| {
        (known.number == number || (known.name.is_some() && known.number == unsigned))
            && (on_windows || !known.only_on_windows)
    });
    told.signal = known.map(|known| known.signal);
    told.code = known.and_then(|known| known.name.clone());
    // On Linux a number such as 139 is only the shell's way to name a signal.
    if known.is_none_or(|known| known.name.is_some() || known.only_on_windows) {
        told.exit_code = u32::try_from(unsigned).ok().map(u32::cast_signed);
    }
    (number != 0).then_some(())
}

/// Signals after which a process is dead; others are met in debuggers.
fn ends_a_process(signal: Signal) -> bool {
    matches!(
        signal,
        Signal::ILL
            | Signal::TRAP
            | Signal::ABRT
            | Signal::BUS
            | Signal::FPE
            | Signal::KILL
            | Signal::SEGV
            | Signal::SYS
            | Signal(15 | 24 | 25)
    )
}

/// The ending that a text tells.
pub(super) fn ending(told: Option<&Told>) -> Ending {
    let mut ending = Ending::running();
    ending.kind = EndingKind::Unknown;
    let Some(told) = told else {
        return ending;
    };
    ending.signal = told.signal;
    ending.kind = if told.signal.is_some() {
        EndingKind::Signal
    } else {
        EndingKind::Exit
    };
    ending.code.clone_from(&told.code);
    ending.exit_code = told.exit_code;
    // What stands there for an abort is who sent it.
    ending.address = told
        .address
        .filter(|_| told.signal.is_some_and(Signal::is_fault));
    ending
}
