//! The project's own chores. `cargo xtask --help` lists them.

mod dependencies;
mod docs;
mod fuzz;
mod generate;
mod markdown;
mod steps;
mod test;
mod tidy;
mod tools;
mod wheel;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{command, workspace};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own chores")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs what needs no installation: format, lints, unit tests and recorded truth
    Check,
    /// Runs every check of the project, and installs what is missing
    Test(test::Options),
    /// Runs every fuzz target for a while
    Fuzz(fuzz::Options),
    /// Checks sizes, dependency directions, the place of unsafe code and the style of text
    Tidy(tidy::Options),
    /// Writes the files that derive from the code
    Generate(generate::Options),
    /// Builds the documentation as a site, and checks its links
    Docs,
    /// Builds the wheel and the source distribution
    Wheel,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Check => test::check(),
        Task::Test(options) => test::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Tidy(options) => tidy::run(&options),
        Task::Generate(options) => generate::run(&options),
        Task::Docs => docs::run(),
        Task::Wheel => wheel::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
