//! `cargo xtask check` and `cargo xtask test`: what has to hold, in two tiers.
//!
//! The first installs nothing and is for every change. The second is everything, on a machine that may have nothing
//! but Rust and Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::steps::{Step, Tally, is_ci};
use crate::{command, dependencies, docs, fuzz, generate, tidy, wheel, workspace};

#[derive(clap::Args)]
pub struct Options {
    /// How long each fuzz target runs
    #[arg(long, value_name = "N", default_value_t = 10)]
    fuzz_seconds: u32,
}

/// The crate with a hundred dependencies that nothing else has: it is built in a step of its own, after all others.
const OBJECT_STORAGE: &str = "crashlens-objects";
/// The tests that trace, as `.config/nextest.toml` selects them to run one at a time.
const TRACING: &str =
    "(package(crashlens-trace) & kind(test)) | (package(crashlens) & test(/^traced::/))";

pub fn check() -> Result<()> {
    let mut tally = Tally::default();
    quick_steps(&mut tally);
    tally.finish(!is_ci())
}

pub fn run(options: &Options) -> Result<()> {
    let mut tally = Tally::default();
    tally.step("system packages", system_packages);
    quick_steps(&mut tally);
    let mut further_python = None;
    tally.step("newer Python", || match newer_python() {
        Ok(path) => {
            further_python = Some(path);
            Ok(Step::Passed)
        }
        Err(error) => Ok(Step::Skipped(format!("it cannot be had here: {error:#}"))),
    });
    tally.step("tracing tests", || tracing_tests(further_python.as_deref()));
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
    tally.step("documentation site", || docs::run().map(|()| Step::Passed));
    tally.step("object storage", object_storage);
    tally.step("dependencies", dependencies::check);
    tally.step("wheel", wheel_and_installs);
    tally.step("fuzz", || fuzz_targets(options.fuzz_seconds));
    let mut has_tensorflow = false;
    tally.step("TensorFlow", || match lab(&["tensorflow"]) {
        Ok(step) => {
            has_tensorflow = true;
            Ok(step)
        }
        Err(error) => Ok(Step::Skipped(format!("it cannot be had here: {error:#}"))),
    });
    tally.step("terminal", terminal);
    tally.step("pages in a browser", pages);
    tally.step("reliability", || lab(&["reliability"]));
    let mut live = |name: &'static str, arguments: &[&str]| {
        tally.step(name, || {
            if has_tensorflow {
                lab(arguments)
            } else {
                Ok(Step::Skipped("there is no TensorFlow".to_owned()))
            }
        });
    };
    live("crashlens.enable()", &["enabled"]);
    live("arrays and tensors", &["arrays"]);
    live("live corpus", &["corpus"]);
    live("near misses", &["corpus", "--set", "near"]);
    live("folklore", &["folklore"]);
    live("environments", &["environments", "--ci"]);
    tally.finish(!is_ci())
}

/// What installs nothing and runs in parallel.
fn quick_steps(tally: &mut Tally) {
    tally.step("format", || cargo(&["fmt", "--all", "--check"]));
    tally.step("clippy", || {
        let workspace = ["clippy", "--workspace", "--exclude", OBJECT_STORAGE];
        let targets = ["--all-targets", "--", "-D", "warnings"];
        cargo(&[&workspace[..], &targets[..]].concat())
    });
    tally.step("tidy", || {
        tidy::run(&tidy::Options::default()).map(|()| Step::Passed)
    });
    tally.step("generated files", || {
        generate::run(&generate::Options { check: true }).map(|()| Step::Passed)
    });
    tally.step("unit tests", unit_tests);
    tally.step("damaged files against recorded truth", || lab(&["files"]));
}

fn cargo(arguments: &[&str]) -> Result<Step> {
    command::succeed(workspace::cargo().args(arguments)).map(|()| Step::Passed)
}

/// A research program. It is a process of its own, so that this command is built without what they need.
fn lab_command(arguments: &[&str]) -> Command {
    let mut lab = workspace::cargo();
    lab.args(["run", "--quiet", "--package", "lab", "--"]);
    lab.args(arguments);
    lab
}

fn lab(arguments: &[&str]) -> Result<Step> {
    command::succeed(&mut lab_command(arguments)).map(|()| Step::Passed)
}

/// After TensorFlow, because one of the programs that are compared needs it.
fn terminal() -> Result<Step> {
    if workspace::find_program("tmux").is_none() {
        return Ok(Step::Skipped("there is no tmux".to_owned()));
    }
    lab(&["terminal"])
}

fn pages() -> Result<Step> {
    if workspace::find_program("chromium").is_none() {
        return Ok(Step::Skipped("there is no Chromium".to_owned()));
    }
    lab(&["pages"])
}

fn newer_python() -> Result<PathBuf> {
    let said = command::output(&mut lab_command(&["newer-python"]))?;
    Ok(PathBuf::from(said.lines().last().unwrap_or_default()))
}

/// Programs that tests run, and the Debian packages they are in.
const PROGRAMS: [(&str, &str); 18] = [
    ("gdb", "gdb"),
    ("strace", "strace"),
    ("gcc", "gcc"),
    ("g++", "g++"),
    ("python3", "python3-venv"),
    // For `cargo lab terminal`, which skips what is not there.
    ("tmux", "tmux"),
    ("less", "less"),
    ("git", "git"),
    ("man", "man-db"),
    ("vim", "vim"),
    ("nano", "nano"),
    ("top", "procps"),
    ("htop", "htop"),
    ("dialog", "dialog"),
    ("zsh", "zsh"),
    // For the completion scripts, as zsh and man above.
    ("fish", "fish"),
    ("tput", "ncurses-bin"),
    // For `cargo lab pages`.
    ("chromium", "chromium"),
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

fn has_nextest() -> bool {
    workspace::find_program("cargo-nextest").is_some()
}

/// All tests that trace nothing, side by side.
fn unit_tests() -> Result<Step> {
    if has_nextest() {
        let filter = format!("not ({TRACING})");
        return cargo(&[
            "nextest",
            "run",
            "--workspace",
            "--exclude",
            OBJECT_STORAGE,
            "--no-fail-fast",
            "-E",
            &filter,
        ]);
    }
    // Building nextest takes longer than all the tests.
    cargo(&[
        "test",
        "--workspace",
        "--exclude",
        OBJECT_STORAGE,
        "--exclude",
        "crashlens-trace",
        "--all-targets",
        "--no-fail-fast",
        "--",
        "--skip",
        "traced::",
    ])?;
    cargo(&["test", "--package", "crashlens-trace", "--lib"])
}

/// The tests that trace, one at a time, also on an interpreter that is on no search path.
fn tracing_tests(further_python: Option<&Path>) -> Result<Step> {
    let cargo = || {
        let mut cargo = workspace::cargo();
        if let Some(python) = further_python {
            cargo.env("CRASHLENS_PYTHONS", python);
        }
        cargo
    };
    let packages = ["--package", "crashlens-trace", "--package", "crashlens"];
    if has_nextest() {
        let mut run = cargo();
        run.args(["nextest", "run", "--no-fail-fast", "-E", TRACING]);
        command::succeed(run.args(packages))?;
        return Ok(Step::Passed);
    }
    let serial = ["--", "--test-threads=1"];
    let mut tracer = cargo();
    tracer.args([
        "test",
        "--package",
        "crashlens-trace",
        "--no-fail-fast",
        "--test",
        "*",
    ]);
    command::succeed(tracer.args(serial))?;
    let mut command_line = cargo();
    command_line.args([
        "test",
        "--package",
        "crashlens",
        "--no-fail-fast",
        "--test",
        "cli",
        "traced::",
    ]);
    command::succeed(command_line.args(serial))?;
    Ok(Step::Passed)
}

fn documentation() -> Result<Step> {
    let mut doc = workspace::cargo();
    doc.args(["doc", "--workspace", "--exclude", OBJECT_STORAGE])
        .args(["--no-deps", "--document-private-items"])
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
    cargo(&["test", "--quiet", "--lib", "-p", OBJECT_STORAGE])
}

/// The wheel of a release, installed and tried in clean environments.
fn wheel_and_installs() -> Result<Step> {
    let tools = match wheel::tools() {
        Ok(tools) => tools,
        Err(error) => {
            return Ok(Step::Skipped(format!(
                "its tools cannot be had here: {error:#}"
            )));
        }
    };
    wheel::build(&tools)?;
    lab(&["wheel"])
}

fn fuzz_targets(seconds: u32) -> Result<Step> {
    fuzz::run(&fuzz::Options {
        seconds,
        targets: Vec::new(),
    })
    .map(|()| Step::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_that_trace_are_the_ones_that_nextest_runs_one_at_a_time() {
        let configured = fs_err::read_to_string(workspace::root().join(".config/nextest.toml"));
        let filter = format!("filter = \"{TRACING}\"");
        assert!(configured.expect("a configuration").contains(&filter));
    }
}
