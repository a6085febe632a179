//! One module per command, and what several of them do.

pub(crate) mod advisories;
pub(crate) mod attach;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diagnose;
pub(crate) mod generate;
pub(crate) mod last;
pub(crate) mod rules;
pub(crate) mod run;
