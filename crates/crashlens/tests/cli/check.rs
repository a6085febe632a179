//! `crashlens check` on small environments that are made for the test.

mod files;
mod forms;
mod labels;
mod manifests;
mod moving;
mod sets;
mod unentered;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crashlens_core::Report;
use crashlens_core::book;

use crate::{crashlens, stderr, stdout};

/// A virtual environment that no Python has made. Its native module is a library of the system.
pub(crate) struct Environment {
    folder: tempfile::TempDir,
}

impl Environment {
    /// With one package that is whole.
    pub(crate) fn sound() -> Self {
        let environment = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let bin = environment.path("venv/bin");
        fs::create_dir_all(&bin).unwrap();
        symlink(interpreter(), bin.join("python")).unwrap();
        let home = interpreter().parent().unwrap().display().to_string();
        let version = python_says("import platform; print(platform.python_version())");
        fs::write(
            environment.path("venv/pyvenv.cfg"),
            format!("home = {home}\ninclude-system-site-packages = false\nversion = {version}\n"),
        )
        .unwrap();
        environment.install("sound", "1.0", &["__init__.py"]);
        environment
    }

    /// With a package beside it of which most files are gone.
    pub(crate) fn broken() -> Self {
        let environment = Self::sound();
        let files = ["__init__.py", "core.py", "io.py", "math.py", "text.py"];
        environment.install("brittle", "2.5.1", &files);
        for file in &files[..4] {
            fs::remove_file(environment.site().join("brittle").join(file)).unwrap();
        }
        environment
    }

    /// With a package beside it that needs one which is not there.
    pub(crate) fn lacking() -> Self {
        let environment = Self::sound();
        environment.install("needy", "3.1", &["__init__.py"]);
        let metadata = environment.site().join("needy-3.1.dist-info/METADATA");
        let about = fs::read_to_string(&metadata).unwrap();
        fs::write(metadata, format!("{about}Requires-Dist: absent>=1\n")).unwrap();
        environment
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn python(&self) -> String {
        self.path("venv/bin/python").display().to_string()
    }

    fn site(&self) -> PathBuf {
        let version = python_says("import sys; print('%d.%d' % sys.version_info[:2])");
        self.path(&format!("venv/lib/python{version}/site-packages"))
    }

    fn install(&self, name: &str, version: &str, files: &[&str]) {
        let package = self.site().join(name);
        let metadata = self.site().join(format!("{name}-{version}.dist-info"));
        fs::create_dir_all(&package).unwrap();
        fs::create_dir_all(&metadata).unwrap();
        let mut record =
            format!("{name}-{version}.dist-info/METADATA,,\n{name}-{version}.dist-info/RECORD,,\n");
        for file in files {
            fs::write(package.join(file), "value = 1\n").unwrap();
            writeln!(record, "{name}/{file},,10").unwrap();
        }
        let about = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
        fs::write(metadata.join("METADATA"), about).unwrap();
        fs::write(metadata.join("RECORD"), record).unwrap();
    }

    /// Checks it, with a cache of its own.
    fn check(&self, options: &[&str]) -> Command {
        let python = self.python();
        let mut args = vec!["check", "--python", &python];
        args.extend(options);
        let mut command = crashlens(&args);
        self.alone(&mut command);
        command
    }

    /// Whatever is active where the test runs is not meant.
    pub(crate) fn alone(&self, command: &mut Command) {
        command
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("HOME", self.folder.path())
            .env_remove("PYTHONPATH")
            .env_remove("PYTHONHOME")
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("LD_PRELOAD")
            .env_remove("VIRTUAL_ENV");
    }

    fn output(&self, options: &[&str]) -> Output {
        self.check(options).output().unwrap()
    }
}

/// The interpreter itself: `python3` may be a shell script that looks for it.
fn interpreter() -> PathBuf {
    fs::canonicalize(python_says("import sys; print(sys.executable)")).unwrap()
}

fn python_says(source: &str) -> String {
    let asked = Command::new("python3")
        .args(["-c", source])
        .output()
        .unwrap();
    stdout(&asked).trim().to_owned()
}

fn report(output: &Output) -> Report {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Everything below a folder, with what it holds.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_symlink() || path.is_file() {
                found.push((path.clone(), fs::read(&path).unwrap_or_default()));
            } else {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_sound_environment_has_status_0_and_says_what_was_looked_at() {
    let environment = Environment::sound();
    let output = environment.output(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let text = stdout(&output);
    assert!(text.contains("Nothing found by "), "{text}");
    assert!(text.contains("1 package,"), "{text}");
    assert!(text.contains(&environment.python()), "{text}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_finding_has_status_1_and_names_package_version_command_and_rule() {
    let environment = Environment::broken();
    environment.install("pip", "25.0", &["__init__.py", "__main__.py"]);
    let output = environment.output(&[]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    for part in [
        "will fail",
        "brittle 2.5.1",
        "-m pip install",
        "(PKG001)",
        "crashlens rules PKG001",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn fail_on_says_which_findings_count() {
    let environment = Environment::broken();
    for (least, code) in [
        ("will-fail", 1),
        ("can-crash", 1),
        ("worth-knowing", 1),
        ("never", 0),
    ] {
        let output = environment.output(&["--fail-on", least]);
        assert_eq!(output.status.code(), Some(code), "{least}");
    }
}

#[test]
fn check_env_is_what_check_does_by_itself() {
    let environment = Environment::broken();
    let python = environment.python();
    let mut named = crashlens(&["check", "env", "--python", &python, "--format", "json"]);
    environment.alone(&mut named);
    let named = named.output().unwrap();
    assert_eq!(
        report(&named),
        report(&environment.output(&["--format", "json"]))
    );
}

#[test]
fn the_active_environment_is_checked_where_none_is_named() {
    let environment = Environment::broken();
    let mut command = crashlens(&["check", "-q"]);
    environment.alone(&mut command);
    command.env("VIRTUAL_ENV", environment.path("venv"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).starts_with("will fail"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_is_no_python_is_refused() {
    for path in ["no/such/python", "/etc/passwd"] {
        let output = crashlens(&["check", "--python", path]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let message = stderr(&output);
        assert!(
            message.contains(path) && message.contains("  help: "),
            "{message}"
        );
    }
}

#[test]
fn an_environment_whose_python_is_gone_is_told_from_what_is_no_environment() {
    let environment = Environment::sound();
    let link = environment.path("venv/bin/python");
    fs::remove_file(&link).unwrap();
    symlink("/nowhere/bin/python3.10", &link).unwrap();
    let output = environment.output(&[]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    for part in [
        "/nowhere/bin/python3.10",
        "is gone",
        "Make the environment again",
    ] {
        assert!(message.contains(part), "{part} is missing:\n{message}");
    }
}

#[test]
fn content_that_was_changed_is_found_when_asked_for() {
    let environment = Environment::sound();
    let record = environment.site().join("sound-1.0.dist-info/RECORD");
    let text = fs::read_to_string(&record).unwrap();
    let empty = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
    fs::write(
        &record,
        text.replace("__init__.py,,", &format!("__init__.py,{empty},")),
    )
    .unwrap();
    assert_eq!(environment.output(&[]).status.code(), Some(0));
    let verified = environment.output(&["--verify", "--fail-on", "worth-knowing"]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(
        stdout(&verified).contains("other content"),
        "{}",
        stdout(&verified)
    );
}

#[test]
fn every_check_is_listed_on_request() {
    let text = stdout(&Environment::sound().output(&["-v"]));
    for rule in book::of(book::Kind::Hazard) {
        assert!(text.contains(rule.id), "{} is missing", rule.id);
    }
}

#[test]
fn a_small_stack_does_not_keep_it_from_looking() {
    let environment = Environment::broken();
    let limited = Command::new("sh")
        .args(["-c", "ulimit -s 64; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_crashlens"))
        .args(["check", "--python", &environment.python(), "-q"])
        .env("XDG_CACHE_HOME", environment.path("cache"))
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(1), "{}", stderr(&limited));
}

#[test]
fn a_limit_on_the_size_of_files_does_not_end_it() {
    let environment = Environment::broken();
    // Only what is large and was not just written is kept for the next time.
    let module = environment.site().join("brittle/large.so");
    symlink(interpreter(), module).unwrap();
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 0; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_crashlens"))
        .args(["check", "--python", &environment.python(), "-q"])
        .env("XDG_CACHE_HOME", environment.path("cache"))
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(1), "{}", stderr(&limited));
}

#[test]
fn nothing_is_changed_in_the_environment() {
    let environment = Environment::broken();
    let before = contents(&environment.path("venv"));
    environment.output(&["--verify"]);
    assert!(contents(&environment.path("venv")) == before);
}

#[test]
fn nothing_is_kept_without_a_cache() {
    let environment = Environment::sound();
    environment.output(&["--no-cache"]);
    assert!(!environment.path("cache").exists());
}

#[test]
fn a_reader_that_has_gone_is_no_failure_and_findings_count_all_the_same() {
    let environment = Environment::broken();
    let mut child = environment
        .check(&["-v"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(1), "")
    );
}

#[test]
fn names_that_were_chosen_to_harm_do_not_reach_the_terminal() {
    let environment = Environment::sound();
    environment.install("evil", "1.0", &["__init__.py", "a.py", "b.py"]);
    fs::remove_dir_all(environment.site().join("evil")).unwrap();
    let metadata = environment.site().join("evil-1.0.dist-info/METADATA");
    fs::write(
        metadata,
        "Name: evil\u{1b}[2J\u{1b}]0;x\u{7}\nVersion: 1.0\u{1b}[31m\n",
    )
    .unwrap();
    for options in [&[][..], &["-v"], &["-q"], &["--format", "md"]] {
        let output = environment.output(options);
        let text = stdout(&output);
        assert!(
            !text.contains(|letter: char| letter.is_control() && letter != '\n'),
            "{text:?}"
        );
        assert_eq!(output.status.code(), Some(1), "{text:?}");
    }
}
