//! The project's own chores. `cargo xtask --help` lists them.

mod arrays;
mod bench;
mod command;
mod corpus;
mod environments;
mod files;
mod fixtures;
mod folklore;
mod fuzz;
mod generate;
mod links;
mod majority;
mod newer_python;
mod python;
mod record;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The project's own chores")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Sets up what is missing and runs every check of the project
    Test(test::Options),
    /// Runs the live corpus and prints the score
    Corpus(corpus::Options),
    /// Compares arrays and tensors as crashlens reads them with what programs say of their own
    Arrays(arrays::Options),
    /// Records one death per interpreter for the unwinder's tests
    Record(record::Options),
    /// Makes readable test captures of the ones that a run of the corpus kept
    Fixtures(fixtures::Options),
    /// Runs the programs that test popular beliefs, and compares what they do with what is recorded
    Folklore(folklore::Options),
    /// Holds what is predicted of native files against a real loader
    Links(links::Options),
    /// Holds what is said of damaged files against what TensorFlow does with them
    Files(files::Options),
    /// Makes environments of real packages, and compares what happens in them with what `crashlens check` says
    Environments(environments::Options),
    /// Measures crashlens side by side with its peers
    Bench(bench::Options),
    /// Runs every fuzz target for a while
    Fuzz(fuzz::Options),
    /// Checks sizes, dependency directions and the place of unsafe code
    Tidy(tidy::Options),
    /// Writes the files that derive from the code
    Generate(generate::Options),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Test(options) => test::run(&options),
        Task::Corpus(options) => corpus::run(&options),
        Task::Arrays(options) => arrays::run(&options),
        Task::Record(options) => record::run(&options),
        Task::Fixtures(options) => fixtures::run(&options),
        Task::Folklore(options) => folklore::run(&options),
        Task::Links(options) => links::run(&options),
        Task::Environments(options) => environments::run(&options),
        Task::Files(options) => files::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Tidy(options) => tidy::run(&options),
        Task::Generate(options) => generate::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
