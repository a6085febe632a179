use super::*;
use crate::fixtures;

fn resource(resource: Resource, set_by: &str, used: u64, limit: u64) -> ResourceUse {
    ResourceUse {
        resource,
        set_by: set_by.to_owned().into(),
        used: Some(used),
        peak: None,
        limit: Some(limit),
        met: None,
    }
}

#[test]
fn a_death_tells_the_limits_that_the_process_had() {
    let mut capture = fixtures::load("captures/bus-shm-full-2.15.1");
    let own = capture.threads.len() as u64;
    assert!(own > 0);
    capture.circumstances.resources = Observed::Known(vec![
        resource(Resource::SharedMemory, "/dev/shm", 3, 4),
        resource(Resource::Threads, "/pod/inner", own + 2, 100),
        resource(Resource::Threads, "/pod", own + 90, 120),
        resource(Resource::Threads, "RLIMIT_NPROC", own + 7, 50),
    ]);
    capture.host.kernel = Observed::Known("Linux 6.1.0-18-amd64 x86_64".into());
    let mut gaps = Gaps::default();
    let machine = Machine::of_death(&capture, &mut gaps);
    assert_eq!(machine.limits.known(), capture.environment.limits.known());
    assert_eq!(machine.cpu_model.known(), capture.host.cpu_model.known());
    assert_eq!(machine.architecture, Observed::Known("x86-64".into()));
    let shared = machine.shared_memory.known().unwrap();
    assert_eq!((shared.size, shared.free), (4, 1));
    let narrowest = TaskGroup {
        limit: Some(120),
        current: Some(90),
    };
    assert_eq!(machine.task_group, Observed::Known(narrowest));
    assert_eq!(machine.user_tasks, Observed::Known(7));
    assert!(machine.cores.is_unknown(), "nobody noted it");
}

#[test]
fn what_could_not_be_seen_of_a_death_keeps_its_reason() {
    let mut capture = fixtures::load("captures/bus-shm-full-2.15.1");
    let gap = capture.gaps.add("resource limits", "no such process", None);
    capture.environment.limits = Observed::Unknown(gap);
    let mut gaps = Gaps::default();
    gaps.add("something else", "before", None);
    let machine = Machine::of_death(&capture, &mut gaps);
    let Observed::Unknown(id) = machine.limits else {
        panic!("{:?}", machine.limits);
    };
    assert_eq!(gaps.0[id.0].reason, "no such process");
}
