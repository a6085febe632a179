//! `cargo xtask test`: everything that has to hold, on a machine that may have nothing but Rust and Python.

use std::fmt::Display;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::{
    arrays, command, corpus, environments, files, folklore, fuzz, generate, newer_python, tidy,
    workspace,
};

#[derive(clap::Args)]
pub struct Options {
    /// Leave out what takes minutes: the fuzz targets, the live corpus, the folklore and the environments
    #[arg(long)]
    quick: bool,
    /// How long each fuzz target runs
    #[arg(long, value_name = "N", default_value_t = 10)]
    fuzz_seconds: u32,
}

/// The crate with a hundred dependencies that nothing else has: it is built in a step of its own, after all others.
const OBJECT_STORAGE: &str = "crashlens-objects";

/// How a step ended, when it did not fail.
enum Step {
    Passed,
    Skipped(String),
}

#[derive(Default)]
struct Tally {
    passed: u32,
    failed: Vec<&'static str>,
}

impl Tally {
    fn step(&mut self, name: &'static str, run: impl FnOnce() -> Result<Step>) {
        println!("\n== {name}");
        let start = Instant::now();
        let took =
            |word: &dyn Display| println!("-- {name}: {word} ({} s)", start.elapsed().as_secs());
        match run() {
            Ok(Step::Passed) => {
                self.passed += 1;
                took(&"passed");
            }
            Ok(Step::Skipped(reason)) => took(&format!("skipped, {reason}")),
            Err(error) => {
                self.failed.push(name);
                took(&format!("FAILED, {error:#}"));
            }
        }
    }
}

pub fn run(options: &Options) -> Result<()> {
    let mut tally = Tally::default();
    tally.step("system packages", system_packages);
    let mut further_python = None;
    tally.step("newer Python", || {
        match newer_python::fetch() {
            Ok(path) => further_python = Some(path),
            Err(error) => return Ok(Step::Skipped(format!("it cannot be had here: {error:#}"))),
        }
        Ok(Step::Passed)
    });
    tally.step("format", || cargo(&["fmt", "--all", "--check"]));
    tally.step("clippy", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--exclude",
            OBJECT_STORAGE,
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ])
    });
    tally.step("tidy", || {
        tidy::run(&tidy::Options::default()).map(|()| Step::Passed)
    });
    tally.step("generated files", || {
        generate::run(&generate::Options { check: true }).map(|()| Step::Passed)
    });
    tally.step("tests", || tests(further_python.as_deref()));
    tally.step("documentation tests", || {
        cargo(&[
            "test",
            "--quiet",
            "--workspace",
            "--exclude",
            OBJECT_STORAGE,
            "--doc",
        ])
    });
    tally.step("documentation", documentation);
    tally.step("object storage", object_storage);
    tally.step("dependencies", dependencies);
    tally.step("arrays of both NumPys", arrays_of_numpy);
    if !options.quick {
        tally.step("arrays and tensors of TensorFlow", arrays_of_tensorflow);
        tally.step("damaged files", || files::check().map(|()| Step::Passed));
        tally.step("fuzz", || fuzz_targets(options.fuzz_seconds));
        tally.step("live corpus", || live_corpus(None));
        tally.step("near misses", || live_corpus(Some("near")));
        tally.step("folklore", folklore_of_tensorflow);
        tally.step("environments", small_environments);
    }
    println!("\n{} passed, {} failed", tally.passed, tally.failed.len());
    ensure!(
        tally.failed.is_empty(),
        "failed: {}",
        tally.failed.join(", ")
    );
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<Step> {
    command::succeed(workspace::cargo().args(arguments)).map(|()| Step::Passed)
}

/// Programs that tests run, and the Debian packages they are in.
const PROGRAMS: [(&str, &str); 5] = [
    ("gdb", "gdb"),
    ("strace", "strace"),
    ("gcc", "gcc"),
    ("g++", "g++"),
    ("python3", "python3-venv"),
];

fn system_packages() -> Result<Step> {
    let missing: Vec<_> = PROGRAMS
        .iter()
        .filter(|(program, _)| workspace::find_program(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(Step::Passed);
    }
    if !nix::unistd::geteuid().is_root() || workspace::find_program("apt-get").is_none() {
        return Ok(Step::Skipped(format!(
            "{} missing, and only root can install with apt",
            missing.join(", ")
        )));
    }
    command::succeed(Command::new("apt-get").args(["update", "-qq"]))?;
    let mut install = Command::new("apt-get");
    install
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(missing);
    command::succeed(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(Step::Passed)
}

/// All tests, also on an interpreter that is on no search path.
fn tests(further_python: Option<&Path>) -> Result<Step> {
    let mut run = workspace::cargo();
    if let Some(python) = further_python {
        run.env("CRASHLENS_PYTHONS", python);
    }
    if workspace::find_program("cargo-nextest").is_some() {
        run.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        run.args(["--exclude", OBJECT_STORAGE]);
    } else {
        println!("cargo-nextest is not installed; cargo test runs the same tests, one at a time");
        // Building nextest takes longer than all the tests. Tracing tests must not run side by side.
        run.args(["test", "--workspace", "--all-targets", "--no-fail-fast"]);
        run.args(["--exclude", OBJECT_STORAGE]);
        run.args(["--", "--test-threads=1"]);
    }
    command::succeed(&mut run).map(|()| Step::Passed)
}

fn documentation() -> Result<Step> {
    let mut doc = workspace::cargo();
    doc.args([
        "doc",
        "--workspace",
        "--exclude",
        OBJECT_STORAGE,
        "--no-deps",
        "--document-private-items",
    ])
    .env("RUSTDOCFLAGS", "-D warnings");
    command::succeed(&mut doc).map(|()| Step::Passed)
}

/// The store against its server, and the command that was built with it.
fn object_storage() -> Result<Step> {
    let packages = ["-p", OBJECT_STORAGE, "-p", "crashlens"];
    let feature = ["--features", "crashlens/object-storage"];
    let mut clippy = workspace::cargo();
    clippy.arg("clippy").args(packages).args(feature);
    clippy.args(["--lib", "--test", "objects", "--", "-D", "warnings"]);
    command::succeed(&mut clippy)?;
    let mut run = workspace::cargo();
    run.arg("test").args(packages).args(feature);
    run.args(["--no-fail-fast", "--test", "objects"]);
    command::succeed(&mut run)?;
    cargo(&["test", "--quiet", "--doc", "-p", OBJECT_STORAGE])?;
    cargo(&["test", "--quiet", "--lib", "-p", OBJECT_STORAGE])
}

fn dependencies() -> Result<Step> {
    if workspace::find_program("cargo-deny").is_none() {
        return Ok(Step::Skipped("cargo-deny is not installed".to_owned()));
    }
    // Advisories need a database from the network, so they are no part of a test.
    cargo(&["deny", "check", "licenses", "bans", "sources"])
}

fn fuzz_targets(seconds: u32) -> Result<Step> {
    if fuzz::all_targets()?.is_empty() {
        return Ok(Step::Skipped("there are no fuzz targets".to_owned()));
    }
    fuzz::run(&fuzz::Options {
        seconds,
        targets: Vec::new(),
    })
    .map(|()| Step::Passed)
}

/// Both majors of NumPy, whose layouts differ.
fn arrays_of_numpy() -> Result<Step> {
    let mut environments = Vec::new();
    for version in arrays::NUMPY {
        match arrays::numpy(version) {
            Ok(python) => environments.push(python),
            Err(error) => return Ok(Step::Skipped(format!("{error:#}"))),
        }
    }
    arrays::compare(environments).map(|()| Step::Passed)
}

fn arrays_of_tensorflow() -> Result<Step> {
    match corpus::default_environment() {
        Ok(python) => arrays::compare(vec![python]).map(|()| Step::Passed),
        Err(error) => Ok(Step::Skipped(format!("{error:#}"))),
    }
}

/// Popular beliefs, each by the program that tests it.
fn folklore_of_tensorflow() -> Result<Step> {
    let python = match corpus::default_environment() {
        Ok(python) => python,
        Err(error) => return Ok(Step::Skipped(format!("{error:#}"))),
    };
    let options = folklore::Options {
        tensorflow: corpus::DEFAULT_TENSORFLOW.to_owned(),
        beliefs: Vec::new(),
        update: false,
        crashlens: None,
        python: Some(python),
    };
    folklore::run(&options).map(|()| Step::Passed)
}

/// Environments of real packages, as far as they are small.
fn small_environments() -> Result<Step> {
    if let Err(error) = corpus::default_environment() {
        return Ok(Step::Skipped(format!("{error:#}")));
    }
    let options = environments::Options {
        ci: true,
        ..environments::Options::default()
    };
    environments::run(&options).map(|()| Step::Passed)
}

fn live_corpus(set: Option<&str>) -> Result<Step> {
    let python = match corpus::default_environment() {
        Ok(python) => python,
        Err(error) => return Ok(Step::Skipped(format!("{error:#}"))),
    };
    let options = corpus::Options {
        tensorflow: corpus::DEFAULT_TENSORFLOW.to_owned(),
        cases: Vec::new(),
        set: set.map(str::to_owned),
        bare: None,
        repeat: None,
        update: false,
        crashlens: None,
        python: Some(python),
        kept: None,
        keep: None,
    };
    corpus::run(&options).map(|()| Step::Passed)
}
