use super::{Reader, disassemble};
use crate::fuzzing::examine_bytes;
use crate::{Options, Purpose};
use crashlens_core::files::{FileFacts, FlawKind};

fn callables(bytes: &[u8]) -> Vec<String> {
    let program = disassemble(&mut &*bytes, Reader::Python).expect("bytes in memory");
    assert_eq!(program.fault, None);
    program.callables.into_iter().map(|it| it.name).collect()
}

fn fault(bytes: &[u8]) -> Option<FlawKind> {
    let program = disassemble(&mut &*bytes, Reader::Python).expect("bytes in memory");
    program.fault.map(|(kind, _, _)| kind)
}

#[test]
fn the_callables_of_an_old_pickle_are_named() {
    assert_eq!(callables(b"cposix\nsystem\n(S'ls'\ntR."), ["posix.system"]);
    assert_eq!(callables(b"(S'ls'\nios\nsystem\n."), ["os.system"]);
}

#[test]
fn the_callables_of_a_new_pickle_are_found_on_the_stack_and_in_the_memo() {
    let direct = b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02ls\x94\x85\x94R\x94.";
    assert_eq!(callables(direct), ["posix.system"]);
    let by_memo = b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x30\x30h\x00h\x01\x93)R.";
    assert_eq!(callables(by_memo), ["posix.system"]);
}

#[test]
fn plain_values_name_nothing() {
    assert!(callables(b"\x80\x02]q\x00(K\x01K\x02U\x01ae.").is_empty());
    assert!(callables(b"(dp0\nS'a'\np1\nI1\nsF1.5\n0.").is_empty());
}

#[test]
fn a_pickle_that_ends_too_soon_is_cut_short() {
    assert_eq!(fault(b"\x80\x02]q\x00(K\x01"), Some(FlawKind::CutShort));
    assert_eq!(
        fault(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffab"),
        Some(FlawKind::CutShort)
    );
    assert_eq!(fault(b""), Some(FlawKind::CutShort));
}

#[test]
fn instructions_that_do_not_fit_together_are_found() {
    for bytes in [
        &b"\x80\x02."[..],
        b"\x80\x07N.",
        b"\xff.",
        b"K\x01K\x02R.",
        b"t.",
        b"h\x05.",
        b"K\x01K\x02K\x03s.",
        b"I1x,\n.",
        b"X\x01\0\0\0\xff.",
    ] {
        assert_eq!(fault(bytes), Some(FlawKind::Malformed), "{bytes:?}");
    }
}

/// A dict of arrays, one of them of objects, with an object behind them that calls `os.getcwd`; joblib 1.6.0.
const JOBLIB: &[u8] = include_bytes!("../../../fixtures/pickle/joblib.pkl");
const JOBLIB_0: &[u8] = include_bytes!("../../../fixtures/pickle/joblib-0.pkl");

fn loaded(bytes: &[u8]) -> FileFacts {
    let options = Options {
        purpose: Purpose::Model,
        ..Options::default()
    };
    examine_bytes("model.pkl", bytes, &options)
}

fn calls(facts: &FileFacts, name: &str) -> bool {
    let mut operations = facts.model().unwrap().operations.iter();
    operations.any(|it| it.name == name)
}

#[test]
fn what_stands_behind_the_arrays_of_joblib_is_found() {
    for saved in [JOBLIB, JOBLIB_0] {
        let facts = loaded(saved);
        assert_eq!(facts.flaws, []);
        assert!(calls(&facts, "posix.getcwd"));
    }
}

#[test]
fn a_file_of_joblib_that_ends_in_an_array_is_cut_short() {
    let end = JOBLIB.windows(8).position(|it| it == 2_f64.to_le_bytes());
    let facts = loaded(&JOBLIB[..end.unwrap() + 3]);
    assert_eq!(facts.flaws[0].kind, FlawKind::CutShort);
}

#[test]
fn what_joblib_takes_for_an_array_is_what_python_runs() {
    let mut bytes = JOBLIB.to_vec();
    let state = bytes.windows(3).position(|it| it == b"\x10ub").unwrap() + 3;
    let code = b"cos\nsystem\n.";
    bytes[state..state + code.len()].copy_from_slice(code);
    assert!(calls(&loaded(&bytes), "os.system"));
}

#[test]
fn an_array_of_unknown_size_is_told_and_what_comes_before_it_stands() {
    let mut bytes = JOBLIB.to_vec();
    let element = bytes.windows(2).position(|it| it == b"f8").unwrap();
    bytes[element] = b'q';
    let facts = loaded(&bytes);
    assert_eq!(facts.flaws[0].kind, FlawKind::Blemish);
    assert!(calls(&facts, "numpy.dtype"));
}
