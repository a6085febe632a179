//! Which worker a stack is of.

use super::{in_file, is_in};
use crate::capture::{PythonFrame, Value, Variable, Worker};
use crate::culprit::{CodeOwner, owner};

/// Characters of a task, and of one of its arguments.
const LONGEST_TASK: usize = 200;
const LONGEST_ARGUMENT: usize = 48;
/// Arguments that are told.
const MOST_ARGUMENTS: usize = 8;
/// A longer name of a process is none that anybody gave.
const LONGEST_NAME: usize = 100;

/// A library's function that runs what a worker is given.
struct Machinery {
    file: &'static str,
    function: &'static str,
    kind: &'static str,
}

const fn machinery(file: &'static str, function: &'static str, kind: &'static str) -> Machinery {
    Machinery {
        file,
        function,
        kind,
    }
}

pub(super) const POOL: &str = "multiprocessing.Pool";
pub(super) const PROCESS: &str = "multiprocessing.Process";
pub(super) const FUTURES: &str = "concurrent.futures";
pub(super) const TORCH_LOADER: &str = "torch DataLoader";
pub(super) const PROGRAM: &str = "subprocess";
pub(super) const KERAS: &str = "Keras";
const BILLIARD: &str = "billiard (Celery)";
const JOBLIB: &str = "joblib";

/// The more special first: a worker of a data loader is a `Process` as well.
const KNOWN: [Machinery; 18] = [
    machinery(
        "torch/utils/data/_utils/worker.py",
        "_worker_loop",
        TORCH_LOADER,
    ),
    machinery("utils/data_utils.py", "get_index", KERAS),
    machinery("utils/data_utils.py", "next_sample", KERAS),
    machinery("data_adapters/py_dataset_adapter.py", "get_index", KERAS),
    machinery("loky/process_executor.py", "_process_worker", JOBLIB),
    machinery("concurrent/futures/process.py", "_process_worker", FUTURES),
    machinery("multiprocessing/pool.py", "worker", POOL),
    machinery("multiprocess/pool.py", "worker", POOL),
    machinery("billiard/pool.py", "workloop", BILLIARD),
    machinery("billiard/process.py", "_bootstrap", BILLIARD),
    machinery(
        "torch/multiprocessing/spawn.py",
        "_wrap",
        "torch.multiprocessing",
    ),
    machinery("uvicorn/_subprocess.py", "subprocess_started", "uvicorn"),
    machinery("gunicorn/arbiter.py", "spawn_worker", "gunicorn"),
    machinery("multiprocessing/process.py", "_bootstrap", PROCESS),
    machinery("multiprocess/process.py", "_bootstrap", PROCESS),
    machinery("loky/backend/popen_loky_posix.py", "<module>", JOBLIB),
    machinery("ipykernel_launcher.py", "<module>", "Jupyter kernel"),
    machinery("ipykernel/kernelapp.py", "start", "Jupyter kernel"),
];

/// Files of libraries that hand a task on.
const CARRIERS: [&str; 12] = [
    "/multiprocessing/",
    "/multiprocess/",
    "/concurrent/futures/",
    "/loky/",
    "/joblib/",
    "/billiard/",
    "/celery/",
    "/torch/utils/data/",
    "/torch/multiprocessing/",
    "/utils/data_utils.py",
    "/py_dataset_adapter.py",
    "/functools.py",
];

/// The worker that `frames`, innermost first, are of.
pub(super) fn recognise(frames: &[&PythonFrame]) -> Option<Worker> {
    let (known, place) = find(frames)?;
    Some(Worker {
        kind: known.kind.to_owned(),
        name: name(frames),
        task: task(frames, place).map(describe),
    })
}

/// Number of the job of which the worker of a pool had a task.
pub(super) fn job<'a>(frames: &[&'a PythonFrame]) -> Option<&'a str> {
    let place = frames
        .iter()
        .rposition(|frame| is_in(frame, "multiprocessing/pool.py", "worker"))?;
    // One that has no task waits in the pool's queue, and still has the number of the last.
    let inner = frames.get(..place)?;
    let waits = inner
        .iter()
        .any(|frame| is_in(frame, "multiprocessing/queues.py", "get"));
    let job = frames
        .get(place)?
        .locals
        .iter()
        .find(|local| local.name == "job")?;
    job.value.text.as_deref().filter(|_| !waits)
}

/// A Python program that another one started.
pub(super) fn program() -> Worker {
    Worker {
        kind: PROGRAM.to_owned(),
        name: None,
        task: None,
    }
}

fn find(frames: &[&PythonFrame]) -> Option<(&'static Machinery, usize)> {
    KNOWN.iter().find_map(|known| {
        let is_it = |frame: &&PythonFrame| {
            is_in(frame, known.file, known.function)
                && (known.kind != KERAS || frame.file.contains("keras"))
        };
        // The outermost: what a task does with pools of its own is its own affair.
        frames.iter().rposition(is_it).map(|place| (known, place))
    })
}

/// The outermost function inside of the machinery at `place` that is the user's own, or at least nobody's who only
/// hands tasks on.
fn task<'a>(frames: &[&'a PythonFrame], place: usize) -> Option<&'a PythonFrame> {
    let inner = || frames.get(..place).unwrap_or_default().iter().rev();
    let is_own =
        |frame: &&&PythonFrame| matches!(owner(&frame.file), CodeOwner::User | CodeOwner::Text);
    let is_carried =
        |frame: &&&PythonFrame| !CARRIERS.iter().any(|carrier| frame.file.contains(carrier));
    inner()
        .find(is_own)
        .or_else(|| inner().find(is_carried))
        .copied()
        .filter(|frame| frame.function != "<module>")
}

/// `decode(path='7.png', scale=2)`: the function, with its arguments as far as they are known.
fn describe(frame: &PythonFrame) -> String {
    let arguments: Vec<String> = frame
        .locals
        .iter()
        .filter(|variable| variable.argument && variable.name != "self")
        .take(MOST_ARGUMENTS)
        .map(argument)
        .collect();
    let name = frame
        .function
        .rsplit("<locals>.")
        .next()
        .unwrap_or_default();
    clip(&format!("{name}({})", arguments.join(", ")), LONGEST_TASK)
}

fn argument(variable: &Variable) -> String {
    format!("{}={}", variable.name, in_short(&variable.value))
}

fn in_short(value: &Value) -> String {
    match (&value.text, &value.array) {
        (Some(text), _) => clip(text, LONGEST_ARGUMENT),
        (None, Some(array)) => {
            let extents = array.shape.iter().flatten();
            let extents: Vec<String> = extents
                .map(|extent| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string()))
                .collect();
            let dtype = array.dtype.as_deref().unwrap_or(&value.type_name);
            clip(
                &format!("{dtype}[{}]", extents.join(", ")),
                LONGEST_ARGUMENT,
            )
        }
        (None, None) => clip(&format!("<{}>", value.type_name), LONGEST_ARGUMENT),
    }
}

/// The name that Python has for the process: in the process object, in what a spawned process was prepared with, or
/// as the number of a data loader's worker.
fn name(frames: &[&PythonFrame]) -> Option<String> {
    let text_of = |function: &str, variable: &str| {
        frames
            .iter()
            .filter(|frame| frame.function.rsplit('.').next() == Some(function))
            .flat_map(|frame| &frame.locals)
            .find(|local| local.name == variable)
            .and_then(|local| local.value.text.as_deref())
    };
    let object = text_of("_bootstrap", "self").and_then(|text| quoted_after(text, "name="));
    let prepared =
        || text_of("_main", "preparation_data").and_then(|text| quoted_after(text, "'name': "));
    let loader = || {
        let is_loader = frames
            .iter()
            .any(|frame| in_file(frame, "torch/utils/data/_utils/worker.py"));
        let id = text_of("_worker_loop", "worker_id").filter(|_| is_loader)?;
        Some(format!("worker {id}"))
    };
    loader().or(object).or_else(prepared)
}

/// The text in single quotes that follows `label`.
fn quoted_after(text: &str, label: &str) -> Option<String> {
    let (_, rest) = text.split_once(label)?;
    let (name, _) = rest.strip_prefix('\'')?.split_once('\'')?;
    (!name.is_empty() && name.len() <= LONGEST_NAME).then(|| name.to_owned())
}

fn clip(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(longest.saturating_sub(1)).collect();
    short.push('…');
    short
}
