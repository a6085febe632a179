//! Packages of another release of Debian, unpacked beside the system.
//!
//! Nothing is installed: packages are fetched with a package list of their own and unpacked into a folder, which has its own C
//! library then.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command;

/// The packages of an interpreter, without what it needs of the system around it.
pub fn python(series: &str) -> [String; 3] {
    [
        "python{}-minimal",
        "libpython{}-minimal",
        "libpython{}-stdlib",
    ]
    .map(|name| name.replace("{}", series))
}

/// Unpacks packages of a release below `folder`; the root folder that they are for.
pub fn unpack(suite: &str, packages: &[String], folder: &Path) -> Result<PathBuf> {
    let apt = PackageList::make(suite, folder)?;
    apt.run(&["update", "-qq"], folder)?;
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
    Ok(root)
}

/// A configuration of apt that knows nothing of the system's.
struct PackageList {
    options: Vec<String>,
}

impl PackageList {
    fn make(suite: &str, folder: &Path) -> Result<Self> {
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
                "deb [signed-by={}] {} {suite} main\n",
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
