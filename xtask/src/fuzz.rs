//! `cargo xtask fuzz`: runs the fuzz targets with the stable toolchain.
//!
//! cargo-fuzz needs a nightly compiler for its address sanitizer. The fuzzed crates forbid unsafe code, so
//! that the sanitizer has little to find; coverage alone is what guides libFuzzer, and a stable compiler can
//! give it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::{command, workspace};

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What cargo-fuzz passes for coverage.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions=on -Coverflow-checks=on";

#[derive(clap::Args)]
pub struct Options {
    /// How long each target runs
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub seconds: u32,
    /// Run only this target; may be given several times
    #[arg(long = "target", value_name = "NAME")]
    pub targets: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    let mut targets = all_targets()?;
    targets.retain(|target| options.targets.is_empty() || options.targets.contains(target));
    ensure!(!targets.is_empty(), "there is no such fuzz target");
    let folder = workspace::root().join("fuzz");
    command::succeed(
        workspace::cargo()
            .args(["build", "--release", "--bins", "--target", TARGET])
            .current_dir(&folder)
            .env("RUSTFLAGS", COVERAGE)
            // Flags that concern other builds would take the place of ours.
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_TARGET_DIR"),
    )?;
    let mut failed = Vec::new();
    for pair in targets.chunks(2) {
        let running: Vec<_> = pair
            .iter()
            .map(|target| Ok((target, start(&folder, target, options.seconds)?)))
            .collect::<Result<_>>()?;
        for (target, mut child) in running {
            let status = child.wait()?;
            println!(
                "{target}: {}",
                if status.success() {
                    "nothing found".to_owned()
                } else {
                    status.to_string()
                }
            );
            if !status.success() {
                println!("    see {}", log_path(target)?.display());
                failed.push(target.clone());
            }
        }
    }
    ensure!(failed.is_empty(), "fuzzing broke {}", failed.join(", "));
    Ok(())
}

/// Names of the targets, one file each; none when there is no fuzz package.
pub fn all_targets() -> Result<Vec<String>> {
    let folder = workspace::root().join("fuzz/fuzz_targets");
    let mut targets = Vec::new();
    if folder.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                targets.extend(
                    path.file_stem()
                        .map(|name| name.to_string_lossy().into_owned()),
                );
            }
        }
    }
    targets.sort();
    Ok(targets)
}

fn start(folder: &Path, target: &str, seconds: u32) -> Result<Child> {
    let place = workspace::scratch()?.join("fuzz").join(target);
    fs_err::create_dir_all(place.join("found"))?;
    fs_err::create_dir_all(place.join("broken"))?;
    let mut run = Command::new(
        folder
            .join("target")
            .join(TARGET)
            .join("release")
            .join(target),
    );
    run.arg(format!("-max_total_time={seconds}"))
        // Inputs are a few kilobytes: what takes this much of either is a bomb.
        .args(["-rss_limit_mb=512", "-timeout=10", "-print_final_stats=1"])
        .arg(format!(
            "-artifact_prefix={}/",
            place.join("broken").display()
        ))
        .arg(place.join("found"));
    let seeds = folder.join("seeds").join(target);
    if seeds.is_dir() {
        run.arg(seeds);
    }
    let log = fs_err::File::create(log_path(target)?)?.into_file();
    run.stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    run.spawn()
        .with_context(|| format!("cannot start the fuzz target {target}"))
}

fn log_path(target: &str) -> Result<PathBuf> {
    Ok(workspace::scratch()?
        .join("fuzz")
        .join(target)
        .join("log.txt"))
}
