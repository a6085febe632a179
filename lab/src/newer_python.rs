//! An interpreter of the next Debian, unpacked beside the system and run with its own C library.
//!
//! Distributions are years behind CPython; the newest one that can be had without compiling is in Debian's next
//! release.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::{command, debian, workspace};

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
    let mut packages = LIBRARIES.map(str::to_owned).to_vec();
    packages.extend(debian::python(SERIES));
    let root = debian::unpack(SUITE, &packages, &folder)?;
    write_script(&script, &root)?;
    Ok(script)
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
