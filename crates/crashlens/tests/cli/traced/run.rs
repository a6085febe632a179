use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Output;

use crashlens_core::Report;

use crate::private::assert_private;
use crate::{crashlens, stderr, stdout};

/// A program that dies of a signal it sends to itself.
const DIES: &str = "echo out; echo err >&2; kill -SEGV $$";

/// Runs a shell script under crashlens, with everything that is saved kept in `folder`.
fn run(folder: &Path, options: &[&str], script: &str) -> Output {
    let mut args = vec!["run"];
    args.extend(options);
    args.extend(["--", "sh", "-c", script]);
    crashlens(&args)
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .output()
        .unwrap()
}

fn report(bytes: &[u8]) -> Report {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn an_ordinary_end_leaves_exit_code_and_output_alone() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &[], "echo out; echo err >&2; exit 7");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(
        (stdout(&output), stderr(&output)),
        ("out\n".to_owned(), "err\n".to_owned())
    );
    assert!(!folder.path().join("state").exists());
}

#[test]
fn a_small_stack_is_no_hindrance_to_watch_a_program() {
    let folder = tempfile::tempdir().unwrap();
    for (script, code, signal) in [("exit 7", Some(7), None), (DIES, None, Some(11))] {
        let output = std::process::Command::new("sh")
            .args(["-c", "ulimit -s 64; exec \"$@\"", "sh"])
            .arg(env!("CARGO_BIN_EXE_crashlens"))
            .args(["run", "--", "sh", "-c", script])
            .env("XDG_STATE_HOME", folder.path())
            .output()
            .unwrap();
        let ending = (output.status.code(), output.status.signal());
        assert_eq!(ending, (code, signal), "{}", stderr(&output));
    }
}

#[test]
fn the_parent_sees_the_signal_that_ended_the_program() {
    let folder = tempfile::tempdir().unwrap();
    // Also where nothing is reported, as for Ctrl-C; 40 is a real-time signal.
    for signal in [1, 2, 3, 6, 9, 10, 11, 13, 15, 24, 40] {
        let dies = format!("kill -{signal} $$");
        let alone = std::process::Command::new("sh")
            .args(["-c", &dies])
            .status();
        let output = run(folder.path(), &["--no-save"], &dies);
        assert_eq!(output.status.signal(), alone.unwrap().signal());
        assert_eq!(output.status.signal(), Some(signal));
        assert!(!output.status.core_dumped());
    }
}

#[test]
fn an_ordinary_end_as_json_has_no_deaths() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["--format", "json"], "exit 3");
    let report = report(&output.stderr);
    assert_eq!(report.run.exit_code, Some(3));
    assert_eq!(report.run.argv, ["sh", "-c", "exit 3"]);
    assert!(report.deaths.is_empty());
}

#[test]
fn a_death_is_reported_after_the_programs_own_words_and_saved() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &[], DIES);
    assert_eq!(output.status.signal(), Some(11));
    assert_eq!(stdout(&output), "out\n");
    let text = stderr(&output);
    assert!(text.starts_with("err\n"), "{text}");
    assert!(text.contains("died of SIGSEGV"), "{text}");
    let saved: Vec<_> = std::fs::read_dir(folder.path().join("state/crashlens"))
        .unwrap()
        .collect();
    assert_eq!(saved.len(), 1);
}

#[test]
fn captures_and_reports_are_for_their_owner_alone_whatever_the_umask() {
    let options = ["run", "--save", "death", "--output", "report"];
    let args = [&options[..], &["--", "sh", "-c", DIES]].concat();
    assert_private(&args, &["death", "report"]);
}

#[test]
fn old_captures_are_removed_and_the_report_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state/crashlens");
    std::fs::create_dir_all(&state).unwrap();
    let [old, of_another_program] = ["sh", "train.py"].map(|program| {
        let path = state.join(format!("2020-01-01T00-00-00Z-{program}-1.crashlens"));
        std::fs::write(&path, "").unwrap();
        path
    });
    let output = run(folder.path(), &["-v"], DIES);
    let text = stderr(&output);
    assert!(!old.exists());
    assert!(of_another_program.exists());
    let told = "Removed 1 capture, older than 30 days or beyond 500 MB in all";
    assert!(text.contains(told), "{text}");
    assert!(
        text.contains("2020-01-01T00-00-00Z-sh-1.crashlens"),
        "{text}"
    );
}

#[test]
fn a_saved_death_gives_the_same_report_again() {
    let folder = tempfile::tempdir().unwrap();
    let live = run(
        folder.path(),
        &["--format", "json", "--save", "death"],
        &format!("{DIES} 2>&-"),
    );
    let text = stderr(&live);
    let live = report(text.get(text.find('{').unwrap()..).unwrap().as_bytes());
    let again = crashlens(&["diagnose", "death", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(report(&again.stdout).deaths, live.deaths);
}

#[test]
fn every_death_is_in_the_report_file_and_has_a_capture_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sh -c 'kill -SEGV $$'; sh -c 'kill -ABRT $$'; exit 0";
    let options = [
        "--format",
        "json",
        "--output",
        "report.json",
        "--save",
        "death",
    ];
    let output = run(folder.path(), &options, script);
    assert_eq!(output.status.code(), Some(0));
    let report = report(&std::fs::read(folder.path().join("report.json")).unwrap());
    let saved: Vec<_> = report
        .deaths
        .iter()
        .filter_map(|death| death.saved.as_deref())
        .collect();
    assert_eq!(saved, ["death", "death.2"]);
    assert!(folder.path().join("death.2").exists());
}

#[test]
fn what_cannot_be_saved_is_a_gap_and_the_report_stands() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["--save", "missing/death"], DIES);
    assert_eq!(output.status.signal(), Some(11));
    assert!(stderr(&output).contains("- the saved capture: it could not be written"));
}

#[test]
fn nothing_is_saved_when_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["--no-save"], DIES);
    assert!(stderr(&output).contains("died of SIGSEGV"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_program_that_cannot_be_started_has_its_own_exit_status() {
    for (program, code) in [("no-such-program-anywhere", 127), ("/etc/passwd", 126)] {
        let output = crashlens(&["run", "--", program]).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert!(
            stderr(&output).starts_with("crashlens: cannot "),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn a_report_that_could_not_be_written_is_refused_before_the_program_starts() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        folder.path(),
        &["--output", "missing/report.json"],
        "touch started",
    );
    assert_eq!(output.status.code(), Some(125));
    assert!(
        stderr(&output)
            .starts_with("crashlens: cannot write the report to missing/report.json\n  help: ")
    );
    assert!(!folder.path().join("started").exists());
}
