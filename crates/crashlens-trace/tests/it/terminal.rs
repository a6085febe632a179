//! At a terminal: Ctrl-C, Ctrl-Z and `fg`, as a person with a shell meets them.

use std::process::Command;

use serde_json::json;

use crate::support::{Finished, python, read_seen, supervisor};

/// Types `steps` (text to wait for, text to type) into an interactive shell, and gives what appeared on the
/// terminal and what the supervisor saw.
fn at_terminal(program: &str, steps: &[(&str, &str)]) -> (String, Finished) {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen.jsonl");
    let script = folder.path().join("program.py");
    std::fs::write(&script, program).unwrap();
    let start = format!(
        "{} {} run {} {}\n",
        supervisor().display(),
        seen.display(),
        python(),
        script.display()
    );
    let mut all = vec![json!(["$ ", start])];
    all.extend(steps.iter().map(|(wait, text)| json!([wait, text])));
    let output = Command::new(python())
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/scripts/terminal.py"
        ))
        .arg(json!(all).to_string())
        .args(["bash", "--norc", "--noprofile", "-i"])
        .env("PS1", "$ ")
        .output()
        .unwrap();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        read_seen(&seen),
    )
}

#[test]
fn ctrl_c_interrupts_the_program_once() {
    let (screen, seen) = at_terminal(
        "import sys, time\n\
         try: print('rea' + 'dy', flush=True); time.sleep(1000)\n\
         except KeyboardInterrupt: print('interrup' + 'ted', flush=True); input(); sys.exit(9)",
        &[
            ("ready", "\x03"),
            ("interrupted", "on\n"),
            ("$ ", "echo code=$?; exit\n"),
        ],
    );
    assert!(screen.contains("code=9"), "{screen}");
    assert!(seen.deaths.is_empty());
}

#[test]
fn ctrl_z_stops_the_job_and_fg_continues_it() {
    let (screen, seen) = at_terminal(
        "import sys\n\
         print('rea' + 'dy', flush=True)\n\
         print('got ' + input(), flush=True); sys.exit(4)",
        &[
            ("ready", "\x1a"),
            ("Stopped", "fg\n"),
            ("supervise", "hello\n"),
            ("got hello", ""),
            ("$ ", "echo code=$?; exit\n"),
        ],
    );
    assert!(screen.contains("code=4"), "{screen}");
    assert!(seen.deaths.is_empty());
}

#[test]
fn all_three_streams_are_still_a_terminal() {
    let (screen, _) = at_terminal(
        "import os\nprint('sees', [os.isatty(n) for n in range(3)], os.get_terminal_size(2))",
        &[("sees", ""), ("$ ", "exit\n")],
    );
    assert!(screen.contains("sees [True, True, True]"), "{screen}");
}
