//! `crashlens completions`: what a shell needs to complete the command line.

use std::io::{self, Write as _};

use clap::{Command, CommandFactory as _};
use clap_complete::generate;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// Prints the script on standard output.
pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut offered(), "crashlens", &mut script);
    io::stdout()
        .write_all(&script)
        .map_err(|error| Failure::writing("standard output", &error, ExitStatus::NoReport))?;
    Ok(ExitStatus::Success)
}

/// The command line without its hidden commands, which `clap_complete` would offer.
fn offered() -> Command {
    let all = Cli::command();
    let shown = all
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    Command::new("crashlens")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommands(shown.cloned())
}
