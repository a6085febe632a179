use crate::book;
use crate::capture::{CrashCapture, Lineage, Observed, Origin, PythonRuntime, Signal};
use crate::diagnosis::{Confidence, weigh};
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;
use crate::sample::{self, native, python, thread};

fn judged(rule: &str, capture: &CrashCapture) -> Option<Confidence> {
    let facts = Facts::new(capture, KnownIssues::built_in());
    weigh(&book::find(rule).unwrap().suspect(&facts)?.evidence)
}

fn leaving(frames: &[&str], stderr: &[&str]) -> CrashCapture {
    let frames = frames.iter().map(|name| native(name)).collect();
    let mut capture = sample::capture(vec![thread(1, frames)], stderr);
    capture.ending.signal = Some(Signal::SEGV);
    capture.environment.python = Observed::Known(PythonRuntime {
        version: "3.11.7".to_owned(),
        library: "libpython3.11.so.1.0".to_owned(),
        shared: true,
        stripped: false,
        finalizing: Some(true),
    });
    capture
}

#[test]
fn a_destructor_that_fails_at_exit_is_certain() {
    let capture = leaving(&["Stats::~Stats()", "__run_exit_handlers", "exit"], &[]);
    assert_eq!(judged("teardown", &capture), Some(Confidence::Certain));
}

#[test]
fn damage_of_the_heap_that_shows_at_exit_may_be_old() {
    let frames = ["abort", "_int_free", "end", "__run_exit_handlers", "exit"];
    let mut capture = leaving(&frames, &["double free or corruption (out)"]);
    capture.ending.signal = Some(Signal::ABRT);
    assert_eq!(judged("teardown", &capture), Some(Confidence::Possible));
}

#[test]
fn a_thread_that_works_while_the_first_one_waits_is_not_leaving() {
    let worker = thread(2, vec![native("matmul")]);
    let waiting = vec![
        native("pthread_cond_wait"),
        python(
            "/usr/lib/python3.11/threading.py",
            "_shutdown",
            "lock.acquire()",
        ),
        native("Py_FinalizeEx"),
    ];
    let mut capture = leaving(&[], &[]);
    capture.threads = sample::capture(vec![worker, thread(1, waiting)], &[]).threads;
    capture.crashed_thread = Some(2);
    if let Observed::Known(python) = &mut capture.environment.python {
        python.finalizing = Some(false);
    }
    assert_eq!(judged("teardown", &capture), None);
}

#[test]
fn grpc_is_blamed_in_a_forked_child_and_not_in_a_program_of_its_own() {
    let frames = vec![
        native("grpc_core::LockfreeEvent::SetReady()"),
        native("cq_next"),
    ];
    let mut capture = sample::capture(vec![thread(1, frames)], &[]);
    capture.ending.signal = Some(Signal::SEGV);
    let mut judge = |origin| {
        capture.circumstances.lineage = Observed::Known(Lineage::new(origin));
        judged("fork-misuse", &capture)
    };
    assert_eq!(judge(Origin::Forked), Some(Confidence::Likely));
    assert_eq!(judge(Origin::Started), None);
}

#[test]
fn an_op_that_fails_in_a_forked_child_fails_anywhere() {
    let frames = vec![
        native("tensorflow::QuantizedMatMulOp<int>::Compute(tensorflow::OpKernelContext*)"),
        native("tensorflow::ProcessFunctionLibraryRuntime::RunSync()"),
    ];
    let mut capture = sample::capture(vec![thread(1, frames)], &[]);
    capture.ending.signal = Some(Signal::SEGV);
    capture.circumstances.lineage = Observed::Known(Lineage {
        tensorflow_threads_at_fork: Some(8),
        ..Lineage::new(Origin::Forked)
    });
    assert_eq!(judged("fork-misuse", &capture), None);
}

#[test]
fn the_lock_of_the_interpreter_is_named_by_the_interpreter() {
    let words = "Fatal Python error: PyThreadState_Get: the function must be called with the GIL held, but the GIL is released";
    let mut capture = sample::capture(vec![thread(1, vec![native("abort")])], &[words]);
    assert_eq!(
        judged("interpreter-misuse", &capture),
        Some(Confidence::Certain)
    );
    capture.ending.signal = Some(Signal::SEGV);
    assert_eq!(judged("interpreter-misuse", &capture), None);
}

#[test]
fn what_other_deaths_show_as_well_is_only_possible() {
    let cases = [
        ("fork-misuse", "near/grpc-without-a-fork"),
        ("thread-unsafe-library", "near/h5py-one-thread"),
        ("hardware", "near/machine-check-at-boot"),
    ];
    for (rule, id) in cases {
        let confidence = judged(rule, &fixtures::load(id));
        assert_eq!(confidence, Some(Confidence::Possible), "{id}");
    }
}

#[test]
fn two_threads_in_hdf5_are_seen_in_their_python_frames() {
    let mut capture = fixtures::load("near/h5py-one-thread");
    let mut other = capture.threads[0].clone();
    other.id += 1;
    other.crashed = false;
    capture.threads.push(other);
    assert_eq!(
        judged("thread-unsafe-library", &capture),
        Some(Confidence::Likely)
    );
}

#[test]
fn a_lost_thread_state_is_the_fault_of_one_of_two() {
    let capture = fixtures::load("near/no-thread-state-importing");
    let rule = "interpreter-misuse";
    assert_eq!(judged(rule, &capture), Some(Confidence::Likely));
    let facts = Facts::new(&capture, KnownIssues::built_in());
    let headline = book::find(rule).unwrap().suspect(&facts).unwrap().headline;
    assert!(headline.contains("another Python"), "{headline}");
}
