//! Where tracing is refused, the program runs all the same and its death is still told.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crashlens_core::{Frame, FrameTrust, Observed, Signal};

use crate::support::{Finished, Supervised, has_program, python, read_seen, supervisor, words};

/// Crashes once the supervisor has looked at `/proc` at least once, which the reading of `smaps` takes longer than.
const CRASH: &str = "import ctypes, select\nselect.select([], [], [], 0.5)\nctypes.string_at(0)";

/// The number of the system call on x86-64, and the error that container runtimes give.
const PTRACE: &str = "101";
const EPERM: &str = "1";

fn assert_degraded(finished: &Finished) {
    assert_eq!(finished.ended.as_ref().unwrap()["supervision"], "Degraded");
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal::SEGV));
    assert!(matches!(death.registers, Observed::Unknown(_)));
    assert!(
        death
            .gaps
            .0
            .iter()
            .any(|gap| gap.part.contains("native stacks") && gap.remedy.is_some())
    );
    let Some(Frame::Python(innermost)) = death.threads[0].frames.first() else {
        panic!("no stack")
    };
    assert_eq!(
        (innermost.function.as_str(), innermost.trust),
        ("string_at", FrameTrust::Unplaced)
    );
    assert!(
        death
            .modules
            .known()
            .is_some_and(|modules| !modules.is_empty()),
        "{:?}",
        death.modules
    );
}

#[test]
fn a_refusal_gives_the_python_stack_and_names_what_is_missing() {
    let mut command = words(&["fail", "seize", "1", "1", "run", python(), "-c"]);
    command.push(CRASH.into());
    let finished = Supervised::new(command).finish();
    assert_eq!(finished.code, Some(139));
    assert_degraded(&finished);
}

#[test]
fn where_tracing_is_refused_only_python_is_asked_for_its_stack() {
    let variables = |program: &[&str]| {
        let command = [&["fail", "seize", "1", "1", "run"], program].concat();
        let finished = Supervised::new(words(&command)).finish();
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        finished.stdout
    };
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("trainer");
    let text = format!(
        "#!{}\nimport os\nfor name in os.environ: print(name)\n",
        python()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(variables(&[script.to_str().unwrap()]).contains("PYTHONFAULTHANDLER"));
    assert!(!variables(&["env"]).contains("PYTHONFAULTHANDLER"));
}

#[test]
fn a_seccomp_filter_against_tracing_degrades_and_does_not_fail() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let output = Command::new(python())
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/scripts/denied.py"
        ))
        .args([PTRACE, EPERM])
        .arg(supervisor())
        .arg(&seen)
        .args(["run", python(), "-c", CRASH])
        .output()
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(139),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_degraded(&read_seen(&seen));
}

#[test]
fn a_program_traced_from_outside_degrades_and_names_the_tracer() {
    if !has_program("strace") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let output = Command::new("strace")
        .args(["-f", "-o", "/dev/null"])
        .arg(supervisor())
        .arg(&seen)
        .args(["run", python(), "-c", CRASH])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(139));
    let finished = read_seen(&seen);
    assert_degraded(&finished);
    assert!(
        finished.gaps()[0]
            .reason
            .contains("traces the program already"),
        "{:?}",
        finished.gaps()
    );
}

#[test]
fn an_ordinary_end_and_a_missing_program_are_as_ever() {
    let refused = |command: &[&str]| {
        let words = ["fail", "seize", "1", "1", "run"].iter().chain(command);
        Supervised::new(words).finish()
    };
    let finished = refused(&["/bin/sh", "-c", "echo out; exit 5"]);
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (Some(5), "out\n")
    );
    assert!(finished.deaths.is_empty());
    assert_eq!(refused(&["crashlens-no-such-program"]).code, Some(127));
}
