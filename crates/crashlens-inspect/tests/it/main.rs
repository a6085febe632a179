//! Surveys of interpreters that are installed, held against what the interpreters say of themselves.

mod interpreters;
