//! The Python stack of a process that runs on while it is read.
//!
//! Nothing holds the process still, so that what is read may be of two moments. Who wants facts reads several times
//! and keeps [what all readings share](steady).

use crashlens_core::{FrameTrust, Gaps, Mapping, PythonFrame, StackEnd};

use crate::image::Images;
use crate::python::{self, PythonThread};
use crate::source::Sources;
use crate::symbols::FileSymbols;
use crate::{Files, ProcessSnapshot, ReadMemory, ThreadState};

/// The Python frames of the first thread of process `pid`, innermost first and without source lines. `None` for
/// a process that does not run Python, or whose stack could not be read to its end.
///
/// Only files that are named as interpreters are looked at: a process with hundreds of libraries is not to be
/// searched for the sake of a glance.
pub fn glance(
    pid: u32,
    maps: &[Mapping],
    memory: &dyn ReadMemory,
    files: &dyn Files,
    locals: bool,
) -> Option<Vec<PythonFrame>> {
    let first = ThreadState {
        id: pid,
        name: String::new(),
        registers: None,
    };
    let snapshot = |maps: Vec<Mapping>| ProcessSnapshot {
        pid,
        threads: vec![first.clone()],
        crashed_thread: None,
        maps,
        signal: None,
    };
    let named = maps.iter().filter(|map| may_be_python(map));
    let modules = Images::find(&snapshot(named.cloned().collect()), memory).modules();
    // Values are judged by whether what they refer to is mapped, wherever that is.
    let snapshot = snapshot(maps.to_vec());
    let symbols = FileSymbols::new(files);
    let state = python::read(
        memory,
        &modules,
        &symbols,
        &snapshot,
        locals.then_some(memory),
        &mut Gaps::default(),
    )?;
    let thread = first_thread(&state.threads, pid)?;
    let is_whole = thread.end == StackEnd::Complete
        && !thread.frames.is_empty()
        && thread.frames.iter().all(|frame| frame.file != "<unknown>");
    is_whole.then(|| thread.frames.iter().map(plain).collect())
}

/// Reads the source lines of frames.
pub fn read_sources(frames: &mut [PythonFrame], files: &dyn Files) {
    let mut sources = Sources::default();
    for frame in frames.iter() {
        if let Some(line) = frame.line {
            sources.read(files, &frame.file, &[line]);
        }
    }
    let sources = sources.into_lines();
    for frame in frames {
        let lines = sources.get(&frame.file).zip(frame.line);
        frame.source = lines.and_then(|(lines, line)| lines.get(&line).cloned());
    }
}

/// What two readings of a stack share: the frames from the outermost on that are at the same place in both, with the
/// variables that have the same values.
pub fn steady(one: &[PythonFrame], other: &[PythonFrame]) -> Vec<PythonFrame> {
    let place = |frame: &PythonFrame| (frame.file.clone(), frame.function.clone(), frame.line);
    let outer = one.iter().rev().zip(other.iter().rev());
    let mut same: Vec<PythonFrame> = outer
        .take_while(|(one, other)| place(one) == place(other))
        .map(|(one, other)| {
            let mut frame = one.clone();
            frame.locals.retain(|local| other.locals.contains(local));
            frame
        })
        .collect();
    same.reverse();
    same
}

/// Whether a mapping is of the interpreter's library or executable.
fn may_be_python(mapping: &Mapping) -> bool {
    match mapping.path.as_deref() {
        Some(path) => {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.starts_with("libpython") || name.starts_with("python")
        }
        None => false,
    }
}

/// The thread with the process's id. Before 3.11, and in a container, that id is not to be had; then it is the
/// oldest of those without one, because new ones are put first in the list.
fn first_thread(threads: &[PythonThread], pid: u32) -> Option<&PythonThread> {
    threads
        .iter()
        .find(|thread| thread.thread == Some(pid))
        .or_else(|| threads.last().filter(|thread| thread.thread.is_none()))
}

fn plain(frame: &python::RawPythonFrame) -> PythonFrame {
    PythonFrame {
        file: frame.file.clone(),
        line: frame.line,
        function: frame.function.clone(),
        source: None,
        trust: FrameTrust::Unplaced,
        locals: frame.locals.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crashlens_core::{Value, Variable};

    use super::*;

    fn frame(function: &str, line: u32) -> PythonFrame {
        PythonFrame {
            file: "train.py".to_owned(),
            line: Some(line),
            function: function.to_owned(),
            source: None,
            trust: FrameTrust::Unplaced,
            locals: Vec::new(),
        }
    }

    fn variable(text: &str) -> Variable {
        Variable {
            name: "x".to_owned(),
            argument: false,
            value: Value {
                type_name: "int".to_owned(),
                text: Some(text.to_owned()),
                array: None,
            },
        }
    }

    #[test]
    fn only_frames_that_stay_are_kept() {
        let waiting = [frame("wait", 5), frame("main", 2)];
        assert_eq!(steady(&waiting, &waiting), waiting);
        let elsewhere = [frame("read", 9), frame("next", 7), frame("main", 2)];
        assert_eq!(steady(&waiting, &elsewhere), [frame("main", 2)]);
        assert_eq!(steady(&waiting, &[]), []);
        assert_eq!(steady(&waiting, &[frame("main", 3)]), []);
    }

    #[test]
    fn only_variables_that_stay_are_kept() {
        let with = |texts: [&str; 2]| {
            let mut frame = frame("main", 2);
            frame.locals = texts.map(variable).to_vec();
            frame
        };
        let same = steady(&[with(["7", "8"])], &[with(["7", "9"])]);
        assert_eq!(same[0].locals, [variable("7")]);
    }
}
