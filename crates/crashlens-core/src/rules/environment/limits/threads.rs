//! How many threads TensorFlow and the libraries below it start.

use crate::survey::Survey;

/// `OpenBLAS` in NumPy's wheels is built for no more.
const MOST_OF_OPENBLAS: u64 = 64;

/// Processors that a program may run on.
pub(super) fn cores(survey: &Survey) -> Option<u64> {
    survey.machine.cores.known().copied().filter(|it| *it > 0)
}

/// The threads that a process has with its first operation, the first thread among them. Measured as three for each
/// processor and one more: those of `OpenBLAS`, and TensorFlow's two pools with one besides.
pub(super) fn with_first_operation(survey: &Survey, cores: u64) -> u64 {
    let told = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| survey.variable(name));
        values.find_map(|value| value.trim().parse::<u64>().ok().filter(|it| *it > 0))
    };
    let openblas = told(&[
        "OPENBLAS_NUM_THREADS",
        "GOTO_NUM_THREADS",
        "OMP_NUM_THREADS",
    ]);
    let openblas = openblas.unwrap_or(cores).min(cores).min(MOST_OF_OPENBLAS);
    let within = told(&["TF_NUM_INTRAOP_THREADS"]).unwrap_or(cores);
    let between = told(&["TF_NUM_INTEROP_THREADS"]).unwrap_or(cores);
    openblas
        .saturating_add(within)
        .saturating_add(between)
        .saturating_add(1)
}
