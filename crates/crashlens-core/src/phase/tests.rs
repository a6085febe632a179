use super::places::Table;
use super::*;
use crate::capture::{Observed, PythonRuntime, Value, Variable};
use crate::sample::{capture, native, python, thread};

const SITE: &str = "/venv/lib/python3.11/site-packages";
const BOOTSTRAP: &str = "<frozen importlib._bootstrap>";

fn phase_of(frames: Vec<Frame>) -> Option<Phase> {
    of(&capture(vec![thread(1, frames)], &[]))
}

fn library(file: &str, function: &str) -> Frame {
    python(&format!("{SITE}/{file}"), function, "")
}

fn user(source: &str) -> Frame {
    python("/home/me/train.py", "<module>", source)
}

#[test]
fn every_place_says_where_it_was_seen() {
    for place in Table::read().place {
        assert!(!place.files.is_empty() && !place.functions.is_empty());
        assert!(!place.seen.is_empty(), "{place:?}");
    }
}

#[test]
fn a_process_without_python_has_no_phase() {
    assert_eq!(phase_of(vec![native("main")]), None);
}

#[test]
fn the_function_of_the_library_tells_the_phase() {
    let cases = [
        ("keras/src/engine/training.py", "Model.fit", Phase::Training),
        (
            "tf_keras/src/engine/training.py",
            "Model.fit",
            Phase::Training,
        ),
        ("keras/engine/training.py", "fit", Phase::Training),
        (
            "tensorflow/python/keras/engine/training.py",
            "fit",
            Phase::Training,
        ),
        (
            "keras/src/backend/tensorflow/trainer.py",
            "TensorFlowTrainer.fit",
            Phase::Training,
        ),
        (
            "keras/src/backend/jax/trainer.py",
            "JAXTrainer.predict",
            Phase::Predicting,
        ),
        (
            "keras/src/engine/training.py",
            "Model.evaluate",
            Phase::Evaluating,
        ),
        (
            "keras/src/saving/saving_api.py",
            "save_model",
            Phase::Saving,
        ),
        (
            "keras/src/models/model.py",
            "Model.load_weights",
            Phase::Loading,
        ),
        (
            "tensorflow/python/saved_model/load.py",
            "load_partial",
            Phase::Loading,
        ),
        (
            "tensorflow/python/checkpoint/checkpoint.py",
            "Checkpoint.restore",
            Phase::Loading,
        ),
        ("torch/serialization.py", "save", Phase::Saving),
        ("numpy/lib/_npyio_impl.py", "load", Phase::Loading),
        (
            "tensorflow/python/data/ops/iterator_ops.py",
            "OwnedIterator.__next__",
            Phase::IteratingDataset,
        ),
        (
            "tensorflow/python/ops/gen_math_ops.py",
            "fit",
            Phase::Running,
        ),
        ("mykeras/src/engine/training.py", "fit", Phase::Running),
    ];
    for (file, function, phase) in cases {
        let frames = vec![library(file, function), user("x()")];
        assert_eq!(phase_of(frames), Some(phase), "{file} {function}");
    }
}

#[test]
fn the_innermost_function_tells_unless_it_only_brings_data() {
    let fit = || library("keras/src/engine/training.py", "Model.fit");
    let save = library("keras/src/saving/saving_api.py", "save_model");
    assert_eq!(phase_of(vec![save, fit()]), Some(Phase::Saving));
    let next = || {
        library(
            "tensorflow/python/data/ops/iterator_ops.py",
            "OwnedIterator.__next__",
        )
    };
    assert_eq!(phase_of(vec![next(), fit()]), Some(Phase::Training));
    assert_eq!(
        phase_of(vec![next(), user("for x in data:")]),
        Some(Phase::IteratingDataset)
    );
}

#[test]
fn a_worker_is_busy_with_what_its_program_does() {
    let main = thread(
        1,
        vec![library("keras/src/engine/training.py", "Model.fit")],
    );
    let worker = thread(5, vec![native("Compute")]);
    assert_eq!(
        of(&capture(vec![worker.clone(), main], &[])),
        Some(Phase::Training)
    );
    let mut reader = worker;
    reader.role = ThreadRole::TfData;
    let main = thread(1, vec![user("x()")]);
    assert_eq!(
        of(&capture(vec![reader, main], &[])),
        Some(Phase::IteratingDataset)
    );
}

#[test]
fn an_end_that_has_begun_is_the_phase_whatever_else_runs() {
    let fit = || library("keras/src/engine/training.py", "Model.fit");
    for function in [
        "exit",
        "__run_exit_handlers",
        "Py_FinalizeEx",
        "Py_FinalizeEx.localalias",
    ] {
        let frames = vec![native("~Cache()"), native(function), fit()];
        assert_eq!(phase_of(frames), Some(Phase::Exiting), "{function}");
    }
    assert_eq!(
        phase_of(vec![native("on_exit_hook"), fit()]),
        Some(Phase::Training)
    );
    let mut capture = capture(vec![thread(1, vec![fit()])], &[]);
    capture.environment.python = Observed::Known(PythonRuntime {
        version: "3.11.7".to_owned(),
        library: "libpython3.11.so".to_owned(),
        shared: true,
        stripped: false,
        finalizing: Some(true),
    });
    assert_eq!(of(&capture), Some(Phase::Exiting));
}

fn importing(module: &str, wanted: &str) -> Phase {
    Phase::Importing {
        module: Some(module.to_owned()),
        wanted: Some(wanted.to_owned()),
    }
}

#[test]
fn an_import_is_told_from_the_lines_that_ask_for_it() {
    let frames = vec![
        python(
            "<frozen importlib._bootstrap_external>",
            "create_module",
            "",
        ),
        python(BOOTSTRAP, "_find_and_load", ""),
        python(
            &format!("{SITE}/numpy/core/multiarray.py"),
            "<module>",
            "from . import _multiarray_umath",
        ),
        python(BOOTSTRAP, "_call_with_frames_removed", ""),
        python(BOOTSTRAP, "_find_and_load", ""),
        user("import numpy as np"),
    ];
    assert_eq!(
        phase_of(frames),
        Some(importing("numpy.core._multiarray_umath", "numpy"))
    );
}

#[test]
fn an_import_is_told_from_what_its_machinery_was_given() {
    let mut finder = python(BOOTSTRAP, "_find_and_load", "");
    if let Frame::Python(frame) = &mut finder {
        frame.locals.push(Variable {
            name: "name".to_owned(),
            argument: true,
            value: Value {
                type_name: "str".to_owned(),
                text: Some("'h5py._errors'".to_owned()),
                array: None,
            },
        });
    }
    let frames = vec![finder, user("exec('import h5py')")];
    assert_eq!(
        phase_of(frames),
        Some(importing("h5py._errors", "h5py._errors"))
    );
}

#[test]
fn an_import_by_a_function_is_an_import() {
    let frames = vec![
        python(BOOTSTRAP, "_find_and_load", ""),
        python(
            "/usr/lib/python3.11/importlib/__init__.py",
            "import_module",
            "return _bootstrap._gcd_import(name[level:], package, level)",
        ),
        user("plugin = importlib.import_module('plugins.native')"),
    ];
    assert_eq!(
        phase_of(frames),
        Some(importing("plugins.native", "plugins.native"))
    );
}

#[test]
fn a_module_whose_code_runs_is_named_by_its_file() {
    let frames = vec![
        library("tensorflow/python/framework/load.py", "read"),
        python(
            &format!("{SITE}/tensorflow/__init__.py"),
            "<module>",
            "load()",
        ),
        python(BOOTSTRAP, "_call_with_frames_removed", ""),
        user("from tensorflow import keras"),
    ];
    assert_eq!(
        phase_of(frames),
        Some(importing("tensorflow", "tensorflow"))
    );
}

#[test]
fn what_an_imported_script_does_is_its_phase() {
    let frames = vec![
        library("keras/src/engine/training.py", "Model.fit"),
        python("/home/me/experiment.py", "<module>", "model.fit(x)"),
        python(BOOTSTRAP, "_call_with_frames_removed", ""),
        user("import experiment"),
    ];
    assert_eq!(phase_of(frames), Some(Phase::Training));
}
