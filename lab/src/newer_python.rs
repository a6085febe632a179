//! An interpreter of the next Debian, unpacked beside the system and run with its own C library.
//!
//! Distributions are years behind CPython; the newest one that can be had without compiling is in Debian's next
//! release. Nothing is installed: packages are fetched with a package list of their own and unpacked into a folder.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{command, workspace};

/// The release to take packages from.
const SUITE: &str = "forky";
/// The interpreter to take.
const SERIES: &str = "3.14";
/// What it needs of the system around it.
const LIBRARIES: [&str; 7] = [
    "libc6",
    "zlib1g",
    "libexpat1",
    "libffi8",
    "libgcc-s1",
    "libzstd1",
    "libssl3t64",
];

/// The interpreter's path; made at the first call.
pub fn fetch() -> Result<PathBuf> {
    let folder = workspace::scratch()?.join(format!("python-{SERIES}"));
    let script = folder.join(format!("python{SERIES}"));
    if script.is_file() {
        return Ok(script);
    }
    let apt = PackageList::make(&folder)?;
    apt.run(&["update", "-qq"], &folder)?;
    let mut packages = LIBRARIES.map(str::to_owned).to_vec();
    packages.extend(
        [
            "python{}-minimal",
            "libpython{}-minimal",
            "libpython{}-stdlib",
        ]
        .map(|name| name.replace("{}", SERIES)),
    );
    let debs = folder.join("debs");
    fs_err::create_dir_all(&debs)?;
    let download: Vec<&str> = ["download", "-qq"]
        .into_iter()
        .chain(packages.iter().map(String::as_str))
        .collect();
    apt.run(&download, &debs)?;
    let root = folder.join("root");
    for deb in fs_err::read_dir(&debs)? {
        command::succeed(Command::new("dpkg").arg("-x").arg(deb?.path()).arg(&root))?;
    }
    write_script(&script, &root)?;
    Ok(script)
}

/// A configuration of apt that knows nothing of the system's.
struct PackageList {
    options: Vec<String>,
}

impl PackageList {
    fn make(folder: &Path) -> Result<Self> {
        let apt = folder.join("apt");
        for part in ["etc", "state/lists/partial", "cache/archives/partial"] {
            fs_err::create_dir_all(apt.join(part))?;
        }
        let sources = apt.join("etc/sources.list");
        let status = apt.join("etc/status");
        fs_err::write(&status, "")?;
        let keyring = ["gpg", "pgp"]
            .map(|form| PathBuf::from(format!("/usr/share/keyrings/debian-archive-keyring.{form}")))
            .into_iter()
            .find(|keyring| keyring.is_file())
            .context("Debian's keys are not on this machine")?;
        fs_err::write(
            &sources,
            format!(
                "deb [signed-by={}] {} {SUITE} main\n",
                keyring.display(),
                mirror()?
            ),
        )?;
        let set = |name: &str, path: &Path| format!("-o{name}={}", path.display());
        Ok(Self {
            options: vec![
                set("Dir::Etc::sourcelist", &sources),
                set("Dir::Etc::sourceparts", Path::new("/dev/null")),
                set("Dir::State", &apt.join("state")),
                set("Dir::State::status", &status),
                set("Dir::Cache", &apt.join("cache")),
                // Its downloads are made by a user who may not enter our folders.
                "-oAPT::Sandbox::User=root".to_owned(),
            ],
        })
    }

    fn run(&self, arguments: &[&str], folder: &Path) -> Result<()> {
        command::succeed(
            Command::new("apt-get")
                .args(&self.options)
                .args(arguments)
                .current_dir(folder),
        )
    }
}

/// The mirror of Debian that this machine uses.
fn mirror() -> Result<String> {
    let sites =
        command::output(Command::new("apt-get").args(["indextargets", "--format", "$(SITE)"]))?;
    let site = sites
        .lines()
        .find(|site| site.trim_end_matches('/').ends_with("/debian"));
    site.map(str::to_owned)
        .context("this machine does not use a mirror of Debian")
}

/// Starts the interpreter with its own loader and libraries, since it needs newer ones than the system has.
fn write_script(script: &Path, root: &Path) -> Result<()> {
    let loader = root.join("usr/lib64/ld-linux-x86-64.so.2");
    ensure!(
        loader.is_file(),
        "the packages have no loader at {}",
        loader.display()
    );
    let text = format!(
        "#!/bin/sh\nexec {} --library-path {} {} \"$@\"\n",
        loader.display(),
        root.join("usr/lib/x86_64-linux-gnu").display(),
        root.join(format!("usr/bin/python{SERIES}")).display(),
    );
    fs_err::write(script, text)?;
    fs_err::set_permissions(script, std::fs::Permissions::from_mode(0o755))?;
    command::succeed(Command::new(script).args(["-c", "import ctypes, threading"]))
}
