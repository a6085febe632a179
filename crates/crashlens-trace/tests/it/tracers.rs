//! Programs in the tree that trace or gain privileges: they work, and the report says they went unseen.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

use crate::support::{Supervised, has_program, run, run_shell};

#[test]
fn strace_and_gdb_work_inside_and_are_named() {
    for (name, command) in [
        (
            "strace",
            "strace -o /dev/null /bin/sh -c 'echo inner; exit 7'",
        ),
        (
            "gdb",
            "gdb -batch -ex run --args /bin/sh -c 'echo inner; exit 7' 2>&1; exit 7",
        ),
    ] {
        if !has_program(name) {
            continue;
        }
        let finished = run_shell(&format!("{command}; exit $?"));
        assert_eq!(finished.code, Some(7), "{name}: {}", finished.stderr);
        assert!(
            finished.stdout.contains("inner"),
            "{name}: {}",
            finished.stdout
        );
        assert!(
            !finished.stderr.contains("not permitted"),
            "{name}: {}",
            finished.stderr
        );
        assert!(
            finished.gaps().iter().any(|gap| gap.part.contains(name)),
            "{:?}",
            finished.gaps()
        );
    }
}

#[test]
fn a_tracer_as_the_program_itself_is_let_go_and_waited_for() {
    if !has_program("strace") {
        return;
    }
    let finished = run(&["strace", "-o", "/dev/null", "/bin/sh", "-c", "exit 8"]);
    assert_eq!(finished.code, Some(8));
    assert_eq!(finished.gaps().len(), 1);
}

/// Only root can make a program that gains root's privileges.
fn privileged_copy_of_id() -> Option<tempfile::TempDir> {
    if !nix::unistd::geteuid().is_root() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let copy = folder.path().join("id");
    std::fs::copy("/usr/bin/id", &copy).unwrap();
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o4755)).unwrap();
    std::fs::copy(
        crate::support::supervisor(),
        folder.path().join("supervise"),
    )
    .unwrap();
    Some(folder)
}

#[test]
fn a_setuid_program_keeps_its_privileges_and_is_named() {
    const NOBODY: u32 = 65_534;
    let Some(folder) = privileged_copy_of_id() else {
        return;
    };
    let id = folder.path().join("id");
    for shell in ["ID -u", "ID -u; true", "exec env ID -u", "(ID -u)"] {
        let program = shell.replace("ID", id.to_str().unwrap());
        let seen = folder.path().join(format!("seen-{}", shell.len()));
        let output = std::process::Command::new(folder.path().join("supervise"))
            .arg(&seen)
            .args(["run", "/bin/sh", "-c", &program])
            .uid(NOBODY)
            .gid(NOBODY)
            .current_dir("/")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n", "{shell}");
        let gaps = crate::support::read_seen(&seen).gaps();
        assert!(
            gaps.iter().any(|gap| gap.part.contains("/id")),
            "{shell}: {gaps:?}"
        );
    }
}

#[test]
fn an_unprivileged_user_sees_crashes_as_root_does() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let folder = privileged_copy_of_id().unwrap();
    let mut supervised =
        Supervised::new(["run", "/bin/sh", "-c", "/bin/sh -c 'kill -SEGV $$'; exit 2"]);
    let seen = folder.path().join("seen");
    supervised.command = std::process::Command::new(folder.path().join("supervise"));
    supervised.command.arg(&seen).args([
        "run",
        "/bin/sh",
        "-c",
        "/bin/sh -c 'kill -SEGV $$'; exit 2",
    ]);
    let status = supervised
        .command
        .uid(65_534)
        .gid(65_534)
        .current_dir("/")
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
    assert_eq!(crate::support::read_seen(&seen).deaths.len(), 1);
}
