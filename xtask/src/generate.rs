//! `cargo xtask generate`: writes the files that derive from the code, or checks that they are fresh.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

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

/// What the wheel installs next to the program, in the layout that maturin's `data` asks for.
const SHARE: &str = "python/crashlens.data/data/share";

/// Where the shells look for completion scripts below `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/crashlens"),
    ("zsh", "zsh/site-functions/_crashlens"),
    ("fish", "fish/vendor_completions.d/crashlens.fish"),
];

/// The table of contents of the documentation. All from the mark on is generated.
const SUMMARY: &str = "docs/SUMMARY.md";
const SUMMARY_MARK: &str = "<!-- Generated from here on by `cargo xtask generate`. -->\n";

/// Where the pages of the rule book are kept: `crashlens __generate rules` prints them all as one JSON object.
const BOOK: &str = "docs/rules";

pub fn run(options: &Options) -> Result<()> {
    let mut wanted = BTreeMap::new();
    wanted.insert(SCHEMA.to_owned(), schema()?);
    wanted.insert(REFERENCE.to_owned(), printed(&["__generate", "cli"])?);
    wanted.insert(SUMMARY.to_owned(), summary()?);
    for (shell, path) in COMPLETIONS {
        let script = printed(&["completions", shell])?;
        wanted.insert(format!("{SHARE}/{path}"), script);
    }
    for (name, text) in manual()? {
        wanted.insert(format!("{SHARE}/man/man1/{name}"), text);
    }
    let book: BTreeMap<String, String> = serde_json::from_str(&printed(&["__generate", "rules"])?)?;
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

/// The manual pages by file name. As the schema, an example writes them.
fn manual() -> Result<BTreeMap<String, String>> {
    let folder = tempfile::tempdir()?;
    let mut man = workspace::cargo();
    man.args(["run", "--quiet", "--package", "crashlens"]);
    man.args(["--example", "man", "--"]).arg(folder.path());
    command::succeed(&mut man)?;
    let mut pages = BTreeMap::new();
    for entry in fs_err::read_dir(folder.path())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.insert(name, fs_err::read_to_string(entry.path())?);
    }
    Ok(pages)
}

/// The table of contents: what was written by hand, then the rules.
fn summary() -> Result<String> {
    let committed = fs_err::read_to_string(workspace::root().join(SUMMARY))?;
    let (by_hand, _) = committed
        .split_once(SUMMARY_MARK)
        .with_context(|| format!("{SUMMARY} has lost the line that begins its generated part"))?;
    let rules = printed(&["__generate", "summary"])?;
    Ok(format!("{by_hand}{SUMMARY_MARK}\n{rules}"))
}

/// What the command prints.
fn printed(arguments: &[&str]) -> Result<String> {
    let mut run = workspace::cargo();
    run.args(["run", "--quiet", "--package", "crashlens", "--"]);
    let mut text = command::output(run.args(arguments))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Pages of rules and commands that were removed.
fn surplus(wanted: &BTreeMap<String, String>) -> Result<Vec<String>> {
    let mut surplus = Vec::new();
    for folder in [BOOK.to_owned(), format!("{SHARE}/man/man1")] {
        let Ok(entries) = fs_err::read_dir(workspace::root().join(&folder)) else {
            continue;
        };
        for entry in entries {
            let path = format!("{folder}/{}", entry?.file_name().to_string_lossy());
            if !wanted.contains_key(&path) {
                surplus.push(path);
            }
        }
    }
    Ok(surplus)
}
