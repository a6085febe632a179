//! The score: one row per case, in a form that can be committed and compared.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Result;

use super::case::Case;

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// The truth has nothing to compare with.
    Unknown,
    Same,
    Miss {
        expected: String,
        got: String,
    },
}

impl Cell {
    pub fn miss(expected: &str, got: &str) -> Cell {
        Cell::Miss {
            expected: shortened(expected),
            got: shortened(got),
        }
    }

    pub fn is_miss(&self) -> bool {
        matches!(self, Cell::Miss { .. })
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 100 {
        text.to_owned()
    } else {
        text.chars().take(100).chain("…".chars()).collect()
    }
}

/// All comparisons of one case.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: String,
    pub skipped: Option<String>,
    pub signal: Cell,
    pub code: Cell,
    pub address: Cell,
    pub python: Cell,
    pub function: Cell,
    pub library: Cell,
    pub exit: Cell,
    pub replay: Cell,
    /// Seen, but not part of the score.
    pub remarks: Vec<String>,
}

const COLUMNS: [&str; 8] = [
    "signal", "code", "address", "python", "function", "library", "exit", "replay",
];

impl Row {
    pub const HEADING: &str = "case                              signal  code  address  python  function  library  exit  replay  verdict";

    pub fn new(case: &Case) -> Row {
        Row {
            id: case.id.clone(),
            skipped: None,
            signal: Cell::Unknown,
            code: Cell::Unknown,
            address: Cell::Unknown,
            python: Cell::Unknown,
            function: Cell::Unknown,
            library: Cell::Unknown,
            exit: Cell::Unknown,
            replay: Cell::Unknown,
            remarks: Vec::new(),
        }
    }

    pub fn skipped(case: &Case, reason: &str) -> Row {
        Row {
            skipped: Some(reason.to_owned()),
            ..Row::new(case)
        }
    }

    fn cells(&self) -> [&Cell; 8] {
        let Row {
            signal,
            code,
            address,
            python,
            function,
            library,
            exit,
            replay,
            ..
        } = self;
        [
            signal, code, address, python, function, library, exit, replay,
        ]
    }

    /// How many comparisons failed.
    pub fn misses(&self) -> usize {
        self.cells().iter().filter(|cell| cell.is_miss()).count()
    }

    pub fn verdict(&self) -> &'static str {
        let places = [&self.function, &self.library];
        let named = places.iter().filter(|cell| ***cell == Cell::Same).count();
        let unnamed = places.iter().filter(|cell| cell.is_miss()).count();
        match self.misses() {
            _ if self.skipped.is_some() => "skipped",
            0 => "match",
            1 if named == 1 && unnamed == 1 => "part",
            _ => "miss",
        }
    }

    /// Whether nothing misses that may not: what missed in the committed row, and the columns that vary. A row of
    /// another ending compares fewer columns.
    pub fn misses_only_as(&self, before: &str, ending_varies: bool, case: &Case) -> bool {
        let words = before.lines().next().unwrap_or_default().split_whitespace();
        let missed: Vec<_> = words.skip(1).map(|word| word == "MISS").collect();
        let mut cells = COLUMNS.iter().zip(self.cells()).enumerate();
        let place_varies = |column: &&str| case.place_varies_in(column);
        (ending_varies || COLUMNS.iter().any(place_varies))
            && missed.len() > COLUMNS.len()
            && cells.all(|(index, (column, cell))| {
                !cell.is_miss() || missed[index] || place_varies(column)
            })
    }
}

/// Each miss is named with what was expected and what came.
impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<34}", self.id)?;
        if let Some(reason) = &self.skipped {
            return writeln!(out, "skipped: {reason}");
        }
        for (column, cell) in COLUMNS.iter().zip(self.cells()) {
            let word = match cell {
                Cell::Unknown => "-",
                Cell::Same => "ok",
                Cell::Miss { .. } => "MISS",
            };
            write!(out, "{word:<width$}", width = column.len() + 2)?;
        }
        writeln!(out, "{}", self.verdict())?;
        for (column, cell) in COLUMNS.iter().zip(self.cells()) {
            if let Cell::Miss { expected, got } = cell {
                writeln!(out, "    {column}: expected {expected}, got {got}")?;
            }
        }
        Ok(())
    }
}

/// The rows of one run.
#[derive(Default)]
pub struct Score {
    pub rows: Vec<Row>,
}

impl Score {
    pub fn summary(&self) -> String {
        let count = |verdict: &str| {
            self.rows
                .iter()
                .filter(|row| row.verdict() == verdict)
                .count()
        };
        let [all, part, miss, skipped] = ["match", "part", "miss", "skipped"].map(count);
        format!(
            "{} cases: {all} match, {part} part, {miss} miss, {skipped} skipped",
            self.rows.len()
        )
    }

    /// Writes the rows into the committed score.
    pub fn update(&self, path: &Path) -> Result<()> {
        let committed = fs_err::read_to_string(path).unwrap_or_default();
        fs_err::write(path, self.merged_into(&committed))?;
        println!("wrote {}", path.display());
        Ok(())
    }

    /// The committed text with this run's rows in the place of its own.
    fn merged_into(&self, committed: &str) -> String {
        let mut blocks = blocks(committed);
        blocks.extend(
            self.rows
                .iter()
                .map(|row| (row.id.clone(), row.to_string())),
        );
        let count = |verdict: &str| {
            blocks
                .values()
                .filter(|block| verdict_of(block) == verdict)
                .count()
        };
        let [all, part, miss, skipped] = ["match", "part", "miss", "skipped"].map(count);
        let summary = format!(
            "{} cases: {all} match, {part} part, {miss} miss, {skipped} skipped",
            blocks.len()
        );
        let rows: String = blocks.into_values().collect();
        format!("{}\n{rows}\n{summary}\n", Row::HEADING)
    }
}

pub fn verdict_of(block: &str) -> &str {
    let line = block.lines().next().unwrap_or_default();
    if line.contains("skipped: ") {
        "skipped"
    } else {
        line.split_whitespace().last().unwrap_or_default()
    }
}

/// The committed rows by case: a row is its line and the indented ones below.
pub fn blocks(committed: &str) -> BTreeMap<String, String> {
    let mut blocks = BTreeMap::new();
    let mut current = "";
    for line in committed
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
    {
        if !line.starts_with(' ') {
            current = line.split_whitespace().next().unwrap_or_default();
        }
        let block: &mut String = blocks.entry(current.to_owned()).or_default();
        block.push_str(line);
        block.push('\n');
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, address: Cell) -> Row {
        let (_, case) = Case::all()
            .unwrap()
            .into_iter()
            .find(|(_, case)| case.id == id)
            .unwrap();
        Row {
            address,
            ..Row::new(&case)
        }
    }

    #[test]
    fn a_score_that_was_written_has_each_row_once_and_the_sum_of_all() {
        let score = Score {
            rows: vec![
                row("so-iter-chain", Cell::Same),
                row("check-alive-bad", Cell::miss("0x0", "none")),
            ],
        };
        let committed = score.merged_into("");
        let rows = blocks(&committed);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows["check-alive-bad"], score.rows[1].to_string());
        let worse = Score {
            rows: vec![row("so-iter-chain", Cell::miss("0x0", "none"))],
        };
        assert!(
            worse
                .merged_into(&committed)
                .contains("2 cases: 0 match, 0 part, 2 miss, 0 skipped")
        );
    }

    #[test]
    fn a_column_misses_only_where_it_did_before_or_where_the_place_varies() {
        let committed = row("exit-daemon-thread", Cell::miss("0x0", "none")).to_string();
        let (_, case) = Case::all()
            .unwrap()
            .into_iter()
            .find(|(_, case)| case.id == "so-iter-chain")
            .unwrap();
        let address = row("exit-daemon-thread", Cell::miss("0x0", "0x40"));
        let exit = Row {
            exit: Cell::miss("139", "134"),
            ..row("exit-daemon-thread", Cell::Same)
        };
        assert!(address.misses_only_as(&committed, true, &case));
        assert!(!exit.misses_only_as(&committed, true, &case));
        assert!(!address.misses_only_as(&committed, false, &case));
        assert!(!address.misses_only_as("not scored\n", true, &case));
    }
}
