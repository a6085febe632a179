//! `cargo lab bench`: crashlens and its peers on the same programs, in turn, in one run.
//!
//! Nothing here fails because a number is bad; numbers are for people and for the documentation.

mod checking;
mod enabling;
mod events;
mod judging;
mod measure;
mod reading;
mod scenarios;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use self::scenarios::Table;
use crate::{corpus, python, workspace};

const DOCUMENT: &str = "docs/benchmarks.md";
const BEGIN: &str = "<!-- bench:begin -->";
const END: &str = "<!-- bench:end -->";

#[derive(clap::Args)]
pub struct Options {
    /// Write the tables into docs/benchmarks.md
    #[arg(long)]
    update: bool,
    /// How often each healthy program is run with each tool
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Run only these: fit, import, enable, events, death, core, threads, check, files, rules
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    crashlens: Option<PathBuf>,
    /// Use this interpreter, which has TensorFlow, instead of making an environment
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
}

/// The programs that take part.
pub struct Tools {
    pub crashlens: PathBuf,
    /// With TensorFlow.
    pub python: PathBuf,
    pub gdb: Option<PathBuf>,
    pub pystack: Option<PathBuf>,
    pub py_spy: Option<PathBuf>,
    pub rounds: usize,
}

pub fn run(options: &Options) -> Result<()> {
    let is_wanted =
        |name: &str| options.names.is_empty() || options.names.iter().any(|wanted| wanted == name);
    let mut sections = Vec::new();
    let mut add = |name: &str, table: Result<Table>| -> Result<()> {
        let table = markdown(&table.with_context(|| format!("cannot measure {name}"))?);
        print!("\n== {name}\n{table}");
        sections.push(table);
        Ok(())
    };
    if scenarios::ALL.iter().any(|(name, _)| is_wanted(name)) {
        let tools = tools(options)?;
        for (name, scenario) in scenarios::ALL.iter().filter(|(name, _)| is_wanted(name)) {
            add(name, scenario(&tools))?;
        }
    }
    if is_wanted(judging::NAME) {
        add(judging::NAME, judging::table())?;
    }
    if options.update {
        let path = workspace::root().join(DOCUMENT);
        let document = fs_err::read_to_string(&path)?;
        if !options.names.is_empty() {
            sections = merged(&document, sections);
        }
        let text = format!("Measured on {}.\n\n{}", machine(), sections.join("\n"));
        fs_err::write(&path, replaced(&document, &text)?)?;
        println!("\nwrote {DOCUMENT}");
    }
    Ok(())
}

fn tools(options: &Options) -> Result<Tools> {
    let python = match &options.python {
        Some(path) => std::path::absolute(path)?,
        None => corpus::default_environment()?,
    };
    let peers = peers()
        .inspect_err(|error| println!("without pystack and py-spy: {error:#}"))
        .ok();
    let peer = |name: &str| {
        peers
            .as_ref()
            .map(|folder| folder.join(name))
            .filter(|path| path.is_file())
    };
    Ok(Tools {
        crashlens: workspace::crashlens(options.crashlens.as_deref())?,
        python,
        gdb: workspace::find_program("gdb"),
        pystack: peer("pystack"),
        py_spy: peer("py-spy"),
        rounds: options.rounds.max(1),
    })
}

/// The folder of the peers' programs.
fn peers() -> Result<PathBuf> {
    let interpreter = python::of_series((3, 11)).context("there is no Python 3.11")?;
    let packages = BTreeSet::from(["pystack", "py-spy"].map(str::to_owned));
    let python = python::environment("venv-peers", &interpreter, &packages, None)?;
    Ok(python.parent().unwrap_or(Path::new(".")).to_owned())
}

fn machine() -> String {
    let file = |path: &str| fs_err::read_to_string(path).unwrap_or_default();
    let cpuinfo = file("/proc/cpuinfo");
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or("an unknown processor");
    let cores = cpuinfo
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    let kernel = file("/proc/sys/kernel/osrelease");
    format!(
        "{} ({cores} cores), Linux {}",
        model.trim_start_matches(['\t', ':', ' ']),
        kernel.trim()
    )
}

fn markdown(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = vec!["---".to_owned(); table.heading.len()];
    let mut text = format!(
        "## {}\n\n{}{}",
        table.title,
        line(&table.heading),
        line(&rule)
    );
    for row in &table.rows {
        text += &line(row);
    }
    text
}

/// The sections that the document has, those of the same title replaced by the new ones.
fn merged(document: &str, mut new: Vec<String>) -> Vec<String> {
    let title = |section: &str| section.lines().next().unwrap_or_default().to_owned();
    let between = document.split_once(BEGIN).map_or("", |(_, rest)| rest);
    let between = between.split_once(END).map_or("", |(text, _)| text);
    let mut sections: Vec<String> = between
        .split("\n## ")
        .skip(1)
        .map(|section| format!("## {}\n", section.trim_end()))
        .collect();
    for section in &mut sections {
        if let Some(index) = new.iter().position(|one| title(one) == title(section)) {
            *section = new.remove(index);
        }
    }
    sections.extend(new);
    sections
}

fn replaced(document: &str, text: &str) -> Result<String> {
    let (before, rest) = document
        .split_once(BEGIN)
        .with_context(|| format!("{DOCUMENT} has no {BEGIN}"))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{DOCUMENT} has no {END}"))?;
    Ok(format!("{before}{BEGIN}\n{text}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_tables_take_the_place_of_the_old_ones_and_nothing_else() {
        let document = format!("head\n{BEGIN}\nold\n{END}\ntail\n");
        assert_eq!(
            replaced(&document, "new\n").unwrap(),
            format!("head\n{BEGIN}\nnew\n{END}\ntail\n")
        );
        assert!(replaced("nothing to replace", "new").is_err());
    }

    #[test]
    fn a_table_that_was_measured_alone_leaves_the_others_as_they_are() {
        let document =
            format!("head\n{BEGIN}\nMeasured.\n\n## one\n\n1\n\n## two\n\n2\n{END}\ntail\n");
        let new = vec!["## two\n\nnew\n".to_owned(), "## three\n\n3\n".to_owned()];
        assert_eq!(
            merged(&document, new),
            ["## one\n\n1\n", "## two\n\nnew\n", "## three\n\n3\n"]
        );
    }
}
