use crate::cause::Cause;
use crate::diagnosis::{Confidence, Diagnosis, diagnose};
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;

fn diagnosis(id: &str) -> Diagnosis {
    let capture = fixtures::load(id);
    diagnose(&Facts::new(&capture, KnownIssues::built_in()))
}

#[test]
fn near_misses_of_memory_faults_are_told_by_what_really_was() {
    for (id, cause, most) in [
        (
            "near/ctypes-object-damaged",
            Cause::HeapCorruption,
            Confidence::Likely,
        ),
        (
            "near/data-run-as-code",
            Cause::BadForeignCall,
            Confidence::Likely,
        ),
        (
            "near/object-of-freed-bytes",
            Cause::UseAfterFree,
            Confidence::Likely,
        ),
        (
            "near/pointer-of-freed-bytes",
            Cause::UseAfterFree,
            Confidence::Likely,
        ),
        (
            "near/foreign-call-meets-damaged-heap",
            Cause::HeapCorruption,
            Confidence::Likely,
        ),
        (
            "near/malloc-assertion-of-glibc-2.37",
            Cause::HeapCorruption,
            Confidence::Likely,
        ),
        (
            "near/argument-misaligned",
            Cause::BadForeignCall,
            Confidence::Likely,
        ),
        (
            "near/malloc-assertion-of-a-child",
            Cause::CheckFailure,
            Confidence::Certain,
        ),
        (
            "near/exec-refused-and-caught",
            Cause::BadForeignCall,
            Confidence::Certain,
        ),
        (
            "near/asan-words-of-a-child",
            Cause::BadForeignCall,
            Confidence::Certain,
        ),
    ] {
        let findings = diagnosis(id).findings;
        let first = findings.first().map(|it| (it.cause, it.confidence));
        assert_eq!(first, Some((cause, most)), "{id}");
    }
}

#[test]
fn what_is_no_cause_is_never_more_than_possible() {
    for (id, cause) in [
        ("near/ctypes-object-damaged", Cause::BadForeignCall),
        ("near/data-run-as-code", Cause::IllegalInstruction),
        ("near/exec-format-alone", Cause::WrongArchitecture),
    ] {
        let findings = diagnosis(id).findings;
        let mut of_cause = findings.iter().filter(|it| it.cause == cause);
        let is_possible = of_cause.all(|it| it.confidence == Confidence::Possible);
        assert!(is_possible, "{id}: {cause:?}");
    }
}

#[test]
fn a_zero_that_may_be_right_is_not_blamed_in_the_headline() {
    let findings = diagnosis("near/axis-is-zero").findings;
    let first = findings.first().unwrap();
    assert_eq!(first.cause, Cause::DivisionByZero);
    assert!(!first.headline.contains("axis"), "{}", first.headline);
}
