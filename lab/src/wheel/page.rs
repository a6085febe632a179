//! The page: its commands are run, and its last table is what was tried.

use anyhow::{Context, Result, ensure};

use crate::workspace;

const PATH: &str = "docs/install.md";
/// All from here on is written by `--update`.
const MARK: &str = "<!-- Written by `cargo lab wheel --update` from here on. -->\n";
/// Stands for lines that are left out.
const LEFT_OUT: &str = "[…]";

/// A row of the table.
pub struct Row(pub String);

pub struct Page(String);

impl Page {
    pub fn read() -> Result<Self> {
        Ok(Self(fs_err::read_to_string(workspace::root().join(PATH))?))
    }

    /// Whether the page shows this command, and what it has printed.
    pub fn ensure_shows(&self, command: &str, printed: &str) -> Result<()> {
        let block = self
            .0
            .split("```console\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .find_map(|block| output_of(block, command))
            .with_context(|| format!("{PATH} does not show `{command}`"))?;
        let mut printed_lines = printed.lines().map(str::trim_end);
        for line in block.iter().filter(|line| **line != LEFT_OUT) {
            ensure!(
                printed_lines.any(|printed| printed == *line),
                "{PATH} shows \"{line}\" below `{command}`, which has printed:\n{printed}"
            );
        }
        Ok(())
    }

    pub fn write(&self, rows: &[Row]) -> Result<()> {
        let (by_hand, _) = self
            .0
            .split_once(MARK)
            .with_context(|| format!("{PATH} has lost its mark"))?;
        let rows: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        let rows = rows.join("\n");
        let text = format!("{by_hand}{MARK}\n| what | result |\n|---|---|\n{rows}\n");
        fs_err::write(workspace::root().join(PATH), text)?;
        Ok(())
    }
}

/// The lines below a command in a block of them.
fn output_of<'a>(block: &'a str, command: &str) -> Option<Vec<&'a str>> {
    let mut lines = block.lines();
    lines.find(|line| line.strip_prefix("$ ") == Some(command))?;
    Some(lines.take_while(|line| !line.starts_with("$ ")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page("x\n\n```console\n$ a\none\n[…]\nthree\n$ b\n```\n".to_owned())
    }

    #[test]
    fn a_command_must_print_the_lines_that_the_page_shows_in_their_order() {
        assert!(page().ensure_shows("a", "one\ntwo\nthree\n").is_ok());
        assert!(page().ensure_shows("a", "three\none\n").is_err());
        assert!(page().ensure_shows("b", "anything").is_ok());
    }

    #[test]
    fn a_command_that_is_not_on_the_page_is_an_error() {
        assert!(page().ensure_shows("one", "one").is_err());
    }
}
