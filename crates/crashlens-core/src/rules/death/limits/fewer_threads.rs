//! What to do where threads are refused.

use crate::capture::ResourceUse;
use crate::facts::Facts;
use crate::remedy::{Again, ShellLine};
use crate::rule::{Remedy, Suspicion};

/// Adds fewer threads, and a higher limit with the present one.
pub(super) fn with_remedies(
    facts: &Facts<'_>,
    suspicion: Suspicion,
    full: Option<&ResourceUse>,
) -> Suspicion {
    let told = facts
        .sign("openblas-limit")
        .and_then(|sight| sight.group("soft"));
    let limit = full
        .and_then(|entry| entry.limit)
        .map(|limit| limit.to_string());
    let limit = limit.as_deref().or(told);
    let present = limit.map_or(String::new(), |limit| format!(", which is {limit}"));
    let raise = if full.is_some_and(|entry| entry.set_by.is_path()) {
        Remedy::new(format!("Raise the limit of the container{present}."))
            .command(ShellLine::anywhere("docker run --pids-limit=-1 IMAGE"))
    } else {
        Remedy::new(format!("Raise the limit of processes{present}."))
            .command(ShellLine::unix("ulimit -u \"$(ulimit -Hu)\""))
    };
    suspicion
        .remedy(
            Remedy::new("Start fewer threads.").command(
                Again::new()
                    .set("OMP_NUM_THREADS", "4")
                    .set("OPENBLAS_NUM_THREADS", "4")
                    .set("TF_NUM_INTRAOP_THREADS", "4")
                    .set("TF_NUM_INTEROP_THREADS", "2"),
            ),
        )
        .remedy(raise)
}
