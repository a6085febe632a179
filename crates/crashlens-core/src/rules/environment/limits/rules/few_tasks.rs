//! Fewer threads may be started than TensorFlow starts on so many processors.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::{Again, ShellLine};
use crate::rule::Remedy;
use crate::rules::environment::limits::raise;
use crate::rules::environment::limits::threads::{self, with_first_operation};
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "SYS003",
    name: "few-tasks",
    summary: "The limit of threads or processes is below what one TensorFlow process starts on this machine.",
    causes: &[Cause::ThreadLimit],
    since: "0.1.0",
    doc: include_str!("few_tasks.md"),
    judge: Judge::Environment(judge),
};

/// Compilers, loggers and iterators start as many more, most of them for a moment.
const OF_TRAINING: u64 = 6;
/// And `tf.data` for each processor, one pool ending while the next begins.
const OF_DATA: u64 = 2;

/// A limit of tasks.
struct Room {
    left: u64,
    words: String,
    fact: FactRef,
    remedy: Remedy,
}

fn judge(survey: &Survey) -> Look {
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let Some(cores) = threads::cores(survey) else {
        return Look::nothing().blind_to("processors", &survey.machine.cores, &survey.gaps);
    };
    let machine = &survey.machine;
    let first = with_first_operation(survey, cores);
    let of_data = cores.saturating_mul(OF_DATA);
    let training = first.saturating_add(of_data).saturating_add(OF_TRAINING);
    let look = Look::at(format!("{training} threads on {cores} processors"))
        .blind_to("control group of tasks", &machine.task_group, &survey.gaps)
        .blind_to("tasks of the user", &machine.user_tasks, &survey.gaps);
    let rooms = [of_group(survey), of_user(survey)].into_iter().flatten();
    let hazards = rooms.filter(|room| room.left < training).map(|room| {
        let (severity, need) = if room.left < first {
            (Severity::WillFail, format!("{first} with its first operation"))
        } else {
            (Severity::CanCrash, format!("up to {training} while it reads data and trains"))
        };
        let headline = format!(
            "{} more threads may be started here, and TensorFlow on {cores} processors has {need}",
            room.left
        );
        Hazard::new(severity, Cause::ThreadLimit, headline)
            .because(room.fact, room.words)
            .because(
                FactRef::Host { field: "cores".to_owned() },
                format!("TensorFlow may run on {cores} processors and counts its threads by them; refused one, it ends the process with SIGABRT."),
            )
            .unless("the program is started elsewhere, or other programs in the same group end before")
            .package(tensorflow.package())
            .remedy(fewer())
            .remedy(room.remedy)
    });
    look.found_all(hazards)
}

fn of_group(survey: &Survey) -> Option<Room> {
    let group = survey.machine.task_group.known()?;
    let (limit, current) = (group.limit?, group.current.unwrap_or(0));
    Some(Room {
        left: limit.saturating_sub(current),
        words: format!("The control group allows {limit} tasks and has {current}."),
        fact: FactRef::Host { field: "task_group".to_owned() },
        remedy: Remedy::new("Raise the limit of the container (pids-limit of docker and podman, podPidsLimit of Kubernetes, TasksMax= of systemd).")
            .command(ShellLine::anywhere("docker run --pids-limit=-1 IMAGE")),
    })
}

fn of_user(survey: &Survey) -> Option<Room> {
    let name = "Max processes";
    let limit = survey.limit(name)?.soft?;
    let current = *survey.machine.user_tasks.known()?;
    Some(Room {
        left: limit.saturating_sub(current),
        words: format!("RLIMIT_NPROC is {limit}, and this user has {current} tasks."),
        fact: FactRef::Limit {
            name: name.to_owned(),
        },
        remedy: raise(survey.limit(name), "-u", limit.saturating_add(1)),
    })
}

fn fewer() -> Remedy {
    Remedy::new("Let it start fewer threads.").command(
        Again::new()
            .set("OPENBLAS_NUM_THREADS", "1")
            .set("TF_NUM_INTRAOP_THREADS", "1")
            .set("TF_NUM_INTEROP_THREADS", "1"),
    )
}
