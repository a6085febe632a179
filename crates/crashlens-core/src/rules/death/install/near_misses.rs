//! Words, versions and names that look like a cause, and are not enough to name it.

use crate::cause::Cause;
use crate::diagnosis::{Confidence, diagnose};
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;

/// Fixtures, and what must not be more than possible for them.
const ONLY_POSSIBLE: [(&str, Cause); 14] = [
    ("near/illegal-access-caught", Cause::GpuFault),
    ("near/cudnn-part-done-without", Cause::GpuLibraryMissing),
    (
        "near/undefined-symbol-then-other-exception",
        Cause::AbiMismatch,
    ),
    ("near/symbol-lookup-of-a-child", Cause::AbiMismatch),
    ("near/dtype-size-caught", Cause::NumpyAbi),
    ("near/profiler-then-heap-words", Cause::Profiler),
    (
        "near/protobuf-shutdown-of-damaged-heap",
        Cause::ProtobufClash,
    ),
    ("near/imported-before-in-listing", Cause::LibraryClash),
    ("near/batch-matmul-asks-for-memory", Cause::KnownBadVersion),
    ("near/tensorflow-io-without-s3", Cause::KnownBadVersion),
    (
        "near/two-heap-messages-of-new-tensorflow",
        Cause::KnownBadVersion,
    ),
    ("near/installed-beside-while-loading", Cause::LibraryClash),
    ("near/cuda-bad-alloc", Cause::OutOfMemory),
    ("logs/092", Cause::KnownBadVersion),
];

#[test]
fn what_a_program_outlived_is_never_more_than_possible() {
    for (id, cause) in ONLY_POSSIBLE {
        let capture = fixtures::load(id);
        let findings = diagnose(&Facts::new(&capture, KnownIssues::built_in())).findings;
        let found = findings.iter().find(|finding| finding.cause == cause);
        let confidence = found.map_or(Confidence::Possible, |finding| finding.confidence);
        assert_eq!(confidence, Confidence::Possible, "{id}: {found:?}");
    }
}
