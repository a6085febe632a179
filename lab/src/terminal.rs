//! `cargo lab terminal`: programs at a terminal, alone and under crashlens, with the same keys typed at both.
//!
//! Both run at the same time in tmux. After each step the screens are compared, with colors and the place of the cursor,
//! and in the end the exit status that the shell has in its prompt.

mod case;
mod cases;
mod play;
mod room;
mod screen;
mod tmux;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use nix::sys::resource::{Resource, setrlimit};

use self::case::Case;
use self::play::Outcome;
use self::room::{Room, Second};
use crate::reliability::Seen;
use crate::{side_by_side, workspace};

#[derive(clap::Args)]
pub struct Options {
    /// Run only this case; may be given several times
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    pub crashlens: Option<PathBuf>,
    /// Compare the programs with themselves, to test the comparison
    #[arg(long)]
    pub bare: bool,
    /// Write what was seen, and the page
    #[arg(long, conflicts_with = "bare")]
    pub update: bool,
    /// How often every case is run
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub rounds: usize,
    /// How long screens may differ
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub patience: u64,
}

pub fn run(options: &Options) -> Result<()> {
    ensure!(room::has_tmux(), "there is no tmux");
    let second = if options.bare {
        Second::Bare
    } else {
        Second::Supervised(workspace::crashlens(options.crashlens.as_deref())?)
    };
    let room = Room::new(second);
    // Shells say whether a core dump was written, which depends on the machine's core_pattern.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let chosen: Vec<_> = cases::all()
        .into_iter()
        .filter(|case| options.cases.is_empty() || options.cases.iter().any(|it| it == case.name))
        .collect();
    let mut tally = Tally::default();
    for _ in 0..options.rounds {
        side_by_side::in_order(
            &chosen,
            |case| Ok(verdict(case, &room, Duration::from_secs(options.patience))),
            |case, verdict| {
                tally.take(case, &verdict);
                Ok(())
            },
        )?;
    }
    let seen = tally.seen.iter();
    let different: Vec<_> = seen
        .filter(|(_, same)| !**same)
        .map(|(name, _)| name.clone())
        .collect();
    println!(
        "{} same, {} different, {} skipped",
        tally.same, tally.different, tally.skipped
    );
    if options.update {
        let mut seen = Seen::read()?;
        // A case that was renamed or removed has no row any more.
        seen.terminal
            .retain(|name, _| cases::all().iter().any(|case| case.name == name));
        seen.terminal.extend(tally.seen);
        seen.write()?;
    }
    ensure!(
        different.is_empty(),
        "not the same: {}",
        different.join(", ")
    );
    Ok(())
}

/// The rows of the page, by whether each case was the same.
pub fn rows(seen: &BTreeMap<String, bool>) -> Vec<String> {
    let row = |case: &Case| {
        let (screens, status) = match seen.get(case.name) {
            Some(true) => ("same", format!("same: {}", case.status())),
            Some(false) => ("**differ**", "–".to_owned()),
            None => ("not run", "–".to_owned()),
        };
        let name = case.name.replace('\\', "\\\\").replace('<', "&lt;");
        format!("| {name} | {} | {screens} | {status} |\n", case.shows)
    };
    cases::all().into_iter().map(row).collect()
}

enum Verdict {
    Same,
    Differs(String),
    Skipped(String),
}

fn verdict(case: &Case, room: &Room, patience: Duration) -> Verdict {
    if let Some(reason) = room.lacks(case) {
        return Verdict::Skipped(reason);
    }
    match play::play(case, room, patience) {
        Ok(Outcome::Same) => Verdict::Same,
        Ok(Outcome::Differs(difference)) => Verdict::Differs(difference),
        Err(error) => Verdict::Differs(format!("{error:#}")),
    }
}

#[derive(Default)]
struct Tally {
    same: usize,
    different: usize,
    skipped: usize,
    /// By the name of a case, whether it was the same in all rounds.
    seen: BTreeMap<String, bool>,
}

impl Tally {
    fn take(&mut self, case: &Case, verdict: &Verdict) {
        let (count, text) = match verdict {
            Verdict::Same => (&mut self.same, format!("same, status {}", case.status())),
            Verdict::Differs(difference) => (
                &mut self.different,
                format!("DIFFERENT at {}", difference.trim_end()),
            ),
            Verdict::Skipped(reason) => (&mut self.skipped, format!("skipped: {reason}")),
        };
        *count += 1;
        if !matches!(verdict, Verdict::Skipped(_)) {
            let same = matches!(verdict, Verdict::Same);
            *self.seen.entry(case.name.to_owned()).or_insert(true) &= same;
        }
        println!("{:<24}{text}", case.name);
    }
}
