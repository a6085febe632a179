//! PyTorch's processes: workers of a `DataLoader`, and what `torch.multiprocessing.spawn` starts.

use super::{Runner, in_file, runner, variable};
use crate::capture::PythonFrame;

pub(super) const LOADER: &str = "torch DataLoader";
pub(super) const WORKER_FILE: &str = "/torch/utils/data/_utils/worker.py";

pub(super) const LOADER_RUNNERS: &[Runner] = &[runner(
    "torch/utils/data/_utils/worker.py",
    "_worker_loop",
    LOADER,
)];
pub(super) const SPAWN_RUNNERS: &[Runner] = &[runner(
    "torch/multiprocessing/spawn.py",
    "_wrap",
    "torch.multiprocessing",
)];
pub(super) const CARRIERS: &[&str] = &["/torch/utils/data/", "/torch/multiprocessing/"];
pub(super) const FORKERS: &[&str] = &["DataLoader"];

/// `worker 3`, by its number in the loader.
pub(super) fn worker_name(frames: &[&PythonFrame]) -> Option<String> {
    let is_loader = frames
        .iter()
        .any(|frame| in_file(frame, "torch/utils/data/_utils/worker.py"));
    let id = variable(frames, "_worker_loop", "worker_id").filter(|_| is_loader)?;
    Some(format!("worker {id}"))
}
