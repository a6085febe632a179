//! Research programs: each runs real programs or packages, and compares what happens with what crashlens says.
//! `cargo lab --help` lists them, and `lab/README.md` says what each is for.

mod arrays;
mod bench;
mod corpus;
mod debian;
mod enabled;
mod environments;
mod files;
mod fixtures;
mod folklore;
mod links;
mod majority;
mod newer_python;
mod pages;
mod python;
mod record;
mod reliability;
mod side_by_side;
mod terminal;
mod wheel;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{command, workspace};

#[derive(Parser)]
#[command(name = "cargo lab", about = "Compares crashlens with real programs")]
struct Arguments {
    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand)]
enum Program {
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
    /// Compares what is predicted of native files with a real loader
    Links(links::Options),
    /// Compares what is said of damaged files with what TensorFlow does with them
    Files(files::Options),
    /// Makes environments of real packages, and compares what happens in them with what `crashlens check` says
    Environments(environments::Options),
    /// Types the same keys at programs alone and under crashlens, and compares the screens
    Terminal(terminal::Options),
    /// Shows reports in Chromium, and asserts that they run nothing, ask for nothing, and fit
    Pages(pages::Options),
    /// Counts in how many runs a program is unaffected by crashlens, and by kills of crashlens
    Reliability(reliability::Options),
    /// Runs programs with TensorFlow alone and watched by `crashlens.enable()`, and compares them
    Enabled(enabled::Options),
    /// Measures crashlens side by side with its peers
    Bench(bench::Options),
    /// Installs the wheel in clean environments, and tries it there
    Wheel(wheel::Options),
    /// Makes the virtual environment of the live corpus
    Tensorflow,
    /// Unpacks an interpreter of the next Debian beside the system, and prints its path
    NewerPython,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().program {
        Program::Corpus(options) => corpus::run(&options),
        Program::Arrays(options) => arrays::run(&options),
        Program::Record(options) => record::run(&options),
        Program::Fixtures(options) => fixtures::run(&options),
        Program::Folklore(options) => folklore::run(&options),
        Program::Links(options) => links::run(&options),
        Program::Environments(options) => environments::run(&options),
        Program::Files(options) => files::run(&options),
        Program::Terminal(options) => terminal::run(&options),
        Program::Pages(options) => pages::run(&options),
        Program::Reliability(options) => reliability::run(&options),
        Program::Enabled(options) => enabled::run(&options),
        Program::Bench(options) => bench::run(&options),
        Program::Wheel(options) => wheel::run(&options),
        Program::Tensorflow => corpus::default_environment().map(|_| ()),
        Program::NewerPython => newer_python::fetch().map(|path| println!("{}", path.display())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
