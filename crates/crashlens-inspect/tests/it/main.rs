//! Surveys of interpreters that are installed, held against what the interpreters say of themselves.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod interpreters;
