//! Limits of the machine and the container.

mod rules;
mod threads;

use crate::book::Family;
use crate::capture::Limit;
use crate::rule::Remedy;

pub(super) const FAMILY: Family = Family {
    title: "Limits",
    letters: "SYS",
    rules: rules::ALL,
};

/// Measured needs are in millions of bytes.
const MEGABYTE: u64 = 1_000_000;

/// How a soft limit is raised to `enough`: by anybody up to the hard one, beyond by the administrator only.
fn raise(limit: Option<&Limit>, option: &str, enough: u64) -> Remedy {
    match limit.and_then(|limit| limit.hard) {
        None => Remedy::new("Lift the limit in the shell that starts the program.")
            .command(format!("ulimit -S {option} unlimited")),
        Some(hard) if hard >= enough => {
            Remedy::new("Raise the limit up to the hard one, in the shell that starts the program.")
                .command(format!("ulimit -S {option} \"$(ulimit -H {option})\""))
        }
        Some(_) => Remedy::new(
            "Have the hard limit raised, which only the administrator or the batch system can.",
        ),
    }
}
