//! The rules of the family, in the order of the book.

mod blemish;
mod breaks_reader;
mod changed_while_read;
mod checksum_mismatch;
mod contradicting_parts;
mod cut_short;
mod duplicate_file;
mod empty_file;
mod malformed_file;
mod misnamed_file;
mod missing_file;
mod not_finite_values;
mod off_manifest;
mod open_for_writing;
mod reader_failed;
mod stand_in;
mod time_limit;
mod too_large;
mod trailing_bytes;
mod unlisted_file;
mod unreadable_file;
mod unsupported_variant;
mod wild_length;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &cut_short::RULE,
    &empty_file::RULE,
    &checksum_mismatch::RULE,
    &malformed_file::RULE,
    &contradicting_parts::RULE,
    &wild_length::RULE,
    &trailing_bytes::RULE,
    &unsupported_variant::RULE,
    &breaks_reader::RULE,
    &too_large::RULE,
    &misnamed_file::RULE,
    &not_finite_values::RULE,
    &changed_while_read::RULE,
    &open_for_writing::RULE,
    &off_manifest::RULE,
    &missing_file::RULE,
    &unlisted_file::RULE,
    &unreadable_file::RULE,
    &time_limit::RULE,
    &reader_failed::RULE,
    &duplicate_file::RULE,
    &blemish::RULE,
    &stand_in::RULE,
];
