//! `crashlens.enable()`: the Python package as its users call it, with the program that was built for these tests.

mod alike;
mod documented;
mod ended;
mod installed;
#[expect(dead_code, reason = "the tracer's tests use the rest")]
#[path = "../../../../crashlens-trace/tests/it/memory_group.rs"]
mod memory_group;
mod options;
mod refused;
mod reported;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::{stderr, stdout};

const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python");

/// What a program begins with that is not to be watched.
const ALONE: &str = "def enable(): pass\ndisable = enable\n";
/// And one that is.
const WATCHED: &str = "import crashlens\n\
    def enable(): assert crashlens.enable() and crashlens.is_enabled()\n\
    disable = crashlens.disable\n";

/// An interpreter that can import the package.
fn python(folder: &Path) -> Command {
    with_package(Command::new("python3"), folder)
}

/// A command whose interpreters can import the package, and whose captures go to a folder.
fn with_package(mut command: Command, folder: &Path) -> Command {
    command
        .env("PYTHONPATH", PACKAGE)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CRASHLENS_BINARY", env!("CARGO_BIN_EXE_crashlens"))
        .env("XDG_STATE_HOME", folder)
        .env_remove("CRASHLENS")
        .stdin(Stdio::null())
        .current_dir(folder);
    command
}

/// What a program does and says.
fn run(program: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    python(folder.path())
        .args(["-c", program])
        .output()
        .unwrap()
}

/// Asserts that a program does the same alone and watched, and says nothing on standard error; gives its output.
fn assert_alike(program: &str) -> String {
    let [alone, watched] = [ALONE, WATCHED].map(|prelude| run(&format!("{prelude}{program}")));
    assert_eq!(stderr(&alone), "");
    assert_eq!(stderr(&watched), "");
    assert_eq!(stdout(&watched), stdout(&alone));
    assert_eq!(watched.status, alone.status);
    stdout(&alone)
}
