//! System calls that fail: a gap, never a lost capture, a changed status or a program that hangs.

use crashlens_core::Signal;

use crate::support::{Finished, Supervised};

fn run_failing(call: &str, n: &str, errno: i32, program: &str) -> Finished {
    let errno = errno.to_string();
    Supervised::new(["fail", call, n, &errno, "run", "/bin/sh", "-c", program]).finish()
}

const CRASH: &str = "kill -SEGV $$";
const CRASHING_CHILD: &str = "/bin/sh -c 'kill -SEGV $$'; echo $?; exit 6";

#[test]
fn any_one_call_that_fails_costs_no_capture() {
    let calls = [
        "interrupt",
        "resume",
        "registers",
        "signal-record",
        "event-message",
        "wait",
        "read-memory",
        "open",
    ];
    for call in calls {
        for n in 1..=6 {
            let finished = run_failing(call, &n.to_string(), libc::EIO, CRASH);
            assert_eq!(finished.code, Some(139), "{call} {n}");
            let death = finished.death();
            assert_eq!(death.ending.signal, Some(Signal::SEGV), "{call} {n}");
            assert!(!death.threads.is_empty(), "{call} {n}");
        }
    }
}

#[test]
fn a_call_that_fails_for_good_is_named_as_a_gap() {
    for (call, gap) in [
        ("registers", "registers"),
        ("signal-record", "code and address"),
    ] {
        let finished = run_failing(call, "1+", libc::EIO, CRASH);
        let gaps = &finished.death().gaps.0;
        assert!(
            gaps.iter().any(|known| known.part.contains(gap)),
            "{call}: {gaps:?}"
        );
    }
}

#[test]
fn a_tracee_that_cannot_be_resumed_is_let_go_and_the_run_goes_on() {
    for n in ["1+", "3+", "5+", "8+"] {
        let finished = run_failing("resume", n, libc::EIO, CRASHING_CHILD);
        assert_eq!(
            (finished.code, finished.stdout.as_str()),
            (Some(6), "139\n"),
            "{n}"
        );
        assert!(!finished.gaps().is_empty(), "{n}");
    }
}

#[test]
fn without_proc_the_death_is_still_captured() {
    let finished = run_failing("open", "1+", libc::EACCES, CRASH);
    assert_eq!(finished.code, Some(139));
    assert_eq!(finished.death().ending.signal, Some(Signal::SEGV));
}

#[test]
fn without_the_quick_way_to_memory_the_slow_one_gives_the_same_stack() {
    let functions = |finished: &Finished| {
        let frames = finished.death().threads[0].frames.clone();
        frames
            .into_iter()
            .map(|frame| serde_json::to_value(frame).unwrap()["function"].clone())
            .collect::<Vec<_>>()
    };
    let slow = run_failing("read-memory", "1+", libc::ENOSYS, CRASH);
    assert_eq!(
        functions(&slow),
        functions(&crate::support::run_shell(CRASH))
    );
}

#[test]
fn a_kernel_that_tells_nothing_is_our_own_failure() {
    // Every child of the shell is waited for: the fifth wait is sure to come, however many events one wait brings.
    let children = "for child in 1 2 3 4 5; do /bin/true; done; exit 3";
    let finished = run_failing("wait", "5+", libc::EIO, children);
    assert_eq!(finished.code, Some(125));
    assert!(
        finished.failed.unwrap()["error"]
            .as_str()
            .unwrap()
            .contains("cannot wait")
    );
}
