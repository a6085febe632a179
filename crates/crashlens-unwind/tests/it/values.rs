//! The variables of every interpreter on this machine, as the program itself printed them.

use std::collections::BTreeMap;

use crashlens_core::{Gaps, Variable};
use crashlens_unwind::ProcessSnapshot;
use crashlens_unwind::python::{self, PythonState, RawPythonFrame};

use crate::elf::ElfFiles;
use crate::process::{StoppedProcess, thread};
use crate::python::{interpreters, place};

const VALUES: &str = include_str!("../scripts/values.py");

fn read(process: &StoppedProcess, with_values: bool) -> PythonState {
    let files = ElfFiles::default();
    let modules = process.modules(&files);
    let snapshot = ProcessSnapshot {
        pid: process.pid(),
        threads: vec![thread(process.pid(), None)],
        crashed_thread: Some(process.pid()),
        maps: Vec::new(),
        signal: None,
    };
    let mut gaps = Gaps::default();
    let confidential = with_values.then_some(process as _);
    let state = python::read(
        process,
        &modules,
        &files,
        &snapshot,
        confidential,
        &mut gaps,
    );
    assert_eq!(gaps, Gaps::default());
    state.expect("an interpreter")
}

/// What the program says of its variables: type and text by name.
fn told(process: &mut StoppedProcess) -> BTreeMap<String, (String, String)> {
    let mut told = BTreeMap::new();
    loop {
        let line = process.line();
        if line == "ready" {
            return told;
        }
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        told.insert(part(), (part(), part()));
    }
}

fn frame<'a>(state: &'a PythonState, function: &str) -> &'a RawPythonFrame {
    let frames = &state.threads[0].frames;
    let is_it = |frame: &&RawPythonFrame| frame.function.ends_with(function);
    frames.iter().find(is_it).unwrap()
}

fn shown(variables: &[Variable]) -> BTreeMap<String, (String, String)> {
    let shown = variables.iter().map(|variable| {
        let value = &variable.value;
        let text = value.text.clone().unwrap_or_default();
        (variable.name.clone(), (value.type_name.clone(), text))
    });
    shown.collect()
}

#[test]
fn every_interpreter_gives_the_values_that_the_program_printed() {
    for python in interpreters() {
        let (_folder, path) = place(VALUES);
        let mut process = StoppedProcess::start(&python, &path, None);
        let expected = told(&mut process);
        let state = read(&process, true);
        let holder = frame(&state, "holder");
        let mut found = shown(&holder.locals);
        assert_eq!(found.remove("closure").unwrap().0, "function");
        found.retain(|name, value| expected.get(name) != Some(value));
        let missed = expected
            .iter()
            .filter(|(name, _)| !shown(&holder.locals).contains_key(*name));
        assert_eq!(
            (found, missed.count()),
            (BTreeMap::new(), 0),
            "{}: {expected:#?}",
            python.display()
        );
        let arguments = holder.locals.iter().filter(|variable| variable.argument);
        let names: Vec<&str> = arguments.map(|variable| variable.name.as_str()).collect();
        assert_eq!(names.len(), 4, "{names:?} of {}", python.display());
        for name in ["first", "shared", "rest", "options"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        let call = shown(&frame(&state, "call").locals);
        assert_eq!(call["kept"], ("int".to_owned(), "3".to_owned()));
        assert_eq!(call["self"].0, "__main__.Method");
        let module = shown(&frame(&state, "<module>").locals);
        assert_eq!(module["number_of_module"].1, "41");
        assert_eq!(module.len(), 1, "{module:?}");
        assert_eq!(state.recursion_limit, Some(3456), "{}", python.display());
    }
}

#[test]
fn without_leave_no_value_is_read() {
    for python in interpreters() {
        let (_folder, path) = place(VALUES);
        let mut process = StoppedProcess::start(&python, &path, None);
        told(&mut process);
        let state = read(&process, false);
        let frames = &state.threads[0].frames;
        assert!(frames.iter().all(|frame| frame.locals.is_empty()));
        assert_eq!(state.recursion_limit, Some(3456), "{}", python.display());
    }
}
