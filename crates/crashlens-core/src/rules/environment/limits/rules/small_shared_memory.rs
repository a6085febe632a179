//! `/dev/shm` is smaller than what worker processes of PyTorch pass through it.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::bytes;
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::Remedy;
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "SYS005",
    name: "small-shared-memory",
    summary: "`/dev/shm` has 64 MiB or less, which is too small for PyTorch's DataLoader workers.",
    causes: &[Cause::SharedMemoryFull],
    since: "0.1.0",
    doc: include_str!("small_shared_memory.md"),
    judge: Judge::Environment(judge),
};

/// What docker gives. Two workers with the usual two batches in advance fill it with 16 MB a batch.
const TOO_SMALL: u64 = 64 << 20;

/// Packages whose workers hand over data in shared memory files.
const USERS: [&str; 1] = ["torch"];

fn judge(survey: &Survey) -> Look {
    let Some(user) = USERS.iter().find_map(|name| survey.distribution(name)) else {
        return Look::nothing();
    };
    let machine = &survey.machine;
    let look = Look::at("/dev/shm").blind_to("/dev/shm", &machine.shared_memory, &survey.gaps);
    let Some(found) = machine
        .shared_memory
        .known()
        .filter(|it| it.free <= TOO_SMALL)
    else {
        return look;
    };
    let (size, free) = (bytes(found.size), bytes(found.free));
    let room = if found.size <= TOO_SMALL {
        format!("/dev/shm has {size}")
    } else {
        format!("/dev/shm has only {free} of {size} left")
    };
    let headline = format!(
        "{room}, and {} {} passes every batch of a DataLoader with workers through it",
        user.name, user.version
    );
    let mut hazard = Hazard::new(Severity::CanCrash, Cause::SharedMemoryFull, headline)
        .because(
            FactRef::Host { field: "shared_memory".to_owned() },
            format!("/dev/shm has {size}, of which {free} are free; a file that needs more ends the program with an error or SIGBUS."),
        )
        .because(
            FactRef::Package { name: user.name.clone() },
            format!("{} {} is installed.", user.name, user.version),
        )
        .unless("no DataLoader has workers (num_workers=0), or the batches are small")
        .package(user.package())
        .file("/dev/shm");
    if let Some(container) = machine.container.known() {
        let claim = format!(
            "This is a container ({container}); docker gives 64 MiB unless it is told otherwise."
        );
        hazard = hazard.because(
            FactRef::Host {
                field: "container".to_owned(),
            },
            claim,
        );
        hazard = hazard.remedy(
            Remedy::new("Start the container with more shared memory.")
                .command(ShellLine::anywhere("docker run --shm-size=2g IMAGE")),
        );
    }
    if found.size > TOO_SMALL {
        hazard = hazard.remedy(
            Remedy::new("See what fills it; files of programs that have died stay there until somebody deletes them.")
                .command("ls -lS /dev/shm"),
        );
    }
    look.found(hazard.remedy(Remedy::new(
        "Let the program load its data itself (num_workers=0), or make batches smaller.",
    )))
}
