//! The stacks of every interpreter on this machine: pyenv's, those on `PATH`, and those that
//! `CRASHLENS_PYTHONS` names (executables, separated by colons).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crashlens_core::{Gaps, StackEnd};
use crashlens_unwind::ProcessSnapshot;
use crashlens_unwind::python::{self, PythonState, PythonThread};

use crate::elf::ElfFiles;
use crate::process::{StoppedProcess, thread};

const STACK: &str = include_str!("../scripts/stack.py");
const DEEP: &str = include_str!("../scripts/deep.py");
const FINALIZING: &str = include_str!("../scripts/finalizing.py");
const SUBINTERPRETER: &str = include_str!("../scripts/subinterpreter.py");

/// Executables by what they really are, so that each is tried once.
pub(crate) fn interpreters() -> Vec<PathBuf> {
    let named = env::var("CRASHLENS_PYTHONS").unwrap_or_default();
    let pyenv = env::home_dir().unwrap_or_default().join(".pyenv/versions");
    let pyenv = fs::read_dir(pyenv)
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    // Pyenv's shims lead to the same interpreters, or nowhere.
    let path: Vec<PathBuf> = env::split_paths(&path)
        .filter(|folder| !folder.ends_with("shims"))
        .collect();
    let folders: Vec<PathBuf> = pyenv.chain(path).collect();
    let programs = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut found = BTreeMap::new();
    for program in programs
        .map(|entry| entry.path())
        .filter(|program| is_interpreter(program))
    {
        found.insert(fs::canonicalize(&program).unwrap(), program);
    }
    for program in named
        .split(':')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
    {
        found.insert(program.clone(), program);
    }
    assert!(!found.is_empty(), "no Python interpreter on this machine");
    found
        .into_values()
        .filter(|program| runs(program))
        .collect()
}

fn is_interpreter(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let minor = name
        .strip_prefix("python3.")
        .filter(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()));
    (minor.is_some() || name == "python2.7") && program.is_file()
}

fn runs(program: &Path) -> bool {
    let quietly = Command::new(program)
        .args(["-c", "import ctypes"])
        .stderr(Stdio::null())
        .status();
    quietly.is_ok_and(|status| status.success())
}

fn version_of(python: &Path) -> String {
    let print = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
    let output = Command::new(python).args(["-c", print]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Line of `script` that ends with the comment `mark`.
fn line_of(script: &str, mark: &str) -> Option<u32> {
    let ending = format!("# {mark}");
    let line = script
        .lines()
        .zip(1..)
        .find(|(line, _)| line.ends_with(&ending));
    assert!(line.is_some(), "the script has no line {mark:?}");
    line.map(|(_, number)| number)
}

/// A folder whose name is neither ASCII nor Latin-1, with the script in it.
pub(crate) fn place(script: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("naïve 測試");
    fs::create_dir(&below).unwrap();
    let path = below.join("script.py");
    fs::write(&path, script).unwrap();
    (folder, path)
}

fn read(
    process: &StoppedProcess,
    threads: &[crashlens_unwind::ThreadState],
) -> (PythonState, Gaps) {
    let files = ElfFiles::default();
    let modules = process.modules(&files);
    let mut gaps = Gaps::default();
    let snapshot = ProcessSnapshot {
        pid: 0,
        threads: threads.to_vec(),
        crashed_thread: None,
        maps: Vec::new(),
        signal: None,
    };
    let state = python::read(process, &modules, &files, &snapshot, None, &mut gaps);
    (state.expect("an interpreter"), gaps)
}

fn shape(thread: &PythonThread) -> Vec<(&str, &str, Option<u32>)> {
    thread
        .frames
        .iter()
        .map(|frame| (frame.file.as_str(), frame.function.as_str(), frame.line))
        .collect()
}

/// The two threads of `stack.py`, the first with the lock.
struct TwoThreads {
    process: StoppedProcess,
    script: String,
    ids: [u32; 2],
    pthreads: [u64; 2],
    _folder: tempfile::TempDir,
}

impl TwoThreads {
    fn start(python: &Path, preload: Option<&Path>) -> Self {
        let (folder, path) = place(STACK);
        let mut process = StoppedProcess::start(python, &path, preload);
        let line = process.line();
        let words: Vec<&str> = line.split(' ').collect();
        let [main, worker, "ready"] = words.as_slice() else {
            panic!("{line:?}")
        };
        Self {
            ids: process.thread_ids().try_into().unwrap(),
            pthreads: [main, worker].map(|pthread| pthread.parse().unwrap()),
            script: path.to_str().unwrap().to_owned(),
            process,
            _folder: folder,
        }
    }

    fn read(&self, pthreads: [Option<u64>; 2]) -> PythonState {
        let threads = [
            thread(self.ids[0], pthreads[0]),
            thread(self.ids[1], pthreads[1]),
        ];
        let (state, gaps) = read(&self.process, &threads);
        assert_eq!(gaps, Gaps::default());
        state
    }

    /// The frames both threads have, innermost first.
    fn common_frames(&self, version: (u8, u8)) -> [(&str, &str, Option<u32>); 9] {
        let script = self.script.as_str();
        let line = |mark| line_of(STACK, mark);
        let snake = if version.0 == 2 {
            r"\U0001f40d.py"
        } else {
            "\u{1f40d}.py"
        };
        let method = if version >= (3, 11) {
            "Outer.method"
        } else {
            "method"
        };
        [
            (script, "innermost", line("innermost")),
            (script, "through_sort", line("through_sort")),
            (script, "generator", line("generator")),
            (script, "in_oddly_named_file", line("in_oddly_named_file")),
            (snake, "<module>", Some(3)),
            (script, "in_oddly_named_file", line("evaluates")),
            ("café.py", "<module>", Some(3)),
            (script, "in_oddly_named_file", line("evaluates")),
            (script, method, line("method")),
        ]
    }

    fn check_frames(&self, state: &PythonState) {
        let [main, worker] = self.ids.map(|id| of_thread(state, id));
        let (main_frames, worker_frames) = (shape(main), shape(worker));
        let common = self.common_frames(state.version);
        let script = self.script.as_str();
        assert_eq!(main_frames[..9], common);
        assert_eq!(
            main_frames[9..],
            [(script, "<module>", line_of(STACK, "module"))]
        );
        assert_eq!(worker_frames[..9], common);
        assert_eq!(
            worker_frames[9],
            (script, "worker", line_of(STACK, "worker"))
        );
        let of_threading = |file: &str| file.ends_with("threading.py");
        assert!(
            worker_frames[10..]
                .iter()
                .all(|(file, _, line)| of_threading(file) && line.is_some())
        );
        assert_eq!(worker_frames.len(), 13);
        assert_eq!([main.end, worker.end], [StackEnd::Complete; 2]);
        assert_eq!(
            [main.holds_gil, worker.holds_gil],
            [Some(true), Some(false)]
        );
        for (index, frame) in main
            .frames
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != GENERATOR)
        {
            let from_native_code = [0, 4, 6, 9].contains(&index);
            assert_eq!(
                frame.is_entry,
                state.version < (3, 11) || from_native_code,
                "frame {index}"
            );
            assert_eq!(
                frame.evaluation.is_some(),
                state.version >= (3, 10) && frame.is_entry
            );
        }
    }
}

/// Index of the generator's frame: some versions run it by a new evaluation, others learn not to.
const GENERATOR: usize = 2;

fn of_thread(state: &PythonState, id: u32) -> &PythonThread {
    state
        .threads
        .iter()
        .find(|thread| thread.thread == Some(id))
        .unwrap()
}

/// Reads the two threads of `stack.py` and compares every frame.
fn check_stacks(python: &Path, preload: Option<&Path>) -> PythonState {
    let stopped = TwoThreads::start(python, preload);
    let state = stopped.read(stopped.pthreads.map(Some));
    stopped.check_frames(&state);
    // From 3.11 on the kernel's id is enough.
    if state.version >= (3, 11) {
        assert_eq!(stopped.read([None, None]), state);
    }
    assert_eq!(
        state.runtime.finalizing,
        (state.version.0 == 3).then_some(false)
    );
    assert_eq!(state.runtime.version, version_of(python));
    state
}

#[test]
fn every_interpreter_gives_its_files_functions_and_lines() {
    for python in interpreters() {
        check_stacks(&python, None);
    }
}

#[test]
fn a_stripped_library_is_read_by_its_exported_symbols() {
    for python in interpreters() {
        let library = fs::canonicalize(&python)
            .unwrap()
            .parent()
            .unwrap()
            .join("../lib");
        let shared = fs::read_dir(library)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let Some(library) = shared
            .into_iter()
            .find(|path| path.to_string_lossy().ends_with(".so.1.0"))
        else {
            continue;
        };
        let folder = tempfile::tempdir().unwrap();
        let stripped = folder.path().join(library.file_name().unwrap());
        let status = Command::new("strip")
            .arg("-o")
            .arg(&stripped)
            .arg(&library)
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "strip {}",
            library.display()
        );
        let state = check_stacks(&python, Some(&stripped));
        assert!(state.runtime.stripped && state.runtime.shared);
        assert_eq!(Path::new(&state.runtime.library), stripped);
    }
}

#[test]
fn a_deep_stack_keeps_both_ends_and_says_what_is_left_out() {
    for python in interpreters() {
        let (_folder, path) = place(DEEP);
        let mut process = StoppedProcess::start(&python, &path, None);
        assert_eq!(process.line(), "ready");
        let (state, gaps) = read(&process, &[thread(process.pid(), None)]);
        let [thread] = state.threads.as_slice() else {
            panic!("{state:?}")
        };
        let elided = thread.elided.unwrap();
        assert_eq!(
            (elided.after, elided.frames + thread.frames.len()),
            (300, 4999),
            "{}",
            python.display()
        );
        assert_eq!(thread.frames.last().unwrap().function, "<module>");
        assert_eq!(thread.frames[0].line, line_of(DEEP, "bottom"));
        assert_eq!(thread.end, StackEnd::Complete);
        assert!(gaps.0[0].reason.contains("4999 frames deep"), "{gaps:?}");
    }
}

#[test]
fn a_thread_in_a_subinterpreter_has_the_frames_of_both() {
    for python in interpreters() {
        let (_folder, path) = place(SUBINTERPRETER);
        let mut process = StoppedProcess::start(&python, &path, None);
        if process.line() != "ready" {
            continue;
        }
        let pthread = None;
        let (state, _) = read(&process, &[thread(process.pid(), pthread)]);
        // Before 3.11 the thread is known by its register alone, which needs a debugger.
        if state.version < (3, 11) {
            assert_eq!(state.threads.len(), 2, "{}", python.display());
            continue;
        }
        let stack = state
            .threads
            .iter()
            .find(|thread| thread.thread == Some(process.pid()))
            .unwrap();
        let functions: Vec<&str> = stack
            .frames
            .iter()
            .map(|frame| frame.function.as_str())
            .collect();
        assert_eq!(
            functions,
            ["inside", "<module>", "outside", "<module>"],
            "{}",
            python.display()
        );
        assert_eq!(stack.frames[2].line, line_of(SUBINTERPRETER, "outside"));
    }
}

#[test]
fn an_interpreter_at_its_end_is_known_to_be() {
    for python in interpreters() {
        let (_folder, path) = place(FINALIZING);
        let mut process = StoppedProcess::start(&python, &path, None);
        assert_eq!(process.line(), "ready");
        let (state, _) = read(&process, &[thread(process.pid(), None)]);
        let expected = (state.version.0 == 3).then_some(true);
        assert_eq!(state.runtime.finalizing, expected, "{}", python.display());
        let innermost = &state.threads[0].frames[0];
        assert!(
            innermost.function.ends_with("__del__"),
            "{}: {innermost:?}",
            python.display()
        );
    }
}
