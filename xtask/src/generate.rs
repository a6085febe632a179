//! `cargo xtask generate`: writes the files that derive from the code, or checks that they are fresh.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use crate::{command, workspace};

/// Where the JSON schema of the report is kept.
const SCHEMA: &str = "crates/crashlens/schema/report.v1.json";

/// Where the command-line reference is kept: `crashlens __generate cli` prints it.
const REFERENCE: &str = "docs/cli.md";

#[derive(clap::Args)]
pub struct Options {
    /// Only tell whether the files are as they should be
    #[arg(long)]
    pub check: bool,
}

/// Where the pages of the rule book are kept: `crashlens __generate rules` prints them all as one JSON object.
const BOOK: &str = "docs/rules";

pub fn run(options: &Options) -> Result<()> {
    let mut wanted = BTreeMap::new();
    wanted.insert(SCHEMA.to_owned(), schema()?);
    wanted.insert(REFERENCE.to_owned(), printed("cli")?);
    let book: BTreeMap<String, String> = serde_json::from_str(&printed("rules")?)?;
    for (name, text) in book {
        wanted.insert(format!("{BOOK}/{name}"), text);
    }
    let mut stale = Vec::new();
    for (path, text) in &wanted {
        let file = workspace::root().join(path);
        if fs_err::read_to_string(&file).is_ok_and(|committed| committed == *text) {
            continue;
        }
        if options.check {
            stale.push(path.clone());
        } else {
            if let Some(folder) = file.parent() {
                fs_err::create_dir_all(folder)?;
            }
            fs_err::write(&file, text)?;
            println!("wrote {path}");
        }
    }
    for path in surplus(&wanted)? {
        if options.check {
            stale.push(path);
        } else {
            fs_err::remove_file(workspace::root().join(&path))?;
            println!("removed {path}");
        }
    }
    ensure!(
        stale.is_empty(),
        "{} not as generated; run `cargo xtask generate`",
        stale.join(" and ")
    );
    Ok(())
}

/// The JSON schema of the report. An example prints it, so that the program itself is built without schemars.
fn schema() -> Result<String> {
    command::output(workspace::cargo().args([
        "run",
        "--quiet",
        "--package",
        "crashlens-core",
        "--features",
        "schema",
        "--example",
        "schema",
    ]))
}

/// What the hidden command prints.
fn printed(what: &str) -> Result<String> {
    let mut text = command::output(workspace::cargo().args([
        "run",
        "--quiet",
        "--package",
        "crashlens",
        "--",
        "__generate",
        what,
    ]))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Pages of rules that there are no more.
fn surplus(wanted: &BTreeMap<String, String>) -> Result<Vec<String>> {
    let folder = workspace::root().join(BOOK);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut surplus = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = format!("{BOOK}/{}", entry?.file_name().to_string_lossy());
        if !wanted.contains_key(&path) {
            surplus.push(path);
        }
    }
    Ok(surplus)
}
