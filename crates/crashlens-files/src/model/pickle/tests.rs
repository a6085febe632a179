use super::disassemble;
use crate::fuzzing::examine_bytes;
use crate::{Options, Purpose};
use crashlens_core::files::FlawKind;

fn callables(bytes: &[u8]) -> Vec<String> {
    let program = disassemble(&mut &*bytes).expect("bytes in memory");
    assert_eq!(program.fault, None);
    program.callables.into_iter().map(|it| it.name).collect()
}

fn fault(bytes: &[u8]) -> Option<FlawKind> {
    let program = disassemble(&mut &*bytes).expect("bytes in memory");
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

#[test]
fn arrays_that_joblib_laid_between_the_instructions_are_no_damage() {
    let saved = include_bytes!("../../../fixtures/pickle/joblib.pkl");
    let options = Options {
        purpose: Purpose::Model,
        ..Options::default()
    };
    let facts = examine_bytes("model.pkl", saved, &options);
    assert_eq!(facts.flaws, []);
}
