//! The second table: per case, what crashlens named of what the dead process knew, and what it missed.
//!
//! A cell holds what was named. What must be named follows from the case's ground truth by the same
//! principles for all cases: a cause of one kind leaves facts of one kind.

use std::fmt::{self, Write as _};
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::case::Case;
use super::score;

/// Columns and their widths.
const COLUMNS: [(&str, usize); 8] = [
    ("fault", 16),
    ("op", 34),
    ("message", 15),
    ("exception", 19),
    ("limit", 15),
    ("file", 15),
    ("thread", 9),
    ("child", 28),
];

/// What became of one kind of fact.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    /// Nothing was named, and nothing had to be.
    Nothing,
    /// It was named, as it had to be or beyond that.
    As(String),
    /// It had to be named and was not, or otherwise.
    Not { expected: String, got: String },
}

/// The facts of one case.
#[derive(Debug, Clone)]
pub struct Facts {
    pub id: String,
    cells: [Named; 8],
}

/// How many facts a row of the table names, and how many it misses.
pub fn counts(row: &str) -> (usize, usize) {
    let mut rest = row
        .lines()
        .next()
        .unwrap_or_default()
        .get(34..)
        .unwrap_or_default();
    let (mut named, mut missed) = (0, 0);
    for (_, width) in COLUMNS {
        let (cell, later) = rest.split_at_checked(width).unwrap_or((rest, ""));
        match cell.trim() {
            "" | "-" => {}
            "MISSED" => missed += 1,
            _ => named += 1,
        }
        rest = later;
    }
    (named, missed)
}

/// The table's heading.
pub fn heading() -> String {
    let mut line = format!("{:<34}", "case");
    for (name, width) in COLUMNS {
        let _ = write!(line, "{name:<width$}");
    }
    line.trim_end().to_owned()
}

/// Prints the rows and their sum.
pub fn print(table: &[Facts]) {
    println!("\n{}", heading());
    for facts in table {
        print!("{facts}");
    }
    let count = |facts: fn(&Facts) -> usize| table.iter().map(facts).sum::<usize>();
    println!(
        "{} facts named, {} missed, in {} deaths",
        count(Facts::named),
        count(Facts::missed),
        table.len()
    );
}

/// Writes the rows into the committed table.
pub fn update(table: &[Facts], path: &Path) -> Result<()> {
    let mut rows = score::blocks(&fs_err::read_to_string(path).unwrap_or_default());
    rows.extend(table.iter().map(|row| (row.id.clone(), row.to_string())));
    let rows: String = rows.into_values().collect();
    fs_err::write(path, format!("{}\n{rows}", heading()))?;
    println!("wrote {}", path.display());
    Ok(())
}

impl Facts {
    /// The facts of the death that the case is about.
    pub fn of(case: &Case, death: &Value, tensorflow: &str) -> Self {
        Self {
            id: case.id.clone(),
            cells: [
                fault(case, death),
                compare(expected_op(case), text(death, "/culprit/op")),
                message(case, death, tensorflow),
                exception(case, death),
                limit(case, death),
                file(case, death),
                thread(case, death, tensorflow),
                child(case, death),
            ],
        }
    }

    /// Whether less is named than in a committed row. Where an address lies changes from run to run; that something
    /// is named does not.
    pub fn is_less_than(&self, before: &str) -> bool {
        let (named, missed) = counts(before);
        self.named() < named || self.missed() > missed
    }

    /// How many facts were missed.
    pub fn missed(&self) -> usize {
        let is_missed = |cell: &&Named| matches!(cell, Named::Not { .. });
        self.cells.iter().filter(is_missed).count()
    }

    /// How many facts were named.
    pub fn named(&self) -> usize {
        let is_named = |cell: &&Named| matches!(cell, Named::As(_));
        self.cells.iter().filter(is_named).count()
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = format!("{:<34}", self.id);
        for ((_, width), cell) in COLUMNS.iter().zip(&self.cells) {
            let word = match cell {
                Named::Nothing => "-",
                Named::As(name) => name,
                Named::Not { .. } => "MISSED",
            };
            let word: String = word.chars().take(width - 2).collect();
            write!(line, "{word:<width$}")?;
        }
        writeln!(out, "{}", line.trim_end())?;
        for ((column, _), cell) in COLUMNS.iter().zip(&self.cells) {
            if let Named::Not { expected, got } = cell {
                writeln!(out, "    {column}: expected {expected}, got {got}")?;
            }
        }
        Ok(())
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// What was named beside what had to be.
fn compare(expected: Option<&str>, got: Option<&str>) -> Named {
    match (expected, got) {
        (None, None) => Named::Nothing,
        (None, Some(got)) => Named::As(got.to_owned()),
        (Some(expected), Some(got)) if expected == got => Named::As(got.to_owned()),
        (Some(expected), got) => Named::Not {
            expected: expected.to_owned(),
            got: got.unwrap_or("nothing").to_owned(),
        },
    }
}

/// Where one of several answers is right.
fn one_of(expected: &[&str], got: Option<&str>) -> Named {
    match got {
        Some(got) if expected.contains(&got) => Named::As(got.to_owned()),
        got => Named::Not {
            expected: expected.join(" or "),
            got: got.unwrap_or("nothing").to_owned(),
        },
    }
}

fn is_fault(signal: &str) -> bool {
    ["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"].contains(&signal)
}

/// The class of the fault: a place, a division or a missing feature of the processor.
fn fault(case: &Case, death: &Value) -> Named {
    let division = death
        .pointer("/fault/division/value")
        .and_then(Value::as_i64);
    let missing = death
        .pointer("/fault/instruction/missing")
        .and_then(Value::as_array);
    let signal = text(death, "/ending/signal").unwrap_or_default();
    let got = match (signal, division, missing) {
        ("SIGFPE", Some(0), _) => Some("zero-divisor"),
        ("SIGFPE", Some(_), _) => Some("division"),
        ("SIGILL", _, Some(missing)) if !missing.is_empty() => Some("missing-feature"),
        _ => text(death, "/fault/place/kind"),
    };
    if !is_fault(signal) {
        return compare(None, got);
    }
    let expected: &[&str] = match case.cause.as_deref() {
        Some("mapped-file-truncated") => &["beyond-file"],
        Some("shared-memory-full") => &["no-space"],
        Some("stack-overflow") => &["stack-overflow"],
        Some("division-by-zero") => &["zero-divisor"],
        Some("illegal-instruction") => &["missing-feature"],
        Some("null-pointer" | "escaped-exception") => &["null-page"],
        Some("use-after-free") => &["released", "unmapped"],
        _ => {
            return got.map_or_else(
                || one_of(&["a class"], None),
                |got| Named::As(got.to_owned()),
            );
        }
    };
    one_of(expected, got)
}

fn expected_op(case: &Case) -> Option<&str> {
    let op = case.op.as_deref()?;
    Some(op.strip_suffix(" (XLA)").unwrap_or(op))
}

/// The words the truth quotes. Of another version than the truth's only the kind must be the same, and the C
/// library's words depend on where a broken heap is noticed.
fn message(case: &Case, death: &Value, tensorflow: &str) -> Named {
    let messages = death.pointer("/messages").and_then(Value::as_array);
    let messages = messages.map(Vec::as_slice).unwrap_or_default();
    let kind = |message: &Value| text(message, "/kind").unwrap_or("?").to_owned();
    let is_fatal = |message: &&Value| message.get("fatal") == Some(&Value::Bool(true));
    let same_signal = case.signal.as_deref() == text(death, "/ending/signal");
    let Some(truth) = case.message.as_deref().filter(|_| same_signal) else {
        let last = messages.iter().rfind(is_fatal);
        return last.map_or(Named::Nothing, |message| Named::As(kind(message)));
    };
    let expected = if truth.starts_with("Check failed") {
        "check-failure"
    } else if truth.starts_with("terminate") {
        "terminate"
    } else {
        "c-library"
    };
    let is_quoted = case.primary == tensorflow && expected != "c-library";
    let first = truth.split(" / ").next().unwrap_or(truth).trim();
    let says = |message: &&Value| {
        let words = text(message, "/text").unwrap_or_default();
        kind(message) == expected && (!is_quoted || words.contains(first))
    };
    match messages.iter().rfind(says) {
        Some(message) => Named::As(kind(message)),
        None => Named::Not {
            expected: truth.to_owned(),
            got: messages
                .last()
                .and_then(|message| text(message, "/text"))
                .unwrap_or("nothing")
                .to_owned(),
        },
    }
}

fn exception(case: &Case, death: &Value) -> Named {
    let got = text(death, "/exception/type");
    let quoted = case
        .message
        .as_deref()
        .and_then(|message| message.split_once("instance of '"))
        .and_then(|(_, rest)| rest.split_once('\''))
        .map(|(name, _)| name)
        .filter(|name| name.contains(char::is_alphanumeric));
    match (quoted, case.cause.as_deref(), got) {
        (Some(quoted), _, got) => compare(Some(quoted), got),
        (None, Some("escaped-exception"), None) => one_of(&["a type"], None),
        (None, _, got) => compare(None, got),
    }
}

/// The limits that were used up.
fn limit(case: &Case, death: &Value) -> Named {
    let used = death.pointer("/resources").and_then(Value::as_array);
    let used_up = used.into_iter().flatten().filter(|used| {
        let number = |name: &str| used.get(name).and_then(Value::as_u64);
        let most = number("peak").max(number("used"));
        let near = most
            .zip(number("limit"))
            .is_some_and(|(most, limit)| u128::from(most) * 100 >= u128::from(limit) * 95);
        near || number("met").is_some_and(|times| times > 0)
    });
    let mut names: Vec<&str> = used_up.filter_map(|used| text(used, "/resource")).collect();
    // A mapping of a file without room names the file system and its size.
    if text(death, "/fault/place/kind") == Some("no-space") {
        names.push("shared-memory");
    }
    let expected: &[&str] = match case.cause.as_deref() {
        Some("out-of-memory") => &["memory", "address-space"],
        Some("cpu-limit") => &["cpu-time"],
        Some("thread-limit") => &["threads"],
        Some("shared-memory-full") => &["shared-memory"],
        Some("disk-full") => &["disk"],
        _ => return compare(None, names.first().copied()),
    };
    let met = names.iter().find(|name| expected.contains(name));
    one_of(expected, met.or(names.first()).copied())
}

/// The file and its size behind a mapping that failed.
fn file(case: &Case, death: &Value) -> Named {
    let path = text(death, "/fault/place/mapping/path");
    let size = death
        .pointer("/fault/place/file_size")
        .or_else(|| death.pointer("/fault/place/total_bytes"));
    let got = path
        .zip(size)
        .map(|(path, _)| path.rsplit('/').next().unwrap_or(path));
    match case.cause.as_deref() {
        Some("mapped-file-truncated" | "shared-memory-full") if got.is_none() => {
            one_of(&["a file with its size"], None)
        }
        _ => compare(None, got),
    }
}

/// Which kind of thread runs an op differs between versions.
fn thread(case: &Case, death: &Value, tensorflow: &str) -> Named {
    let got = text(death, "/culprit/thread/role");
    match case
        .thread
        .as_deref()
        .filter(|_| case.primary == tensorflow)
    {
        Some(thread) if thread.contains("main") => compare(Some("main"), got),
        Some(thread) if thread.starts_with("worker") => one_of(&["python", "pool", "tf.data"], got),
        _ => compare(None, got),
    }
}

/// How a child was made, and what kind of worker it was.
fn child(case: &Case, death: &Value) -> Named {
    let origin = text(death, "/lineage/origin").filter(|_| text(death, "/role") == Some("child"));
    let worker = text(death, "/lineage/worker/kind");
    let got = origin.map(|origin| match worker {
        Some(worker) => format!("{origin}, {worker}"),
        None => origin.to_owned(),
    });
    let truth = case.thread.as_deref().unwrap_or_default();
    let expected = if truth.contains("(forked") {
        "forked"
    } else if truth.contains("child process") {
        "spawned"
    } else {
        return compare(None, got.as_deref());
    };
    let named_worker = worker.is_some() || !truth.contains("worker");
    match got {
        Some(got) if origin == Some(expected) && named_worker => Named::As(got),
        got => Named::Not {
            expected: format!("{expected}{}", if named_worker { "" } else { ", its pool" }),
            got: got.unwrap_or_else(|| "nothing".to_owned()),
        },
    }
}
