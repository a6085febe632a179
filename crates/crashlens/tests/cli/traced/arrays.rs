//! Arrays and tensors in the variables of a program that died, against what the program said of them before.
//!
//! Runs on the interpreters that `CRASHLENS_ARRAYS` names (separated by colons), or else on a `python3` of the search
//! path, each with what is installed there. `cargo lab arrays` makes environments and names them.
#![expect(
    clippy::print_stdout,
    reason = "what was compared, and where, is the result that people look for"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::crashlens;

type Variables = BTreeMap<String, BTreeMap<String, Value>>;

#[test]
fn numpy_arrays_are_what_the_program_said() {
    compare("numpy", "numpy");
}

#[test]
fn tensors_with_a_value_are_what_the_program_said() {
    compare("tensorflow", "tensors.eager");
}

#[test]
fn tensors_whose_value_has_not_come_have_no_shape() {
    compare("tensorflow", "tensors.later");
}

#[test]
fn variables_and_tensors_of_graphs_are_what_the_program_said() {
    compare("tensorflow", "tensors.declared");
}

#[test]
fn torch_tensors_are_what_the_program_said() {
    compare("torch", "torch_tensors.all");
}

/// Interpreters that can import `module` beside NumPy.
fn interpreters(module: &str) -> Vec<PathBuf> {
    let named = std::env::var_os("CRASHLENS_ARRAYS");
    let candidates: Vec<_> = match &named {
        Some(paths) => std::env::split_paths(paths).collect(),
        None => std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|folder| folder.join("python3"))
            .collect(),
    };
    let has_module = |python: &PathBuf| {
        Command::new(python)
            .args([
                "-c",
                &format!("import importlib.util as u, numpy; assert u.find_spec('{module}')"),
            ])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let mut usable: Vec<_> = candidates.into_iter().filter(has_module).collect();
    if named.is_none() {
        usable.truncate(1);
    }
    if usable.is_empty() {
        println!("no interpreter here has {module}: nothing was compared");
    }
    usable
}

/// Lets a program die that holds `what`, on every interpreter, and compares.
fn compare(module: &str, what: &str) {
    for python in interpreters(module) {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.json");
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/scripts/arrays/arrays.py"
        );
        let output = crashlens(&["run", "--format", "json", "--output"])
            .arg(&report)
            .arg("--")
            .arg(&python)
            .args(["-B", script, what])
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let said = stdout.lines().find(|line| line.starts_with('{'));
        let said: Variables = match said {
            Some(line) => serde_json::from_str(line).unwrap(),
            None => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        };
        let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
        let read = variables(&report);
        let differences = differences(&said, &read);
        assert!(
            differences.is_empty(),
            "{} {what}:\n{}",
            python.display(),
            differences.join("\n")
        );
        let count: usize = said.values().map(BTreeMap::len).sum();
        println!("{} {what}: {count} right", python.display());
    }
}

/// Variables of all Python frames, by function and name.
fn variables(report: &Value) -> Variables {
    let mut found = Variables::new();
    let threads = report["deaths"][0]["threads"].as_array().unwrap();
    let frames = threads
        .iter()
        .filter_map(|thread| thread["frames"].as_array())
        .flatten();
    for frame in frames {
        let function = frame["function"].as_str().unwrap_or_default();
        let function = function.rsplit('.').next().unwrap_or_default();
        let locals = frame["locals"].as_array().into_iter().flatten();
        let named = locals.map(|local| {
            let name = local["name"].as_str().unwrap_or_default();
            (name.to_owned(), local["value"].clone())
        });
        found.entry(function.to_owned()).or_default().extend(named);
    }
    found
}

fn differences(said: &Variables, read: &Variables) -> Vec<String> {
    let mut differences = Vec::new();
    for (function, variables) in said {
        for (name, expected) in variables {
            let value = read.get(function).and_then(|frame| frame.get(name));
            if !value.is_some_and(|value| is_right(expected, value)) {
                differences.push(format!(
                    "{function}.{name}: {expected}\n    read: {value:?}"
                ));
            }
        }
    }
    differences
}

/// What the program did not say is not compared, except that a value which has no shape must be given none.
fn is_right(expected: &Value, value: &Value) -> bool {
    let array = &value["array"];
    let Some(expected) = expected.as_object() else {
        return array["shape"].is_null();
    };
    array.is_object()
        && expected.iter().all(|(key, expected)| match key.as_str() {
            "data" => {
                let address = format!("{:#x}", expected.as_u64().unwrap_or_default());
                array[key].as_str() == Some(&address)
            }
            _ => array[key] == *expected,
        })
}
