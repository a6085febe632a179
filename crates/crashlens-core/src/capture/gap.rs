//! What could not be observed, as a value.

use serde::{Deserialize, Serialize};

/// A fact that was seen, seen not to exist, or could not be looked at.
///
/// `Option` would merge the last two, and a rule would then conclude from ignorance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observed<T> {
    /// It was seen.
    Known(T),
    /// It was looked for and is not there.
    Absent,
    /// It could not be looked at; the gap says why.
    Unknown(GapId),
}

/// What an older capture, in which the field is missing, says of it: nobody looked.
impl<T> Default for Observed<T> {
    fn default() -> Self {
        Self::Unknown(GapId::NOT_RECORDED)
    }
}

impl<T> Observed<T> {
    /// Whether nobody could look.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// The value, if it was seen.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Unknown(_) => None,
        }
    }
}

/// Index into [`Gaps`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapId(pub usize);

impl GapId {
    /// Stands for what the version that made the capture did not look at. There is no gap of this number.
    pub const NOT_RECORDED: Self = Self(usize::MAX);
}

/// One thing that could not be observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// What was attempted, as a noun phrase: "registers of thread 4711".
    pub part: String,
    /// Why it failed, in words.
    pub reason: String,
    /// What the user could do to close it, where there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// All gaps of a capture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Gaps(pub Vec<Gap>);

impl Gaps {
    /// Records a gap and returns its id. The same gap is kept once.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand over errors they have no further use for"
    )]
    pub fn add(
        &mut self,
        part: impl Into<String>,
        reason: impl ToString,
        remedy: Option<&str>,
    ) -> GapId {
        let gap = Gap {
            part: part.into(),
            reason: reason.to_string(),
            remedy: remedy.map(str::to_owned),
        };
        let index = self
            .0
            .iter()
            .position(|known| *known == gap)
            .unwrap_or_else(|| {
                self.0.push(gap);
                self.0.len() - 1
            });
        GapId(index)
    }

    /// `Known` for a success; for a failure a gap that names `part`.
    pub fn observe<T, E: ToString>(&mut self, part: &str, result: Result<T, E>) -> Observed<T> {
        match result {
            Ok(value) => Observed::Known(value),
            Err(error) => Observed::Unknown(self.add(part, error, None)),
        }
    }
}
