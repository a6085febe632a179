//! Tests that trace are where the serial group of `.config/nextest.toml` finds them.

use std::path::Path;

use super::rule_book::File;

/// Tests of the command that trace are in this folder of its tests.
const COMMAND_TESTS: &str = "crates/crashlens/tests/cli";
const TRACED: &str = "crates/crashlens/tests/cli/traced";
/// These name the commands that trace, and start none of them on a program.
const EXCEPT: [&str; 2] = [
    "crates/crashlens/tests/cli/diagnose.rs",
    "crates/crashlens/tests/cli/help.rs",
];
/// Tests of the tracer that trace are in its folder of tests, not beside its code.
const TRACER: &str = "crates/crashlens-trace/src";

pub fn faults(files: &[File]) -> Vec<String> {
    files.iter().filter_map(fault).collect()
}

fn fault(File { path, text }: &File) -> Option<String> {
    let is_command_test = path.starts_with(COMMAND_TESTS)
        && !path.starts_with(TRACED)
        && !EXCEPT.iter().any(|except| path == Path::new(except));
    if is_command_test && has_any(text, &["\"run\"", "\"attach\""]) {
        return Some(format!(
            "{} starts or joins a program; such a test belongs in {TRACED}",
            path.display()
        ));
    }
    let tests = text.split_once("#[cfg(test)]").map(|(_, tests)| tests);
    let is_test_file = path.ends_with("tests.rs");
    let tests = if is_test_file {
        Some(text.as_str())
    } else {
        tests
    };
    let traces = |tests: &str| {
        has_any(
            tests,
            &["supervise(", "attach(", "sys::seize", "sys::traceme"],
        )
    };
    if path.starts_with(TRACER) && tests.is_some_and(traces) {
        return Some(format!(
            "{} has a test that traces; it belongs in crates/crashlens-trace/tests",
            path.display()
        ));
    }
    None
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_fault(path: &str, text: &str) -> bool {
        fault(&File {
            path: path.into(),
            text: text.to_owned(),
        })
        .is_some()
    }

    #[test]
    fn a_test_that_runs_a_program_is_found_outside_its_folder_only() {
        let text = "crashlens(&[\"run\", \"--\", \"true\"])";
        assert!(is_fault("crates/crashlens/tests/cli/check/new.rs", text));
        assert!(!is_fault("crates/crashlens/tests/cli/traced/new.rs", text));
        assert!(!is_fault("crates/crashlens/tests/cli/help.rs", text));
        assert!(!is_fault(
            "crates/crashlens/tests/cli/check/new.rs",
            "crashlens(&[\"check\"])"
        ));
    }

    #[test]
    fn a_tracing_test_beside_the_tracer_is_found_and_its_code_is_not() {
        let path = "crates/crashlens-trace/src/run.rs";
        assert!(!is_fault(path, "pub fn supervise() {}"));
        assert!(is_fault(
            path,
            "#[cfg(test)]\nmod tests { fn a() { supervise(); } }"
        ));
    }
}
