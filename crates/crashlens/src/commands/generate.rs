//! `crashlens __generate`: files of the repository that are derived from the code.

use std::io::{self, Write as _};

use crate::cli::{GenerateArgs, Generated};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::{reference, rule_pages};

/// Prints the file on standard output.
pub(crate) fn run(args: &GenerateArgs) -> Result<ExitStatus, Failure> {
    let text = match args.what {
        Generated::Cli => reference::markdown(),
        Generated::Rules => rule_pages::all(),
        Generated::Summary => rule_pages::summary(),
    };
    io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::writing("standard output", &error, ExitStatus::NoReport))?;
    Ok(ExitStatus::Success)
}
