use std::process::Command;

use super::*;
use crate::diagnosis::diagnose;
use crate::facts::Facts;
use crate::known_issues::KnownIssues;
use crate::{fixtures, pasted};

/// What somebody may write where a name is expected; each would make the file `spoiled` if a shell ran it.
const HOSTILE: [&str; 6] = [
    "$(touch${IFS}spoiled)",
    "`touch${IFS}spoiled`",
    "a';touch${IFS}spoiled;'",
    "a\";touch${IFS}spoiled;\"",
    "a&&touch${IFS}spoiled",
    "a'\\'';touch${IFS}spoiled;'",
];

/// Lines in which software names files, packages and libraries.
const LINES: [&str; 12] = [
    "  File \"/x/site-packages/NAME/b.py\", line 3, in <module>\nAttributeError: _ARRAY_API not found",
    "  File \"/x/site-packages/NAME/b.py\", line 3, in <module>\nValueError: numpy.dtype size changed, may indicate binary incompatibility",
    "ImportError: /x/NAME.so.1: cannot allocate memory in static TLS block",
    "ImportError: NAME: cannot allocate memory in static TLS block",
    "LD_PRELOAD=/x/NAME/libtcmalloc.so python a.py",
    "NAME==1.0\ntensorflow==2.15.1",
    "overlay 100G 100G 0 100% /mnt/NAME\nBus error (core dumped)",
    "OSError: [Errno 28] No space left on device: '/x/NAME'",
    "/x/NAME/_a.so: undefined symbol: _ZN10tensorflow8OpKernelE",
    "python: symbol lookup error: /x/NAME/a.so: undefined symbol: PyThing",
    "Could not load library libcudnn_NAME.so.8. Error: no such file",
    "/x/NAME.so: version `GLIBC_2.99' not found (required by /x/NAME.so)",
];

fn commands(text: &str) -> Vec<String> {
    let capture = pasted::read(text.as_bytes()).unwrap();
    let findings = diagnose(&Facts::new(&capture, KnownIssues::built_in())).findings;
    let remedies = findings.into_iter().flat_map(|finding| finding.remedies);
    remedies
        .filter_map(|remedy| remedy.command)
        .map(Into::into)
        .collect()
}

/// What is left of a command where a shell expands: all but what is in single quotes, or behind a backslash.
fn outside_quotes(command: &str) -> String {
    let mut left = String::new();
    let mut is_quoted = false;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => drop(characters.next()),
            _ if !is_quoted => left.push(character),
            _ => {}
        }
    }
    assert!(!is_quoted, "a quote is left open: {command}");
    left
}

#[test]
fn what_a_log_says_is_never_run_by_a_command_that_is_suggested() {
    for hostile in HOSTILE {
        for line in LINES {
            for end in ["", "\nSegmentation fault (core dumped)"] {
                let text = format!("{}{end}\n", line.replace("NAME", hostile));
                for command in commands(&text) {
                    let expanded = outside_quotes(&command);
                    assert!(!expanded.contains("spoiled"), "{text}\ngives: {command}");
                }
            }
        }
    }
}

#[test]
fn a_quoted_word_is_the_same_text_for_a_shell() {
    for text in HOSTILE.into_iter().chain(["/home/me/my data/ckpt", "it's"]) {
        let script = format!("printf %s {}", word(text).unwrap());
        let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), text);
    }
    assert_eq!(quoted(""), "''");
    assert_eq!(quoted("--epochs=3"), "--epochs=3");
    assert_eq!(word("--option"), None);
    assert_eq!(word("two\nlines"), None);
}

#[test]
fn commands_for_all_fixtures_are_whole_and_balanced() {
    for id in ["captures", "logs", "near"]
        .into_iter()
        .flat_map(fixtures::all_in)
    {
        let capture = fixtures::load(&id);
        let diagnosis = diagnose(&Facts::new(&capture, KnownIssues::built_in()));
        let remedies = diagnosis.findings.iter().flat_map(|it| &it.remedies);
        for command in remedies.filter_map(|remedy| remedy.command.as_ref()) {
            let command = command.to_string();
            outside_quotes(&command);
            assert!(!command.contains("..."), "{id}: cannot be run: {command}");
            assert!(!command.contains(char::is_control), "{id}: {command}");
        }
    }
}

#[test]
fn only_names_of_packages_are_taken_for_such() {
    assert_eq!(package("tensorflow_io.gcs-2"), Some("tensorflow_io.gcs-2"));
    for name in ["", "-r", "a b", "a;b", "a'b", "a$b"] {
        assert_eq!(package(name), None, "{name}");
    }
}
