use crate::book;
use crate::capture::{CrashCapture, EndingKind, Observed, Resource, ResourceUse, Signal};
use crate::cause::Cause;
use crate::diagnosis::{Confidence, weigh};
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;
use crate::pasted;
use crate::sample;

const REFUSED_THREAD: &str = "2024-01-02 03:04:05.000000: F external/local_tsl/tsl/platform/default/env.cc:74] Check \
                              failed: ret == 0 (11 vs. 0)Thread tf_Compute creation via pthread_create() failed.";

fn judged(rule: &str, capture: &CrashCapture) -> Option<(Cause, Confidence)> {
    let facts = Facts::new(capture, KnownIssues::built_in());
    let suspicion = book::find(rule).unwrap().suspect(&facts)?;
    Some((suspicion.cause, weigh(&suspicion.evidence)?))
}

fn limited(resource: Resource, used: u64, limit: u64) -> Observed<Vec<ResourceUse>> {
    Observed::Known(vec![ResourceUse {
        resource,
        set_by: "RLIMIT".to_owned().into(),
        used: Some(used),
        peak: None,
        limit: Some(limit),
        met: None,
    }])
}

fn aborted(stderr: &[&str]) -> CrashCapture {
    sample::capture(
        vec![sample::thread(1, vec![sample::native("abort")])],
        stderr,
    )
}

#[test]
fn a_thread_that_finds_no_room_for_its_stack_is_a_lack_of_memory() {
    let mut capture = aborted(&[REFUSED_THREAD]);
    let thread_limit = "thread-limit";
    let certain = Some((Cause::ThreadLimit, Confidence::Certain));
    assert_eq!(judged(thread_limit, &capture), certain);
    assert_eq!(judged("allocation-refused", &capture), None);

    capture.circumstances.resources = limited(Resource::AddressSpace, 795 << 20, 800 << 20);
    let likely = Some((Cause::ThreadLimit, Confidence::Likely));
    assert_eq!(judged(thread_limit, &capture), likely);
    let memory = Some((Cause::OutOfMemory, Confidence::Likely));
    assert_eq!(judged("allocation-refused", &capture), memory);
}

#[test]
fn the_words_of_another_process_prove_nothing_of_this_one() {
    let mut capture = aborted(&[REFUSED_THREAD]);
    capture.ending.signal = Some(Signal::SEGV);
    let possible = Some((Cause::ThreadLimit, Confidence::Possible));
    assert_eq!(judged("thread-limit", &capture), possible);
}

#[test]
fn a_kill_that_the_kernel_counted_is_for_memory() {
    let mut capture = aborted(&[]);
    capture.ending.signal = Some(Signal::KILL);
    assert_eq!(judged("out-of-memory", &capture), None);
    capture.ending.kind = EndingKind::OomKill;
    let certain = Some((Cause::OutOfMemory, Confidence::Certain));
    assert_eq!(judged("out-of-memory", &capture), certain);
}

#[test]
fn killed_alone_is_a_possibility_and_never_more() {
    let judge = |text: &str| {
        let capture = pasted::read(text.as_bytes()).unwrap();
        judged("killed-unrecorded", &capture).map(|(_, confidence)| confidence)
    };
    assert_eq!(judge("start\nKilled\n"), Some(Confidence::Possible));
    let filling = "Filling up shuffle buffer (this may take a while): 131 of 500\nKilled\n";
    assert_eq!(judge(filling), Some(Confidence::Likely));
    assert_eq!(judge("start\nSegmentation fault\n"), None);
}

#[test]
fn processor_time_that_is_left_kills_nobody() {
    let mut capture = aborted(&[]);
    capture.ending.signal = Some(Signal::KILL);
    capture.circumstances.resources = limited(Resource::CpuTime, 5, 60);
    assert_eq!(judged("cpu-limit", &capture), None);
    capture.circumstances.resources = limited(Resource::CpuTime, 60, 60);
    let certain = Some((Cause::CpuLimit, Confidence::Certain));
    assert_eq!(judged("cpu-limit", &capture), certain);
}

#[test]
fn what_was_refused_and_survived_is_only_possible() {
    let cases = [
        ("disk-full", "near/no-space-survived"),
        ("allocation-refused", "near/no-memory-survived"),
    ];
    for (rule, id) in cases {
        let judged = judged(rule, &fixtures::load(id));
        assert_eq!(judged.unwrap().1, Confidence::Possible, "{id}");
    }
}

#[test]
fn a_full_disk_is_likely_by_the_last_words_or_by_a_bus_error() {
    let line = "write error: No space left on device";
    for end in [
        "Bus error (core dumped)",
        "Segmentation fault (core dumped)",
    ] {
        let capture = pasted::read(format!("{line}\n{end}\n").as_bytes()).unwrap();
        let judged = judged("disk-full", &capture);
        assert_eq!(judged, Some((Cause::DiskFull, Confidence::Likely)), "{end}");
    }
}
