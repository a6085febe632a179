//! The rules of the family, in the order of the book.

mod bad_release;
mod broken_install;
mod emptied_files;
mod half_removed;
mod known_conflict;
mod lost_home;
mod lost_source;
mod mixed_versions;
mod one_package_twice;
mod protobuf_gencode;
mod protobuf_implementation;
mod python_refused;
mod replaced_python;
mod requirement_unmet;
mod two_records;
mod unseen_limit;
mod vulnerable_version;
mod wrong_python;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &broken_install::RULE,
    &emptied_files::RULE,
    &lost_source::RULE,
    &one_package_twice::RULE,
    &two_records::RULE,
    &mixed_versions::RULE,
    &wrong_python::RULE,
    &python_refused::RULE,
    &known_conflict::RULE,
    &protobuf_gencode::RULE,
    &protobuf_implementation::RULE,
    &unseen_limit::RULE,
    &requirement_unmet::RULE,
    &bad_release::RULE,
    &vulnerable_version::RULE,
    &replaced_python::RULE,
    &lost_home::RULE,
    &half_removed::RULE,
];
