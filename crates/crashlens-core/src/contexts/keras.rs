//! Keras's own workers for data: `fit(…, use_multiprocessing=True)`, `PyDataset`. They run in a `multiprocessing.Pool`.

use super::{Runner, runner};

pub(super) const KIND: &str = "Keras";

/// A file of this name may be anybody's, so the path must name Keras too.
const fn in_keras(file: &'static str, function: &'static str) -> Runner {
    Runner {
        within: "keras",
        ..runner(file, function, KIND)
    }
}

pub(super) const RUNNERS: &[Runner] = &[
    in_keras("utils/data_utils.py", "get_index"),
    in_keras("utils/data_utils.py", "next_sample"),
    in_keras("data_adapters/py_dataset_adapter.py", "get_index"),
];
pub(super) const CARRIERS: &[&str] = &["/utils/data_utils.py", "/py_dataset_adapter.py"];
