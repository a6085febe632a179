//! `cargo xtask generate`: writes the files that derive from the code, or checks that they are fresh.

use anyhow::{Result, ensure};

use crate::{command, workspace};

/// What the hidden command `crashlens __generate WHAT` prints, and where that is kept.
const FILES: [(&str, &str); 2] = [
    ("schema", "crates/crashlens/schema/report.v1.json"),
    ("cli", "docs/cli.md"),
];

#[derive(clap::Args)]
pub struct Options {
    /// Only tell whether the files are as they should be
    #[arg(long)]
    pub check: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let mut stale = Vec::new();
    for (what, path) in FILES {
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
        let file = workspace::root().join(path);
        if fs_err::read_to_string(&file).is_ok_and(|committed| committed == text) {
            continue;
        }
        if options.check {
            stale.push(path);
        } else {
            if let Some(folder) = file.parent() {
                fs_err::create_dir_all(folder)?;
            }
            fs_err::write(&file, text)?;
            println!("wrote {path}");
        }
    }
    ensure!(
        stale.is_empty(),
        "{} not as generated; run `cargo xtask generate`",
        stale.join(" and ")
    );
    Ok(())
}
