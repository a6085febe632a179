//! What the program had written last.

use serde::{Deserialize, Serialize};

use super::Observed;

/// What the program had written last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The end of its standard error.
    pub stderr: Observed<Tail>,
}

/// The end of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tail {
    /// The last lines, oldest first, with secrets masked and bytes that are not UTF-8 replaced.
    pub lines: Vec<String>,
    /// Whether there was more before them.
    pub truncated: bool,
}
