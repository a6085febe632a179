//! joblib, by way of loky.

use super::{Runner, runner};

const KIND: &str = "joblib";

pub(super) const RUNNERS: &[Runner] =
    &[runner("loky/process_executor.py", "_process_worker", KIND)];
/// A process that has no task yet.
pub(super) const STARTERS: &[Runner] =
    &[runner("loky/backend/popen_loky_posix.py", "<module>", KIND)];
pub(super) const CARRIERS: &[&str] = &["/loky/", "/joblib/"];
