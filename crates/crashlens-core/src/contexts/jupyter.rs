//! Notebooks: Jupyter's kernels, which run cells in a process of their own and do not show why it died.

use super::{Runner, runner};

const KIND: &str = "Jupyter kernel";

pub(super) const RUNNERS: &[Runner] = &[
    runner("ipykernel_launcher.py", "<module>", KIND),
    runner("ipykernel/kernelapp.py", "start", KIND),
];
/// Cells, up to `IPython` 7. Later versions name a file in the folder for temporary files, which is the user's too.
pub(super) const TYPED: &[&str] = &["<ipython-input-"];
/// Runs a notebook where its death can be seen.
pub(crate) const RUN_AS_SCRIPT: &str =
    "jupyter nbconvert --to script notebook.ipynb && crashlens run -- python notebook.py";

/// Whether a process of this name, in lower case, may run cells.
pub(crate) fn is_process_name(name: &str) -> bool {
    name.contains("jupyter")
}
