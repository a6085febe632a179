//! Completion scripts in the shells that read them, and the manual pages.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{output, stderr, stdout};

/// What the wheel installs.
const SHARE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../python/crashlens.data/data/share"
);

fn script(shell: &str) -> String {
    let output = output(&["completions", shell]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// What a shell says to `program`, which finds the script in its first argument. Nothing if the shell is not installed.
fn said(shell: &str, options: &[&str], program: &str) -> Option<Vec<String>> {
    let mut command = Command::new(shell);
    command.args(options).args(["-c", program]);
    // fish has no name of the program before the arguments.
    if shell != "fish" {
        command.arg(shell);
    }
    let home = tempfile::tempdir().unwrap();
    command.arg(script(shell)).env("HOME", home.path());
    let output = command.output().ok()?;
    assert_eq!(stderr(&output), "", "{shell}");
    assert!(output.status.success(), "{shell}: {}", output.status);
    Some(stdout(&output).lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_values() {
    let complete = r#"
        eval "$1"
        complete -p crashlens
        answer() {
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            _crashlens crashlens "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            echo "${COMPREPLY[@]}"
        }
        answer crashlens di
        answer crashlens check mo
        answer crashlens run --no-c
        answer crashlens rules --format j
        answer crashlens __
    "#;
    let said = said("bash", &["--norc"], complete).expect("bash");
    assert!(said[0].contains("-F _crashlens"), "{said:?}");
    assert_eq!(said[1..], ["diagnose", "model", "--no-check", "json", ""]);
}

#[test]
fn zsh_loads_the_script_and_knows_the_command() {
    let load = r#"
        autoload -Uz compinit
        compinit -D
        eval "$1"
        print $_comps[crashlens]
    "#;
    if let Some(said) = said("zsh", &["--no-rcs"], load) {
        assert_eq!(said, ["_crashlens"]);
    }
}

#[test]
fn fish_completes_commands_and_options() {
    let complete = "
        echo $argv[1] | source
        complete -C 'crashlens di' | string split -f 1 \\t
        complete -C 'crashlens run --no-c' | string split -f 1 \\t
        complete -C 'crashlens __'
    ";
    if let Some(said) = said("fish", &["--no-config"], complete) {
        assert_eq!(said, ["diagnose", "--no-check"]);
    }
}

#[test]
fn every_shell_that_is_offered_gets_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = script(shell);
        assert!(script.contains("crashlens"), "{shell}");
        assert!(!script.contains("__generate"), "{shell}");
    }
}

#[test]
fn the_committed_scripts_are_what_the_command_prints() {
    for (shell, path) in [
        ("bash", "bash-completion/completions/crashlens"),
        ("zsh", "zsh/site-functions/_crashlens"),
        ("fish", "fish/vendor_completions.d/crashlens.fish"),
    ] {
        let committed = std::fs::read_to_string(Path::new(SHARE).join(path)).unwrap();
        assert_eq!(committed, script(shell), "run `cargo xtask generate`");
    }
}

#[test]
fn manual_pages_are_shown_without_warnings() {
    let folder = Path::new(SHARE).join("man/man1");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    pages.sort();
    assert!(pages.len() >= 10, "{pages:?}");
    for page in pages {
        let mut man = Command::new("man");
        man.args(["--warnings", "--local-file"]).arg(&page);
        man.env("LC_ALL", "C.UTF-8").env("MANWIDTH", "80");
        let Ok(output) = man.output() else {
            return;
        };
        assert_eq!(stderr(&output), "", "{}", page.display());
        let text = stdout(&output);
        let name = page.file_stem().unwrap().to_str().unwrap();
        assert!(text.starts_with(&format!("{name}(1)")), "{text}");
        for section in ["NAME", "SYNOPSIS", "OPTIONS"] {
            assert!(text.lines().any(|line| line == section), "{text}");
        }
    }
}
