//! Whether the right cause was named first, and which causes were mistaken for which.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::case::Case;

/// The causes named for one death beside those that count as right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub id: String,
    expected: String,
    first: String,
    confidence: String,
    grade: Grade,
}

/// How good an answer is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    /// Wrong, and said to be proven.
    WrongCertain,
    Wrong,
    /// Right, but only as the second or third finding.
    Later,
    /// That the cause is not known was said, where it could be known.
    Open,
    RightPossible,
    RightLikely,
    RightCertain,
}

impl Grade {
    const ALL: [Self; 7] = [
        Self::WrongCertain,
        Self::Wrong,
        Self::Later,
        Self::Open,
        Self::RightPossible,
        Self::RightLikely,
        Self::RightCertain,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::WrongCertain => "WRONG-CERTAIN",
            Self::Wrong => "WRONG",
            Self::Later => "LATER",
            Self::Open => "OPEN",
            Self::RightPossible | Self::RightLikely | Self::RightCertain => "right",
        }
    }

    fn is_right(self) -> bool {
        self >= Self::RightPossible
    }
}

const NOT_KNOWN: &str = "insufficient-evidence";
/// First line of a committed table.
const HEADING: &str = "case                              expected               first                  confidence  verdict";

impl Verdict {
    /// `None` for a control, which has no cause.
    pub fn of(case: &Case, tensorflow: &str, death: Option<&Value>) -> Option<Self> {
        let accept = case.accept_on(tensorflow);
        let expected = accept.first()?.clone();
        let findings = death
            .and_then(|death| death.pointer("/diagnosis/findings")?.as_array())
            .map_or(&[][..], Vec::as_slice);
        let word = |finding: &Value, name: &str| finding[name].as_str().unwrap_or("-").to_owned();
        let first = findings.first();
        let confidence = first.map_or("-".to_owned(), |finding| word(finding, "confidence"));
        let causes: Vec<_> = findings
            .iter()
            .map(|finding| word(finding, "cause"))
            .collect();
        let grade = grade(accept, &causes, &confidence);
        Some(Self {
            id: case.id.clone(),
            expected,
            first: causes.first().cloned().unwrap_or("-".to_owned()),
            confidence,
            grade,
        })
    }

    pub fn is_wrong_certain(&self) -> bool {
        self.grade == Grade::WrongCertain
    }

    /// Whether it is worse than the committed answer.
    pub fn is_worse_than(&self, before: &Self) -> bool {
        self.grade < before.grade
    }

    /// Whether it is worse by no more than the truth of the case allows.
    pub fn is_within(&self, before: &Self, least: Option<&str>) -> bool {
        let least = match least {
            Some("likely") => Grade::RightLikely,
            Some("possible") => Grade::RightPossible,
            Some("open") => Grade::Open,
            _ => before.grade,
        };
        self.grade >= least.min(before.grade)
    }

    /// Reads a row of a committed table.
    pub fn read(line: &str) -> Option<Self> {
        let words: Vec<_> = line.split_whitespace().collect();
        let &[id, expected, first, confidence, verdict] = words.as_slice() else {
            return None;
        };
        let right = match confidence {
            "certain" => Grade::RightCertain,
            "likely" => Grade::RightLikely,
            _ => Grade::RightPossible,
        };
        let grade = Grade::ALL
            .into_iter()
            .find(|grade| grade.word() == verdict)
            .map(|grade| if grade.is_right() { right } else { grade })?;
        Some(Self {
            id: id.to_owned(),
            expected: expected.to_owned(),
            first: first.to_owned(),
            confidence: confidence.to_owned(),
            grade,
        })
    }
}

fn grade(accept: &[String], causes: &[String], confidence: &str) -> Grade {
    let Some(first) = causes.first() else {
        return Grade::Open;
    };
    match confidence {
        "certain" if accept.contains(first) => Grade::RightCertain,
        "likely" if accept.contains(first) => Grade::RightLikely,
        _ if accept.contains(first) => Grade::RightPossible,
        _ if first == NOT_KNOWN => Grade::Open,
        "certain" => Grade::WrongCertain,
        _ if causes.iter().any(|cause| accept.contains(cause)) => Grade::Later,
        _ => Grade::Wrong,
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:<34}{:<23}{:<23}{:<12}{}",
            self.id,
            self.expected,
            self.first,
            self.confidence,
            self.grade.word()
        )
    }
}

/// The rows of a committed table, by case.
pub fn read(committed: &str) -> BTreeMap<String, Verdict> {
    committed
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(Verdict::read)
        .map(|row| (row.id.clone(), row))
        .collect()
}

/// Prints the verdicts and their sum.
pub fn print(verdicts: &[Verdict]) {
    println!("\n{HEADING}");
    for verdict in verdicts {
        print!("{verdict}");
    }
    println!("\n{}", summary(verdicts));
}

/// Writes the verdicts into the committed table.
pub fn update(verdicts: &[Verdict], path: &Path) -> Result<()> {
    let mut rows = read(&fs_err::read_to_string(path).unwrap_or_default());
    rows.extend(verdicts.iter().map(|row| (row.id.clone(), row.clone())));
    let rows: Vec<_> = rows.into_values().collect();
    fs_err::write(path, table(&rows))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// The committed form: a row for each case, the matrix, and the sum.
fn table(rows: &[Verdict]) -> String {
    let mut matrix: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for row in rows {
        let named = matrix.entry(&row.expected).or_default();
        *named.entry(&row.first).or_default() += 1;
    }
    let mut text = format!("{HEADING}\n");
    text.extend(rows.iter().map(ToString::to_string));
    text.push_str("\nexpected               named first, and how often\n");
    for (expected, named) in matrix {
        let named: Vec<_> = named
            .into_iter()
            .map(|(first, count)| format!("{first} {count}"))
            .collect();
        text.push_str(&[&format!("{expected:<23}"), named.join(", ").as_str(), "\n"].concat());
    }
    [text, summary(rows)].join("\n") + "\n"
}

fn summary(rows: &[Verdict]) -> String {
    let count = |is: fn(Grade) -> bool| rows.iter().filter(|row| is(row.grade)).count();
    format!(
        "{} deaths: the right cause first in {}, later in {}, left open in {}, wrong in {}, of them called certain {}",
        rows.len(),
        count(Grade::is_right),
        count(|grade| grade == Grade::Later),
        count(|grade| grade == Grade::Open),
        count(|grade| grade <= Grade::Wrong),
        count(|grade| grade == Grade::WrongCertain),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_wrong_cause_that_is_called_certain_is_worse_than_any_other_answer() {
        let accept = words(&["null-pointer", "bad-input-value"]);
        let graded = |causes: &[&str], confidence| grade(&accept, &words(causes), confidence);
        assert_eq!(graded(&["bad-input-value"], "likely"), Grade::RightLikely);
        assert_eq!(graded(&[NOT_KNOWN], "likely"), Grade::Open);
        assert_eq!(graded(&[], "-"), Grade::Open);
        assert_eq!(
            graded(&["teardown", "null-pointer"], "likely"),
            Grade::Later
        );
        assert_eq!(
            graded(&["teardown", "null-pointer"], "certain"),
            Grade::WrongCertain
        );
        assert_eq!(graded(&["teardown"], "possible"), Grade::Wrong);
        assert!(Grade::WrongCertain < Grade::Wrong && Grade::Open < Grade::RightPossible);
    }

    #[test]
    fn only_a_case_that_says_so_may_be_less_sure_than_before() {
        let row = |confidence: &str, verdict: &str| {
            let line = format!("some-case teardown teardown {confidence} {verdict}");
            Verdict::read(&line).expect("a row")
        };
        let (before, likely) = (row("certain", "right"), row("likely", "right"));
        assert!(!likely.is_within(&before, None));
        assert!(likely.is_within(&before, Some("likely")));
        assert!(!row("possible", "right").is_within(&before, Some("likely")));
        assert!(!row("likely", "OPEN").is_within(&before, Some("possible")));
        assert!(row("likely", "OPEN").is_within(&before, Some("open")));
        assert!(!row("likely", "WRONG").is_within(&before, Some("open")));
        assert!(before.is_within(&likely, None));
        assert!(likely.is_within(&row("possible", "right"), Some("likely")));
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        for (first, confidence, grade) in [
            ("teardown", "certain", Grade::RightCertain),
            ("null-pointer", "possible", Grade::Wrong),
            ("-", "-", Grade::Open),
        ] {
            let row = Verdict {
                id: "some-case".to_owned(),
                expected: "teardown".to_owned(),
                first: first.to_owned(),
                confidence: confidence.to_owned(),
                grade,
            };
            assert_eq!(Verdict::read(&row.to_string()), Some(row));
        }
    }

    #[test]
    fn a_table_that_was_updated_has_the_new_row_in_the_place_of_the_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("confusion.txt");
        let row = |id: &str, confidence: &str| {
            let line = format!("{id} teardown teardown {confidence} right");
            Verdict::read(&line).expect("a row")
        };
        update(&[row("one", "likely"), row("two", "likely")], &path).unwrap();
        update(&[row("one", "certain")], &path).unwrap();
        let rows = read(&fs_err::read_to_string(&path).unwrap());
        assert_eq!(rows["one"], row("one", "certain"));
        assert_eq!(rows["two"], row("two", "likely"));
        assert_eq!(rows.len(), 2);
    }
}
