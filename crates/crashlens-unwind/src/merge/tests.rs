use crashlens_core::{Address, Frame, FrameTrust, NativeFrame, StackEnd};
use proptest::prelude::*;

use super::*;
use crate::python::Elision;

const EVAL: &str = "_PyEval_EvalFrameDefault";
const LIBPYTHON: &str = "/usr/lib/libpython3.11.so.1.0";

fn native(function: &str) -> NativeFrame {
    NativeFrame {
        address: Address(0x1000),
        library: Some("libpython3.11.so.1.0".to_owned()),
        path: Some(LIBPYTHON.to_owned()),
        module_offset: None,
        function: (!function.is_empty()).then(|| function.to_owned()),
        function_offset: None,
        source: None,
        inlined: false,
        trust: FrameTrust::CallFrameInfo,
    }
}

fn natives(functions: &[&str]) -> Vec<NativeFrame> {
    functions.iter().map(|function| native(function)).collect()
}

fn inlined(function: &str) -> NativeFrame {
    NativeFrame {
        inlined: true,
        ..native(function)
    }
}

/// Frames named by letters; a capital is an entry.
fn python(names: &str) -> PythonThread {
    let frame = |name: char| RawPythonFrame {
        file: "a.py".to_owned(),
        line: Some(1),
        function: name.to_string(),
        is_entry: name.is_uppercase(),
        evaluation: None,
        locals: Vec::new(),
    };
    PythonThread {
        thread: Some(1),
        holds_gil: None,
        frames: names.chars().map(frame).collect(),
        elided: None,
        end: StackEnd::Complete,
    }
}

/// The merged stack as words; what was not placed is in brackets.
fn words(merged: &[Frame]) -> String {
    let word = |frame: &Frame| match frame {
        Frame::Native(native) => native
            .function
            .clone()
            .unwrap_or_else(|| "?".to_owned())
            .replace(EVAL, "EVAL"),
        Frame::Python(python) if python.trust == FrameTrust::Unplaced => {
            format!("[{}]", python.function)
        }
        Frame::Python(python) => python.function.clone(),
    };
    merged.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn merged(functions: &[&str], frames: &str) -> String {
    words(&merge(
        natives(functions),
        &[],
        Some(&python(frames)),
        (3, 11),
    ))
}

#[test]
fn each_evaluation_runs_the_frames_up_to_its_entry() {
    assert_eq!(
        merged(&["read", EVAL, "sort", EVAL, "main"], "abCdE"),
        "read EVAL a b C sort EVAL d E main"
    );
}

#[test]
fn a_thread_without_python_keeps_its_frames() {
    assert_eq!(
        words(&merge(natives(&["a", "b"]), &[], None, (3, 11))),
        "a b"
    );
}

#[test]
fn an_inlined_evaluation_counts_once_with_the_function_around_it() {
    let frames = vec![
        native("read"),
        inlined(EVAL),
        native("PyEval_EvalCode"),
        native(EVAL),
        native("main"),
    ];
    let merged = merge(frames, &[], Some(&python("AB")), (3, 11));
    assert_eq!(words(&merged), "read EVAL PyEval_EvalCode A EVAL B main");
}

#[test]
fn the_wrapper_counts_only_where_it_is_the_evaluation() {
    let frames = || natives(&["read", EVAL, "PyEval_EvalFrameEx", "main"]);
    assert_eq!(
        words(&merge(frames(), &[], Some(&python("A")), (3, 8))),
        "read EVAL A PyEval_EvalFrameEx main"
    );
    assert_eq!(
        words(&merge(frames(), &[], Some(&python("A")), (2, 7))),
        "read EVAL PyEval_EvalFrameEx A main"
    );
}

#[test]
fn pieces_of_one_evaluation_count_once() {
    let cold = "_PyEval_EvalFrameDefault.cold";
    let part = "_PyEval_EvalFrameDefault.part.0";
    assert_eq!(
        merged(&["read", cold, "sort", EVAL], "AB"),
        "read EVAL.cold A sort EVAL B"
    );
    assert_eq!(
        merged(&["read", part, EVAL, EVAL], "AB"),
        "read EVAL.part.0 EVAL A EVAL B"
    );
    let tail_calls = [
        "read",
        "_TAIL_CALL_CALL",
        EVAL,
        "sort",
        "_TAIL_CALL_CALL_KW",
        EVAL,
    ];
    assert_eq!(
        merged(&tail_calls, "AB"),
        "read _TAIL_CALL_CALL EVAL A sort _TAIL_CALL_CALL_KW EVAL B"
    );
    assert_eq!(
        merged(&["_TAIL_CALL_CALL", "main"], "A"),
        "_TAIL_CALL_CALL A main"
    );
}

#[test]
fn an_evaluation_without_frames_does_not_take_those_of_its_caller() {
    assert_eq!(
        merged(&["free", EVAL, "sort", EVAL, "main"], "aB"),
        "free EVAL sort EVAL a B main"
    );
}

#[test]
fn frames_beyond_a_native_stack_that_ends_early_are_appended() {
    assert_eq!(
        merged(&["read", EVAL, "sort"], "AbC"),
        "read EVAL A sort [b] [C]"
    );
    assert_eq!(merged(&[], "aB"), "[a] [B]");
}

#[test]
fn unnamed_frames_are_evaluations_when_their_number_fits() {
    assert_eq!(
        merged(&["read", "", "sort", EVAL, "main"], "AB"),
        "read ? A sort EVAL B main"
    );
    assert_eq!(
        merged(&["read", "", "", EVAL, "main"], "AB"),
        "read [A] [B] ? ? EVAL main"
    );
}

#[test]
fn without_any_evaluation_frames_follow_the_innermost_of_the_interpreter() {
    let mut frames = natives(&["read", "PyObject_Call", "Py_RunMain"]);
    frames[0].path = Some("/lib/libc.so.6".to_owned());
    frames[0].library = Some("libc.so.6".to_owned());
    assert_eq!(
        words(&merge(frames, &[], Some(&python("aB")), (3, 11))),
        "read PyObject_Call [a] [B] Py_RunMain"
    );
}

#[test]
fn stack_addresses_find_evaluations_that_have_no_name() {
    let mut python = python("aBCD");
    // The evaluation at 0x310 has no Python frame any more.
    for (index, address) in [(1, 0x150), (2, 0x420), (3, 0x9000)] {
        python.frames[index].evaluation = Some(Address(address));
    }
    let frames = natives(&["read", "", "", "", "", "main"]);
    let stack_pointers = [0x80, 0x100, 0x200, 0x300, 0x400, 0x500];
    let merged = merge(frames, &stack_pointers, Some(&python), (3, 12));
    assert_eq!(words(&merged), "read ? a B ? ? ? C main [D]");
}

#[test]
fn a_signal_handler_on_its_own_stack_does_not_hide_evaluations() {
    let mut python = python("AB");
    python.frames[0].evaluation = Some(Address(0x7150));
    python.frames[1].evaluation = Some(Address(0x7250));
    let stack_pointers = [0x9000, 0x9100, 0x7000, 0x7100, 0x7200, 0x7300];
    let frames = natives(&["raise", "handler", "read", "", "", "main"]);
    assert_eq!(
        words(&merge(frames, &stack_pointers, Some(&python), (3, 12))),
        "raise handler read ? A ? B main"
    );
}

#[test]
fn frames_that_were_left_out_keep_their_evaluations() {
    let mut python = python("ABCD");
    python.elided = Some(Elision {
        after: 2,
        frames: 2,
        entries: 2,
    });
    let frames = natives(&[EVAL, EVAL, EVAL, EVAL, EVAL, EVAL]);
    assert_eq!(
        words(&merge(frames, &[], Some(&python), (3, 8))),
        "EVAL A EVAL B EVAL EVAL EVAL C EVAL D"
    );
}

fn any_native() -> impl Strategy<Value = NativeFrame> {
    let names = [
        "",
        EVAL,
        "sort",
        "_PyEval_EvalFrameDefault.part.0",
        "_TAIL_CALL_CALL",
        "PyEval_EvalFrameEx",
    ];
    (
        prop::sample::select(names.to_vec()),
        any::<bool>(),
        any::<bool>(),
        any::<u64>(),
    )
        .prop_map(|(name, inlined, elsewhere, address)| NativeFrame {
            address: Address(address),
            inlined,
            path: (!elsewhere).then(|| LIBPYTHON.to_owned()),
            ..native(name)
        })
}

fn any_python() -> impl Strategy<Value = PythonThread> {
    let frame = (any::<bool>(), prop::option::of(0_u64..5000), any::<u32>());
    let elided = prop::option::of((0_usize..12, 0_usize..9));
    (prop::collection::vec(frame, 0..10), elided, any::<bool>()).prop_map(
        |(frames, elided, complete)| {
            let frames = frames
                .into_iter()
                .map(|(is_entry, evaluation, line)| RawPythonFrame {
                    file: "a.py".to_owned(),
                    line: Some(line),
                    function: "f".to_owned(),
                    is_entry,
                    evaluation: evaluation.map(Address),
                    locals: Vec::new(),
                });
            PythonThread {
                thread: None,
                holds_gil: None,
                frames: frames.collect(),
                elided: elided.map(|(after, entries)| Elision {
                    after,
                    frames: entries,
                    entries,
                }),
                end: if complete {
                    StackEnd::Complete
                } else {
                    StackEnd::Loop
                },
            }
        },
    )
}

proptest! {
    #[test]
    fn no_frame_is_lost_and_each_list_keeps_its_order(
        native in prop::collection::vec(any_native(), 0..16),
        stack_pointers in prop::collection::vec(0_u64..5000, 0..16),
        python in any_python(),
        major in 2_u8..=3,
    ) {
        let merged = merge(native.clone(), &stack_pointers, Some(&python), (major, 7));
        let (mut natives, mut lines) = (Vec::new(), Vec::new());
        for frame in merged {
            match frame {
                Frame::Native(native) => natives.push(native),
                Frame::Python(python) => lines.push(python.line),
            }
        }
        prop_assert_eq!(natives, native);
        prop_assert_eq!(lines, python.frames.iter().map(|frame| frame.line).collect::<Vec<_>>());
    }
}
