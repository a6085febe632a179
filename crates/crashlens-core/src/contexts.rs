//! Contexts: libraries and programs that run the user's code for them, in processes of their own or in cells.
//!
//! One module per context. It holds what is known of that context in code: the functions by which its processes are
//! recognised, the files of it that only hand a task on, names of files that a person typed there, how its parents
//! wait. Words that a context writes to logs are data and stay there:
//!
//! - Jupyter, Colab and other notebooks: `notebook-died` in `data/signs/verdicts.toml`;
//! - Colab, Ray and containers killed for memory: `container-killed-for-memory` in `data/signs/limits.toml`;
//! - pytest and unittest: `tests-passed` in `data/signs/processes.toml`;
//! - workers in general: `worker-died` in `data/signs/verdicts.toml`.
//!
//! To add one: a module here, and its entries in the lists below.

mod celery;
pub(crate) mod colab;
mod console;
mod futures;
mod joblib;
pub(crate) mod jupyter;
mod keras;
pub(crate) mod launchers;
pub(crate) mod multiprocessing;
mod servers;
pub(crate) mod subprocess;
mod torch;

use crate::capture::PythonFrame;

/// A library's function that runs what a worker is given.
#[derive(Debug)]
pub(crate) struct Runner {
    /// The end of its file's path.
    file: &'static str,
    function: &'static str,
    /// A word that the whole path has, where its end is not telling enough.
    within: &'static str,
    /// What reports call such a worker.
    pub(crate) kind: &'static str,
}

const fn runner(file: &'static str, function: &'static str, kind: &'static str) -> Runner {
    Runner {
        file,
        function,
        within: "",
        kind,
    }
}

/// The more special first: a worker of a data loader is a `Process` as well.
const RUNNERS: [&[Runner]; 11] = [
    torch::LOADER_RUNNERS,
    keras::RUNNERS,
    joblib::RUNNERS,
    futures::RUNNERS,
    multiprocessing::POOL_RUNNERS,
    celery::RUNNERS,
    torch::SPAWN_RUNNERS,
    servers::RUNNERS,
    multiprocessing::PROCESS_RUNNERS,
    joblib::STARTERS,
    jupyter::RUNNERS,
];

/// Files of libraries that hand a task on.
const CARRIERS: [&[&str]; 7] = [
    multiprocessing::CARRIERS,
    futures::CARRIERS,
    joblib::CARRIERS,
    celery::CARRIERS,
    torch::CARRIERS,
    keras::CARRIERS,
    &["/functools.py"],
];

/// Words of those who fork workers, in paths and in lines.
const FORKERS: [&[&str]; 5] = [
    multiprocessing::FORKERS,
    futures::FORKERS,
    celery::FORKERS,
    servers::FORKERS,
    torch::FORKERS,
];

/// Beginnings of the names of files without a place on disk that a person typed nevertheless.
const TYPED: [&[&str]; 2] = [console::TYPED, jupyter::TYPED];

/// The function on a stack, innermost frame first, that makes its process a worker, and its place.
pub(crate) fn runner_in(frames: &[&PythonFrame]) -> Option<(&'static Runner, usize)> {
    RUNNERS.into_iter().flatten().find_map(|known| {
        let is_it = |frame: &&PythonFrame| {
            is_in(frame, known.file, known.function) && frame.file.contains(known.within)
        };
        // The outermost: what a task does with pools of its own is its own affair.
        frames.iter().rposition(is_it).map(|place| (known, place))
    })
}

/// Whether a file belongs to a library that only hands tasks on.
pub(crate) fn is_carrier(file: &str) -> bool {
    CARRIERS.into_iter().flatten().any(|it| file.contains(it))
}

/// Whether a path or a line names a library that forks workers.
pub(crate) fn names_forker(text: &str) -> bool {
    FORKERS.into_iter().flatten().any(|it| text.contains(it))
}

/// Whether a person typed the code of a file without a place on disk, at a prompt or into a cell.
pub(crate) fn is_typed(file: &str) -> bool {
    TYPED.into_iter().flatten().any(|it| file.starts_with(it))
}

/// The name of a worker that its library's own variables give it.
pub(crate) fn worker_name(frames: &[&PythonFrame]) -> Option<String> {
    torch::worker_name(frames).or_else(|| multiprocessing::worker_name(frames))
}

/// Whether the parent of a worker of this kind waits for something that the dead worker will never do: `Some(false)` if
/// it will notice the death, `None` if that is not known.
///
/// `frames` are those of the parent's first thread, innermost first; `lost_job` is the number of the job that the worker
/// of a pool had a task of.
pub(crate) fn waits_for_ever(
    kind: &str,
    frames: &[PythonFrame],
    lost_job: Option<&str>,
) -> Option<bool> {
    match kind {
        multiprocessing::POOL | keras::KIND => multiprocessing::waits_for_pool(frames, lost_job),
        // These watch their workers, and raise an exception.
        futures::KIND | torch::LOADER => Some(false),
        multiprocessing::PROCESS => multiprocessing::notices_death(frames),
        subprocess::KIND => subprocess::notices_death(frames),
        _ => None,
    }
}

/// Whether a file runs worker processes: its few frames, the outermost of a stack, know which worker it is.
pub fn runs_workers(file: &str) -> bool {
    file.contains("/multiprocessing/") || file.ends_with(torch::WORKER_FILE)
}

/// Whether a frame is of a function, in a file whose path ends so. Versions from 3.11 on give the class too:
/// `ApplyResult.get`.
fn is_in(frame: &PythonFrame, file: &str, function: &str) -> bool {
    let own_name = frame.function.rsplit('.').next().unwrap_or_default();
    own_name == function && in_file(frame, file)
}

/// Whether a frame is of a file whose path ends so, whole names only.
fn in_file(frame: &PythonFrame, file: &str) -> bool {
    frame
        .file
        .strip_suffix(file)
        .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// The text of a variable in the frame of a function.
fn variable<'a>(frames: &[&'a PythonFrame], function: &str, name: &str) -> Option<&'a str> {
    frames
        .iter()
        .filter(|frame| frame.function.rsplit('.').next() == Some(function))
        .flat_map(|frame| &frame.locals)
        .find(|local| local.name == name)
        .and_then(|local| local.value.text.as_deref())
}
