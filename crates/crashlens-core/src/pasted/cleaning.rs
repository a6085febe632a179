//! Lines as the program wrote them: without colours, without what launchers and log collectors put before them, and of
//! a progress bar only what was last to be seen.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::contexts::launchers::{JSON_LOG, PREFIX, RANK};
use crate::embedded;

/// Colours and other commands to a terminal, also where the escape character itself was lost on the way.
static TERMINAL: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(concat!(
        r"(?:\x1b|␛|\^\[|\\u001b|\\x1b|\\033)\[[0-?]*[ -/]*[@-~]",
        r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)",
        r"|\x1b[@-Z\\-_]",
        r"|\[\d{1,2}(?:;\d{1,3}){0,5}m",
        r"|.\x08",
        r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]",
    ))
});

/// Prefixes that may stand before each other.
const MOST_PREFIXES: usize = 4;

/// The lines that a raw line shows.
pub(super) fn clean(raw: &str, is_telling: impl Fn(&str) -> bool) -> Vec<String> {
    let line = without_commands(raw.trim_end_matches(['\r', '\n']));
    let line = unpacked(line);
    let line = line.trim_end_matches(['\r', '\n']);
    // A message that a progress bar has written over is still a message.
    let mut parts: Vec<&str> = line.split('\r').collect();
    if parts.len() > 1 {
        parts.retain(|part| !part.trim().is_empty());
        let last = parts.pop().unwrap_or_default();
        parts.retain(|part| is_telling(part));
        parts.push(last);
    }
    parts.into_iter().flat_map(of_ranks).collect()
}

/// Ranks write at the same time: the rest of a line may be another's.
fn of_ranks(line: &str) -> Vec<String> {
    let clean = |part: &str| without_prefix(part).to_owned();
    let mut parts: Vec<String> = RANK.split(line).map(clean).collect();
    // Nothing but other prefixes stands before a prefix.
    if parts.len() > 1 && parts.first().is_some_and(String::is_empty) {
        parts.remove(0);
    }
    parts
}

/// Without what is meant for the terminal alone.
fn without_commands(line: &str) -> Cow<'_, str> {
    let may_have = line
        .bytes()
        .any(|byte| byte < 0x20 && byte != b'\t' && byte != b'\r' || byte == 0x7f)
        || line.contains(['[', '␛', '\\']);
    if may_have {
        TERMINAL.replace_all(line, "")
    } else {
        Cow::Borrowed(line)
    }
}

/// The text of a line of Docker's log files.
fn unpacked(line: Cow<'_, str>) -> Cow<'_, str> {
    if !line.starts_with("{\"log\":") {
        return line;
    }
    let text = JSON_LOG.captures(&line).and_then(|groups| {
        let quoted = groups.get(1)?.as_str();
        serde_json::from_str::<String>(quoted).ok()
    });
    text.map_or(line, |text| {
        Cow::Owned(without_commands(&text).into_owned())
    })
}

fn without_prefix(line: &str) -> &str {
    let mut line = line;
    for _ in 0..MOST_PREFIXES {
        // `>>> ` is what Python asks with.
        let Some(found) = PREFIX.find(line).filter(|_| !line.starts_with(">>")) else {
            break;
        };
        line = line.get(found.end()..).unwrap_or_default();
    }
    line
}
