//! Runs programs under the example supervisor and reads what it saw.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use crashlens_core::{CrashCapture, Gap};
use serde_json::Value;

/// The example `supervise`, which stands beside the tests' own folder.
pub(crate) fn supervisor() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(Path::parent).unwrap();
    let path = profile.join("examples/supervise");
    assert!(
        path.exists(),
        "{} is missing: cargo build -p crashlens-trace --examples",
        path.display()
    );
    path
}

/// The interpreter itself: `python3` may be a shell script that looks for it.
pub(crate) fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let mut command = Command::new("python3");
        let output = command
            .args(["-c", "import sys; print(sys.executable)"])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    })
}

/// Every interpreter: pyenv's, those on `PATH`, and those that `CRASHLENS_PYTHONS` names.
pub(crate) fn pythons() -> Vec<PathBuf> {
    let pyenv = std::env::home_dir()
        .unwrap_or_default()
        .join(".pyenv/versions");
    let pyenv = std::fs::read_dir(pyenv).into_iter().flatten().flatten();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| !folder.ends_with("shims"))
        .collect();
    let is_interpreter = |program: &PathBuf| {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let minor = name
            .strip_prefix("python3.")
            .or(name.strip_prefix("python2."));
        minor.is_some_and(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let found = pyenv
        .map(|version| version.path().join("bin"))
        .chain(path)
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(is_interpreter)
        .filter_map(|program| std::fs::canonicalize(program).ok());
    let named = std::env::var("CRASHLENS_PYTHONS").unwrap_or_default();
    let named = named.split(':').filter(|name| !name.is_empty());
    let all: std::collections::BTreeSet<PathBuf> = found.chain(named.map(PathBuf::from)).collect();
    let runs = |program: &PathBuf| {
        let mut command = Command::new(program);
        let quietly = command.args(["-c", "import ctypes"]).stderr(Stdio::null());
        quietly.status().is_ok_and(|status| status.success())
    };
    let all: Vec<PathBuf> = all.into_iter().filter(runs).collect();
    assert!(!all.is_empty(), "no Python interpreter on this machine");
    all
}

/// Whether a program can be found on this machine.
pub(crate) fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// A supervisor to be started.
pub(crate) struct Supervised {
    folder: tempfile::TempDir,
    pub(crate) command: Command,
}

/// A supervisor at work, its standard streams held by the test.
pub(crate) struct Running {
    folder: tempfile::TempDir,
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    read: Vec<u8>,
}

/// What a supervisor saw and how it ended.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) deaths: Vec<CrashCapture>,
    pub(crate) hangs: Vec<Vec<CrashCapture>>,
    pub(crate) ended: Option<Value>,
    pub(crate) detached: Option<Value>,
    pub(crate) failed: Option<Value>,
}

impl Supervised {
    /// `words`: everything after the output file, as the example's documentation says.
    pub(crate) fn new<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(words: I) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(supervisor());
        command.arg(folder.path().join("seen.jsonl")).args(words);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self { folder, command }
    }

    /// The same, the supervisor itself being a member of a control group.
    pub(crate) fn inside<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
        members: &Path,
        words: I,
    ) -> Self {
        let mut supervised = Self::new(words);
        let plain = supervised.command;
        supervised.command = Command::new("/bin/sh");
        supervised
            .command
            .args(["-c", "echo $$ > \"$0\" && exec \"$@\""])
            .arg(members)
            .arg(plain.get_program())
            .args(plain.get_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        supervised
    }

    pub(crate) fn start(mut self) -> Running {
        let mut child = self.command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = child.stderr.take().unwrap();
        Running {
            folder: self.folder,
            child,
            stdin,
            stdout,
            stderr,
            read: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Finished {
        self.start().finish()
    }
}

impl Running {
    pub(crate) fn pid(&self) -> nix::unistd::Pid {
        nix::unistd::Pid::from_raw(self.child.id() as i32)
    }

    /// The next line the program writes; fails at the end of its output.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert!(
            line.ends_with('\n'),
            "the program ended early: {:?}",
            self.read
        );
        self.read.extend(line.as_bytes());
        line.trim_end().to_owned()
    }

    /// Returns when the supervisor has written something of this kind.
    pub(crate) fn wait_for_seen(&self, kind: &str) {
        let path = self.folder.path().join("seen.jsonl");
        let begin = format!("{{\"{kind}\"");
        let is_seen = |text: String| text.lines().any(|line| line.starts_with(&begin));
        while !std::fs::read_to_string(&path).is_ok_and(is_seen) {
            std::thread::yield_now();
        }
    }

    /// What the supervisor has written up to now.
    pub(crate) fn seen_so_far(&self) -> Finished {
        read_seen(&self.folder.path().join("seen.jsonl"))
    }

    /// Writes a line to the program.
    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits for the end of all output and of the supervisor.
    pub(crate) fn finish(mut self) -> Finished {
        drop(self.stdin.take());
        let mut stdout = self.read;
        self.stdout.read_to_end(&mut stdout).unwrap();
        let mut stderr = Vec::new();
        self.stderr.read_to_end(&mut stderr).unwrap();
        let code = self.child.wait().unwrap().code();
        let mut finished = read_seen(&self.folder.path().join("seen.jsonl"));
        finished.code = code;
        finished.stdout = String::from_utf8_lossy(&stdout).into_owned();
        finished.stderr = String::from_utf8_lossy(&stderr).into_owned();
        finished
    }
}

/// Returns when a tracer holds the process.
pub(crate) fn wait_until_traced(pid: &str) {
    let path = format!("/proc/{pid}/status");
    while std::fs::read_to_string(&path)
        .unwrap()
        .contains("TracerPid:\t0\n")
    {
        std::thread::yield_now();
    }
}

/// Reads what a supervisor wrote.
pub(crate) fn read_seen(path: &Path) -> Finished {
    let (code, stdout, stderr) = (None, String::new(), String::new());
    let deaths = Vec::new();
    let mut seen = Finished {
        code,
        stdout,
        stderr,
        deaths,
        hangs: Vec::new(),
        ended: None,
        detached: None,
        failed: None,
    };
    for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if value.get("died").is_some() {
            seen.deaths
                .push(serde_json::from_value(value["died"].take()).unwrap());
        } else if value.get("hung").is_some() {
            seen.hangs
                .push(serde_json::from_value(value["hung"].take()).unwrap());
        } else if value.get("ended").is_some() {
            seen.ended = Some(value["ended"].take());
        } else if value.get("detached").is_some() {
            seen.detached = Some(value["detached"].take());
        } else {
            seen.failed = Some(value["failed"].take());
        }
    }
    seen
}

impl Finished {
    /// The one death there was.
    pub(crate) fn death(&self) -> &CrashCapture {
        assert_eq!(
            self.deaths.len(),
            1,
            "deaths; standard error: {}",
            self.stderr
        );
        &self.deaths[0]
    }

    /// What could not be seen of the run as a whole.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let end = self
            .ended
            .as_ref()
            .or(self.detached.as_ref())
            .expect("an end");
        serde_json::from_value(end["gaps"].clone()).unwrap()
    }
}

/// Supervises `command` to its end.
pub(crate) fn run(command: &[&str]) -> Finished {
    let words = ["run"].iter().chain(command);
    Supervised::new(words).finish()
}

/// Supervises a Python program to its end.
pub(crate) fn run_python(program: &str) -> Finished {
    run(&[python(), "-c", program])
}

/// Supervises a shell program to its end.
pub(crate) fn run_shell(program: &str) -> Finished {
    run(&["/bin/sh", "-c", program])
}

/// A supervised Python program, to talk to while it runs.
pub(crate) fn start_python(program: &str) -> Running {
    Supervised::new(["run", python(), "-c", program]).start()
}

/// The words of a command, for [`Supervised::new`].
pub(crate) fn words(command: &[&str]) -> Vec<OsString> {
    command.iter().map(OsString::from).collect()
}
