//! `concurrent.futures`, whose pools of processes notice a death and raise `BrokenProcessPool`.

use super::{Runner, runner};

pub(super) const KIND: &str = "concurrent.futures";

pub(super) const RUNNERS: &[Runner] = &[runner(
    "concurrent/futures/process.py",
    "_process_worker",
    KIND,
)];
pub(super) const CARRIERS: &[&str] = &["/concurrent/futures/"];
pub(super) const FORKERS: &[&str] = &["concurrent/futures/process"];
