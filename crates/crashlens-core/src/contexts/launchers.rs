//! Launchers and log collectors: what they put around the lines of the programs they run.

use std::sync::LazyLock;

use regex::Regex;

use crate::embedded;

/// What launchers and log collectors put before a line: torchrun, Ray, Kubernetes and
/// Docker with their times, Docker Compose, a reply that quotes.
pub(crate) static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(concat!(
        r"^(?:",
        r"\[(?:default|rank) ?\d+\]:? ?",
        r"|\((?:[\w.]+ )?pid=\d+(?:, ip=[\d.]+)?\) ",
        r"|\[pod/[^\]\s]+\] ",
        r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) (?:std(?:err|out) [FP] )?",
        r"|[A-Za-z0-9][\w.-]*[-_]\d+ +\| ?",
        r"|> (?:> )*",
        r")",
    ))
});

/// What Open MPI puts before a line with `--tag-output`.
pub(crate) static RANK: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"\[\d+,\d+\]<std(?:err|out|diag)>:? ?"));

/// A line of Docker's log files.
pub(crate) static JSON_LOG: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r#"^\{"log":("(?:[^"\\]|\\.)*"),"stream":"std(?:err|out)""#));
