//! What `docs/enable.md` shows is what is printed.

use std::process::Command;

use super::{python, with_package};
use crate::stderr;

const PAGE: &str = include_str!("../../../../../../docs/enable.md");

/// The text between two marks.
fn between<'a>(begin: &str, end: &str) -> &'a str {
    let (_, rest) = PAGE.split_once(begin).unwrap();
    rest.split_once(end).unwrap().0
}

/// Without the numbers of processes, which differ.
fn without_numbers(text: &str) -> String {
    let parts = text.split(|letter: char| letter.is_ascii_digit());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("0")
}

#[test]
fn the_report_on_the_page_is_what_the_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let program = between("$ cat train.py\n", "$ python3 train.py\n");
    std::fs::write(folder.path().join("train.py"), program).unwrap();
    let output = python(folder.path()).arg("train.py").output().unwrap();
    let said = stderr(&output);
    let mut printed = said.lines().map(without_numbers);
    for line in between("$ python3 train.py\n", "```").lines() {
        // The path of the script is relative on the page.
        let line = without_numbers(line);
        let is_there = line == "[…]" || printed.any(|it| it == line);
        assert!(is_there, "{line}\nis not where it should be in\n{said}");
    }
}

#[test]
fn the_refusal_on_the_page_is_what_the_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let mut strace = Command::new("strace");
    strace.args([
        "-f",
        "-o",
        "/dev/null",
        "python3",
        "-c",
        "import crashlens; crashlens.enable()",
    ]);
    let output = with_package(strace, folder.path()).output().unwrap();
    let line = format!("crashlens: cannot{}", between("\ncrashlens: cannot", "```"));
    assert_eq!(without_numbers(&stderr(&output)), without_numbers(&line));
}
