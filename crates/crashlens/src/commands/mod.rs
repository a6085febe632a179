//! One module per command.

pub(crate) mod attach;
pub(crate) mod diagnose;
pub(crate) mod generate;
pub(crate) mod rules;
pub(crate) mod run;
