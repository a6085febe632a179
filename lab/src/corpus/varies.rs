//! What may vary from run to run of one case, as its truth says.

use serde::Deserialize;

use super::case::{Case, Expected};

/// One entry of `varies` in `case.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    pub what: What,
    /// The outcome that is seen as well: an ending, a place, or a confidence.
    pub also: String,
    /// In how many of how many runs, as `2/20`.
    pub seen: String,
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The ending; `also` is a word of `outcome_by_tensorflow`.
    Signal,
    /// A column of the score that says where it dies; `also` names another outcome for people.
    Code,
    Address,
    Python,
    Function,
    Library,
    /// How sure the right cause is; `also` is the least that counts as right.
    Certainty,
}

impl What {
    /// The column of the score that says where it dies, for what is one.
    fn place(self) -> Option<&'static str> {
        match self {
            Self::Code => Some("code"),
            Self::Address => Some("address"),
            Self::Python => Some("python"),
            Self::Function => Some("function"),
            Self::Library => Some("library"),
            Self::Signal | Self::Certainty => None,
        }
    }
}

impl Case {
    fn variations(&self, what: What) -> impl Iterator<Item = &Variation> {
        self.varies.iter().filter(move |one| one.what == what)
    }

    /// Further endings beside those of one version.
    pub fn further_endings(&self) -> impl Iterator<Item = &str> {
        self.variations(What::Signal).map(|one| one.also.as_str())
    }

    /// Whether runs on this version can end in several ways.
    pub fn ending_varies(&self, tensorflow: &str) -> bool {
        let expected = self.expected(tensorflow);
        let differs = |one: &Expected| Some(one) != expected.first();
        expected.iter().any(differs)
    }

    /// Whether a column of the score that says where it dies is not the same in every run.
    pub fn place_varies_in(&self, column: &str) -> bool {
        self.varies
            .iter()
            .any(|one| one.what.place() == Some(column))
    }

    /// The least certain answer that counts as right.
    pub fn least_certainty(&self) -> Option<&str> {
        let mut certainties = self.variations(What::Certainty);
        certainties.next().map(|one| one.also.as_str())
    }

    /// What the truth says of how runs vary, in a line.
    pub fn variation_note(&self) -> String {
        let notes = self.varies.iter().map(|one| {
            let Variation {
                also, seen, why, ..
            } = one;
            format!("{also} in {seen} runs, {why}")
        });
        notes.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    fn all() -> Vec<Case> {
        let corpus = workspace::root().join("corpus");
        let mut cases = Case::all_in(&corpus).expect("cases");
        cases.extend(Case::all_in(&corpus.join("near")).expect("near misses"));
        cases.into_iter().map(|(_, case)| case).collect()
    }

    #[test]
    fn every_variation_has_a_reason_and_the_rate_of_at_least_twenty_runs() {
        for case in all() {
            for one in &case.varies {
                assert!(one.why.len() > 20, "{} does not say why", case.id);
                let rate = one.seen.split_once('/').and_then(|(seen, of)| {
                    Some((seen.parse::<u32>().ok()?, of.parse::<u32>().ok()?))
                });
                let (seen, of) = rate.unwrap_or_else(|| panic!("{}: {}", case.id, one.seen));
                assert!(seen <= of && of >= 20, "{}: {}", case.id, one.seen);
            }
        }
    }

    #[test]
    fn what_varies_is_an_ending_or_a_confidence_that_exists() {
        for case in all() {
            for one in &case.varies {
                match one.what {
                    What::Signal => assert!(
                        case.expectation(&one.also).is_some(),
                        "{}: {} is not an ending",
                        case.id,
                        one.also
                    ),
                    What::Certainty => assert!(
                        ["likely", "possible", "open"].contains(&one.also.as_str()),
                        "{}: {} is not a lower confidence",
                        case.id,
                        one.also
                    ),
                    _ => assert!(!one.also.is_empty(), "{} has no place", case.id),
                }
            }
        }
    }

    #[test]
    fn a_case_whose_truth_was_not_alike_in_all_runs_says_what_varies() {
        for case in all() {
            assert!(
                case.is_deterministic() || !case.varies.is_empty(),
                "{}: {}",
                case.id,
                case.deterministic
            );
        }
    }
}
