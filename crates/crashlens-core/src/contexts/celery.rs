//! Celery, which runs tasks by billiard, its own `multiprocessing`.

use super::{Runner, runner};

const KIND: &str = "billiard (Celery)";

pub(super) const RUNNERS: &[Runner] = &[
    runner("billiard/pool.py", "workloop", KIND),
    runner("billiard/process.py", "_bootstrap", KIND),
];
pub(super) const CARRIERS: &[&str] = &["/billiard/", "/celery/"];
pub(super) const FORKERS: &[&str] = &["celery", "billiard"];
