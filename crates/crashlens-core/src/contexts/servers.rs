//! Web servers that run an application in several processes.

use super::{Runner, runner};

pub(super) const RUNNERS: &[Runner] = &[
    runner("uvicorn/_subprocess.py", "subprocess_started", "uvicorn"),
    runner("gunicorn/arbiter.py", "spawn_worker", "gunicorn"),
];
pub(super) const FORKERS: &[&str] = &["gunicorn", "uwsgi"];
