//! Systems with an older and a newer C library: the wheel in the root folder of another release of Debian.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Subject;
use super::home::{Home, ensure_explained, ran};
use super::page::Row;
use crate::{debian, workspace};

struct Release {
    suite: &'static str,
    name: &'static str,
    python: &'static str,
    libraries: &'static [&'static str],
}

const RELEASES: [Release; 2] = [
    // The oldest that Debian's mirrors still have.
    Release {
        suite: "bullseye",
        name: "Debian 11",
        python: "3.9",
        libraries: &[
            "libc6",
            "zlib1g",
            "libexpat1",
            "libffi7",
            "libgcc-s1",
            "libcrypt1",
        ],
    },
    Release {
        suite: "forky",
        name: "Debian 14 (testing)",
        python: "3.14",
        libraries: &[
            "libc6",
            "zlib1g",
            "libexpat1",
            "libffi8",
            "libgcc-s1",
            "libzstd1",
            "libssl3t64",
        ],
    },
];

/// What the package and the demonstration are called in there.
const SITE: &str = "opt/site";

pub fn check(subject: &Subject) -> Result<Vec<Row>> {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: only root can enter another root folder");
        return Ok(Vec::new());
    }
    RELEASES
        .iter()
        .map(|release| one(subject, release))
        .collect()
}

fn one(subject: &Subject, release: &Release) -> Result<Row> {
    let root = unpacked(release)?;
    let home = Home::new()?;
    let site = root.join(SITE);
    if site.exists() {
        fs_err::remove_dir_all(&site)?;
    }
    home.succeed(
        &format!(
            "python -m pip install --no-index --no-compile --only-binary=:all: --python-version {} --target {} {}",
            release.python,
            site.display(),
            subject.wheel.display()
        ),
        &[&subject.tools],
    )?;
    let demo = root.join("demo");
    fs_err::create_dir_all(&demo)?;
    fs_err::copy(
        workspace::root().join("demo/segfault.py"),
        demo.join("segfault.py"),
    )?;
    let python = format!("python{}", release.python);
    let library = ran(enter(&root).args([
        &python,
        "-c",
        "import os; print(os.confstr('CS_GNU_LIBC_VERSION'))",
    ]))?;
    ensure!(
        library.status.success(),
        "{python} does not run: {}",
        library.text
    );
    for line in [
        format!("/{SITE}/bin/crashlens run -- {python} demo/segfault.py"),
        format!("{python} -m crashlens demo/segfault.py"),
    ] {
        let crash = ran(enter(&root).args(line.split(' ')))?;
        ensure_explained(&line, &crash).with_context(|| release.name)?;
    }
    Ok(Row(format!(
        "| {}, {}, Python {} | `crashlens run` and `python -m crashlens` explain a crash |",
        release.name,
        library.text.trim(),
        release.python
    )))
}

/// The release's root folder, made once.
fn unpacked(release: &Release) -> Result<PathBuf> {
    let folder = workspace::scratch()?.join(format!("root-{}", release.suite));
    let is_complete = folder.join("complete");
    if !is_complete.exists() {
        let mut packages = release
            .libraries
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>();
        packages.extend(debian::python(release.python));
        let root = debian::unpack(release.suite, &packages, &folder)?;
        for name in ["proc", "dev", "tmp"] {
            fs_err::create_dir_all(root.join(name))?;
        }
        // Links that an installation makes: programs name their loader by the first path.
        for name in ["lib64", "lib"] {
            if !root.join(name).exists() {
                std::os::unix::fs::symlink(format!("usr/{name}"), root.join(name))?;
            }
        }
        fs_err::write(&is_complete, "")?;
    }
    Ok(folder.join("root"))
}

/// A program of that root folder, in a mount namespace that ends with it.
fn enter(root: &Path) -> Command {
    let script = "mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec chroot \"$0\" \"$@\"";
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", script])
        .arg(root)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", "/tmp")
        .env("PYTHONPATH", format!("/{SITE}"));
    command
}
