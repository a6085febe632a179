//! One run beside the committed rows of its case: in the score, the table of facts, and the causes.

use std::collections::BTreeMap;
use std::path::Path;

use super::case::Case;
use super::causes::{self, Verdict};
use super::knowledge::{self, Facts};
use super::score::{self, Row};
use crate::majority::Standing;

/// What one run of a case gave.
pub struct Run {
    pub row: Row,
    /// How it ended, in the words of `outcome_by_tensorflow`.
    pub ending: String,
    /// Of a death alone.
    pub facts: Option<Facts>,
    /// Of a death that should have been explained.
    pub verdict: Option<Verdict>,
    /// The cause that was called certain where no death is known at all.
    pub unfounded: Option<String>,
}

/// The committed rows by case.
pub struct Committed {
    /// Nothing in a set of cases that are judged by their causes alone.
    pub scores: Option<BTreeMap<String, String>>,
    pub facts: BTreeMap<String, String>,
    pub causes: BTreeMap<String, Verdict>,
}

impl Committed {
    /// What is not there has no rows.
    pub fn read(score: Option<&Path>, facts: &Path, causes: &Path) -> Self {
        let text = |path: &Path| fs_err::read_to_string(path).unwrap_or_default();
        Self {
            scores: score.map(|score| score::blocks(&text(score))),
            facts: score::blocks(&text(facts)),
            causes: causes::read(&text(causes)),
        }
    }

    /// Whether a run is as committed. A row must be equal, the facts not fewer and the cause not worse, but for what
    /// the case says of how its runs vary.
    pub fn standing(&self, case: &Case, tensorflow: &str, run: &Run) -> Standing {
        let Run {
            row,
            facts,
            verdict,
            ending,
            unfounded,
        } = run;
        if let Some(cause) = unfounded {
            return Standing::Fails(format!(
                "{}, by {ending}, is called a certain {cause}, and should not die",
                row.id
            ));
        }
        if let Some(wrong) = verdict
            .as_ref()
            .filter(|verdict| verdict.is_wrong_certain())
        {
            return Standing::Fails(format!("wrong and called certain\n{wrong}"));
        }
        if row.skipped.is_some() {
            return Standing::Same;
        }
        let mut differences = Vec::new();
        let mut varies = false;
        if let Some(scores) = &self.scores {
            let before = scores.get(&row.id).map_or("not scored\n", String::as_str);
            if score::verdict_of(before) == "skipped" {
                return Standing::Same;
            }
            if before != row.to_string() {
                varies = row.misses_only_as(before, case.ending_varies(tensorflow), case);
                if !varies {
                    differences.push(format!("\nwas:\n{before}now:\n{row}"));
                }
            }
            if let Some(facts) = facts.as_ref().filter(|_| !varies) {
                let before = self.facts.get(&row.id).map_or("", String::as_str);
                if facts.is_less_than(before) {
                    let (named, missed) = (facts.named(), facts.missed());
                    let (was_named, was_missed) = knowledge::counts(before);
                    differences.push(format!(
                        "\nnames {named} facts and misses {missed}; {was_named} and {was_missed} are committed\n"
                    ));
                }
            }
        }
        let before = self.causes.get(&row.id);
        if let Some((verdict, before)) = verdict.as_ref().zip(before) {
            if verdict.is_within(before, case.least_certainty()) {
                varies |= verdict.is_worse_than(before);
            } else {
                differences.push(format!("\nwas: {before}now: {verdict}"));
            }
        }
        match (differences.is_empty(), varies) {
            (true, false) => Standing::Same,
            (true, true) => Standing::Varies(format!("by {ending}; {}", case.variation_note())),
            (false, _) => Standing::Differs(differences.concat()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::score::Cell;
    use super::*;

    const TENSORFLOW: &str = "2.15.1";

    fn case(varies: &str) -> Case {
        let (_, case) = Case::all()
            .expect("cases")
            .into_iter()
            .find(|(_, case)| case.id == "so-iter-chain")
            .expect("the case");
        Case {
            varies: serde_json::from_str(varies).expect("variations"),
            ..case
        }
    }

    fn run(case: &Case, address: Cell, confidence: &str, verdict: &str) -> Run {
        let line = format!(
            "{} stack-overflow stack-overflow {confidence} {verdict}",
            case.id
        );
        Run {
            row: Row {
                signal: Cell::Same,
                address,
                ..Row::new(case)
            },
            ending: "SIGSEGV".to_owned(),
            facts: None,
            verdict: Verdict::read(&line),
            unfounded: None,
        }
    }

    fn committed(run: &Run) -> Committed {
        let verdict = run.verdict.clone().expect("a verdict");
        Committed {
            scores: Some([(run.row.id.clone(), run.row.to_string())].into()),
            facts: BTreeMap::new(),
            causes: [(verdict.id.clone(), verdict)].into(),
        }
    }

    fn missed() -> Cell {
        Cell::miss("0x0", "none")
    }

    #[test]
    fn a_case_that_does_not_vary_has_the_committed_row_or_differs() {
        let case = case("[]");
        let right = run(&case, Cell::Same, "certain", "right");
        let committed = committed(&right);
        let standing = |run: &Run| committed.standing(&case, TENSORFLOW, run);
        assert_eq!(standing(&right), Standing::Same);
        for other in [
            run(&case, missed(), "certain", "right"),
            run(&case, Cell::Same, "likely", "right"),
            run(&case, Cell::Same, "likely", "WRONG"),
        ] {
            assert!(matches!(standing(&other), Standing::Differs(_)));
        }
    }

    #[test]
    fn what_varies_in_a_case_is_the_same_and_nothing_else_is() {
        let case = case(
            r#"[{"what": "address", "also": "another address", "seen": "3/20", "why": "the heap"},
                {"what": "certainty", "also": "likely", "seen": "1/20", "why": "a sample"}]"#,
        );
        let right = run(&case, Cell::Same, "certain", "right");
        let committed = committed(&right);
        let standing = |run: &Run| committed.standing(&case, TENSORFLOW, run);
        assert_eq!(standing(&right), Standing::Same);
        for other in [
            run(&case, missed(), "certain", "right"),
            run(&case, Cell::Same, "likely", "right"),
        ] {
            assert!(matches!(standing(&other), Standing::Varies(_)));
        }
        let mut silent = run(&case, Cell::Same, "certain", "right");
        silent.row.replay = Cell::miss("the same death", "nothing");
        let mut elsewhere = run(&case, missed(), "certain", "right");
        elsewhere.row.function = Cell::miss("deflate", "memcpy");
        let possible = run(&case, Cell::Same, "possible", "right");
        for other in [silent, elsewhere, possible] {
            assert!(matches!(standing(&other), Standing::Differs(_)));
        }
    }

    #[test]
    fn a_wrong_cause_that_is_called_certain_fails_whatever_varies() {
        let case = case(
            r#"[{"what": "certainty", "also": "open", "seen": "1/20", "why": "a sample"},
                {"what": "signal", "also": "SIGABRT", "seen": "1/20", "why": "the heap"}]"#,
        );
        let right = run(&case, Cell::Same, "certain", "right");
        let wrong = run(&case, Cell::Same, "certain", "WRONG-CERTAIN");
        assert!(matches!(
            committed(&right).standing(&case, TENSORFLOW, &wrong),
            Standing::Fails(_)
        ));
    }

    #[test]
    fn a_certain_cause_of_death_fails_where_nothing_should_die() {
        let case = case("[]");
        let right = run(&case, Cell::Same, "certain", "right");
        let dies = Run {
            verdict: None,
            unfounded: Some("null-pointer".to_owned()),
            ..run(&case, Cell::Same, "certain", "right")
        };
        assert!(matches!(
            committed(&right).standing(&case, TENSORFLOW, &dies),
            Standing::Fails(_)
        ));
    }

    #[test]
    fn a_run_that_this_machine_cannot_do_is_not_compared() {
        let case = case("[]");
        let right = run(&case, Cell::Same, "certain", "right");
        let skipped = Run {
            row: Row::skipped(&case, "needs root"),
            ending: "nothing".to_owned(),
            facts: None,
            verdict: None,
            unfounded: None,
        };
        let before = committed(&right);
        assert_eq!(before.standing(&case, TENSORFLOW, &skipped), Standing::Same);
    }
}
