//! What the installed package does without a change of the program: `CRASHLENS=1`, `python -m crashlens`, and which program it
//! starts.

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{PACKAGE, python, with_package};
use crate::{stderr, stdout};

/// Interpreters that the package is for.
fn interpreters() -> Vec<PathBuf> {
    let pyenv = std::env::home_dir()
        .unwrap_or_default()
        .join(".pyenv/versions");
    let pyenv = std::fs::read_dir(pyenv).into_iter().flatten().flatten();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path).filter(|folder| !folder.ends_with("shims"));
    let folders: Vec<PathBuf> = pyenv.map(|it| it.path().join("bin")).chain(path).collect();
    let named = std::env::var_os("CRASHLENS_PYTHONS").unwrap_or_default();
    let all = (8..=20).flat_map(|minor| {
        folders
            .iter()
            .map(move |it| it.join(format!("python3.{minor}")))
    });
    let all = all
        .chain(std::env::split_paths(&named))
        .filter(|it| it.is_file());
    let mut all: Vec<PathBuf> = all
        .filter_map(|it| std::fs::canonicalize(it).ok())
        .collect();
    all.sort();
    all.dedup();
    assert!(!all.is_empty(), "no Python interpreter on this machine");
    all
}

/// Puts the package where `pip install --user` would. Not a virtual environment: an interpreter that brings its own C library
/// is started by a script, which the environment would leave out.
fn install(folder: &Path, interpreter: &Path) {
    let site = for_the_user(folder, interpreter)
        .args(["-c", "import site; print(site.getusersitepackages())"])
        .output()
        .unwrap();
    let site = PathBuf::from(stdout(&site).trim());
    let programs = folder.join("bin");
    for folder in [&site, &programs] {
        std::fs::create_dir_all(folder).unwrap();
    }
    for name in ["crashlens", "crashlens.pth", "crashlens.start"] {
        symlink(Path::new(PACKAGE).join(name), site.join(name)).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_crashlens"), programs.join("crashlens")).unwrap();
}

/// The interpreter with the packages of a user that has this folder.
fn for_the_user(folder: &Path, interpreter: &Path) -> Command {
    let mut command = with_package(Command::new(interpreter), folder);
    command
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONNOUSERSITE")
        .env_remove("CRASHLENS_BINARY")
        .env("PYTHONUSERBASE", folder);
    command
}

/// Runs an interpreter without any hint where the package or the program is.
fn run(folder: &Path, python: &Path, variable: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = for_the_user(folder, python);
    command.envs(variable.map(|value| ("CRASHLENS", value)));
    command.args(arguments).output().unwrap()
}

#[test]
fn a_variable_enables_it_in_every_version_without_a_change_of_the_program() {
    for interpreter in interpreters() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), &interpreter);
        let run =
            |variable, program: &str| run(folder.path(), &interpreter, variable, &["-c", program]);

        let crash = "import ctypes; ctypes.string_at(0)";
        let output = run(Some("1"), crash);
        let said = stderr(&output);
        assert_eq!(output.status.signal(), Some(11), "{said}");
        assert!(
            said.contains("`string_at` was called by ctypes"),
            "{interpreter:?}: {said}"
        );

        let loaded = "import sys; print(any(name.startswith('crashlens') for name in sys.modules))";
        for (variable, is_loaded) in [
            (None, "False\n"),
            (Some(""), "False\n"),
            (Some("0"), "False\n"),
            (Some("1"), "True\n"),
        ] {
            let output = run(variable, loaded);
            assert_eq!(
                (stdout(&output), stderr(&output)),
                (is_loaded.to_owned(), String::new())
            );
        }
        let enabled = "import crashlens; print(crashlens.is_enabled())";
        for (variable, is_enabled) in [
            (None, "False\n"),
            (Some("0"), "False\n"),
            (Some("1"), "True\n"),
        ] {
            assert_eq!(
                stdout(&run(variable, enabled)),
                is_enabled,
                "{interpreter:?}"
            );
        }
    }
}

/// Interpreters with an own lock refuse modules that others load, and read `crashlens.pth` too.
#[test]
fn interpreters_inside_another_start_as_without_it_and_can_enable_it() {
    for interpreter in interpreters() {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), &interpreter);
        let create = "import os, sys\n\
            if sys.version_info < (3, 12): sys.exit(77)\n\
            try: import _interpreters as interpreters\n\
            except ImportError: import _xxsubinterpreters as interpreters\n\
            inside = interpreters.create()\n\
            program = 'import os, crashlens; os.write(1, b\"%d\" % crashlens.enable())'\n\
            failed = interpreters.run_string(inside, program)\n\
            interpreters.destroy(inside)\n\
            sys.exit(failed)\n";
        for variable in [None, Some("0"), Some("1")] {
            let output = run(folder.path(), &interpreter, variable, &["-c", create]);
            if output.status.code() == Some(77) {
                continue;
            }
            assert_eq!(
                (stdout(&output), stderr(&output)),
                ("1".to_owned(), String::new()),
                "{interpreter:?} {variable:?}"
            );
        }
    }
}

#[test]
fn python_m_crashlens_is_crashlens_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("program.py"),
        "import os, signal, sys\n\
        print(sys.argv[1:], __debug__, sys.flags.optimize, sys.warnoptions, sys.flags.dev_mode)\n\
        print(signal.getsignal(signal.SIGINT) == signal.default_int_handler)\n\
        sys.exit(5)\n",
    )
    .unwrap();
    let run = |arguments: &[&str]| python(folder.path()).args(arguments).output().unwrap();
    for (flags, rest) in [
        (&[][..], &["program.py", "-x", "--", "y z"][..]),
        (&["-O", "-W", "error"], &["program.py"]),
        (&["-X", "dev"], &["-m", "program", "--name"]),
        (
            &[],
            &["-c", "import sys; print(sys.argv); sys.exit(3)", "-m", "a"],
        ),
    ] {
        let alone = run(&[flags, rest].concat());
        let watched = run(&[flags, &["-m", "crashlens"], rest].concat());
        assert_eq!(stdout(&watched), stdout(&alone), "{rest:?}");
        assert_eq!(
            watched.status,
            alone.status,
            "{rest:?}: {}",
            stderr(&watched)
        );
    }
    let crashed = run(&["-m", "crashlens", "-c", "import os; os.abort()"]);
    assert_eq!(crashed.status.signal(), Some(6));
    assert!(stderr(&crashed).contains("died of SIGABRT"));
    let enabled = run(&[
        "-m",
        "crashlens",
        "-c",
        "import crashlens; print(crashlens.enable())",
    ]);
    assert_eq!(
        (stdout(&enabled), stderr(&enabled)),
        ("True\n".to_owned(), String::new())
    );
}

#[test]
fn python_m_crashlens_alone_shows_how_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let output = python(folder.path())
        .args(["-m", "crashlens"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("usage: python -m crashlens"));
}

/// A program that leaves a trace of itself in the working directory.
fn plant(path: &Path) {
    std::fs::write(path, "#!/bin/sh\necho planted > planted\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn programs_that_the_interpreter_is_told_not_to_trust_are_not_started() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    let planted = folder.path().join("bin/crashlens");
    plant(&planted);
    let enables = format!(
        "import sys; sys.path.insert(0, {PACKAGE:?}); import crashlens; crashlens.enable()"
    );
    // Without flags each is started: the test would notice.
    for (flag, by_name, is_started) in [
        (None, false, true),
        (Some("-s"), false, false),
        (Some("-I"), false, false),
        (None, true, true),
        (Some("-E"), true, false),
        (Some("-I"), true, false),
    ] {
        let mut command = for_the_user(folder.path(), Path::new("python3"));
        if by_name {
            command
                .env("CRASHLENS_BINARY", &planted)
                .env_remove("PYTHONUSERBASE");
        }
        let output = command.args(flag).args(["-c", &enables]).output().unwrap();
        assert!(output.status.success());
        let trace = folder.path().join("planted");
        assert_eq!(
            trace.exists(),
            is_started,
            "{flag:?} {by_name} {}",
            stderr(&output)
        );
        let _ = std::fs::remove_file(trace);
    }
}

#[test]
fn a_program_in_the_working_directory_is_never_started() {
    let folder = tempfile::tempdir().unwrap();
    plant(&folder.path().join("crashlens"));
    let search = std::env::var_os("PATH").unwrap_or_default();
    for path in ["", ".", "./"] {
        let mut all = OsString::from(path);
        all.push(":");
        all.push(&search);
        for binary in [None, Some("crashlens"), Some("./crashlens")] {
            let mut command = python(folder.path());
            command.env("PATH", &all).env_remove("CRASHLENS_BINARY");
            command.envs(binary.map(|name| ("CRASHLENS_BINARY", name)));
            let program = [
                "-c",
                "import crashlens; crashlens.enable(); crashlens.last_report()",
            ];
            assert!(command.args(program).status().unwrap().success());
            assert!(
                !folder.path().join("planted").exists(),
                "{path:?} {binary:?}"
            );
        }
    }
}
