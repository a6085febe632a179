//! `cargo lab reliability`: counts in how many runs a program is unaffected by crashlens, and by its end.
//!
//! The page has these counts and what `cargo lab terminal` saw. Both are kept in one file, from which the page is made.

mod denied;
mod denied_calls;
mod kills;
mod page;
mod seen;
mod statuses;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use nix::sys::resource::{Resource, setrlimit};

use self::kills::Victim;
pub use self::seen::Seen;
use crate::workspace;

const PAGE: &str = "docs/reliability.md";

#[derive(clap::Args)]
pub struct Options {
    /// Write what was counted, and the page
    #[arg(long)]
    pub update: bool,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    pub crashlens: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    // Core files would be written where the machine's core_pattern is a plain file name.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let mut counts = vec![
        ("exit statuses", statuses::exit_statuses(&crashlens)?),
        ("signals", statuses::signals(&crashlens)?),
        (
            "kills of crashlens",
            kills::survived(&crashlens, Victim::Supervisor)?,
        ),
        (
            "kills of the relay",
            kills::survived(&crashlens, Victim::Relay)?,
        ),
    ];
    let denied = denied::tried(&crashlens)?;
    counts.extend(denied.into_iter().map(|(it, count)| (it.key(), count)));
    let mut fewer = Vec::new();
    for (name, count) in &counts {
        println!("{name:<24}{} of {}", count.good, count.of);
        if count.good != count.of {
            fewer.push(*name);
        }
    }
    if options.update {
        let mut seen = Seen::read()?;
        for (name, count) in counts {
            seen.counts.insert(name.to_owned(), count);
        }
        seen.write()?;
    }
    ensure!(fewer.is_empty(), "not in all runs: {}", fewer.join(", "));
    Ok(())
}

/// Writes the page from what is kept.
fn write_page() -> Result<()> {
    fs_err::write(workspace::root().join(PAGE), page::page(&Seen::read()?))?;
    println!("wrote {PAGE}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_was_seen() {
        let committed = fs_err::read_to_string(workspace::root().join(PAGE)).unwrap();
        assert!(
            committed == page::page(&Seen::read().unwrap()),
            "{PAGE} is stale; `cargo lab terminal --update` writes it"
        );
    }
}
