//! Makes what the plan names: environments, unpacked wheels, compiled files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::plan::{Built, Environment};
use crate::{command, corpus, python, workspace};

/// Where environments and wheels are.
#[derive(Debug)]
pub struct Places {
    environments: BTreeMap<String, PathBuf>,
    /// A folder with wheels that were downloaded already.
    wheels: Option<PathBuf>,
}

impl Places {
    /// Makes the environments that are wanted, unless the developer says where they are (`NAME=FOLDER`).
    pub fn make<'a>(
        wanted: impl Iterator<Item = &'a Environment>,
        given: &[String],
        wheels: Option<PathBuf>,
    ) -> Result<Self> {
        let mut environments = BTreeMap::new();
        for given in given {
            let (name, folder) = given.split_once('=').context("NAME=FOLDER is wanted")?;
            environments.insert(name.to_owned(), std::path::absolute(folder)?);
        }
        for environment in wanted {
            if !environments.contains_key(&environment.name) {
                environments.insert(environment.name.clone(), make(environment)?);
            }
        }
        Ok(Self {
            environments,
            wheels,
        })
    }

    pub fn folder(&self, name: &str) -> Result<&Path> {
        let folder = self.environments.get(name);
        folder
            .map(PathBuf::as_path)
            .with_context(|| format!("the plan has no environment {name}"))
    }

    pub fn python(&self, name: &str) -> Result<PathBuf> {
        Ok(self.folder(name)?.join("bin/python"))
    }
}

/// The folder of an environment.
fn make(environment: &Environment) -> Result<PathBuf> {
    let python = if let Some(tensorflow) = &environment.corpus {
        corpus::environment_of(tensorflow)?
    } else {
        let series = environment.python.as_deref().unwrap_or("3.11");
        let (major, minor) = series.split_once('.').context("no version of Python")?;
        let Some(interpreter) = python::of_series((major.parse()?, minor.parse()?)) else {
            bail!(
                "{} needs Python {series}, and there is none here",
                environment.name
            );
        };
        let packages = environment.packages.iter().cloned().collect();
        let name = format!("venv-links-{}", environment.name);
        python::environment(&name, &interpreter, &packages, None)?
    };
    let folder = python.parent().and_then(Path::parent);
    Ok(folder.context("an interpreter is in a folder")?.to_owned())
}

/// The folder into which a wheel was unpacked.
pub fn wheel(package: &str, places: &Places) -> Result<PathBuf> {
    let name = package.replace("==", "-");
    let folder = workspace::scratch()?.join("links").join(&name);
    if folder.is_dir() {
        return Ok(folder);
    }
    let downloads = tempfile::tempdir()?;
    let kept = places.wheels.as_deref().map(|wheels| found(wheels, &name));
    let file = if let Some(Ok(file)) = kept {
        file
    } else {
        let interpreter = python::of_series((3, 11)).context("no Python 3.11 here")?;
        command::succeed(
            Command::new(interpreter.path)
                .args(["-m", "pip", "download", "--quiet", "--no-deps"])
                .args(["--disable-pip-version-check", "--dest"])
                .arg(downloads.path())
                .arg(package),
        )?;
        found(downloads.path(), &name)?
    };
    let unpacked = folder.with_extension("part");
    command::succeed(
        Command::new("python3")
            .args(["-m", "zipfile", "--extract"])
            .arg(file)
            .arg(&unpacked),
    )?;
    fs_err::rename(unpacked, &folder)?;
    Ok(folder)
}

fn found(folder: &Path, name: &str) -> Result<PathBuf> {
    let (package, version) = name.rsplit_once('-').context("no version")?;
    let start = format!("{}-{version}-", package.replace('-', "_"));
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&start) {
            return Ok(entry.path());
        }
    }
    bail!("{} has no wheel of {name}", folder.display())
}

/// A file that was compiled here.
pub fn built(built: &Built, places: &Places) -> Result<PathBuf> {
    let folder = workspace::scratch()?.join("links");
    fs_err::create_dir_all(&folder)?;
    let path = folder.join(&built.name);
    if path.is_file() {
        return Ok(path);
    }
    println!("building {}", built.name);
    match &built.headers {
        Some(headers) => operation(built, &tensorflow(places.folder(headers)?)?, &path)?,
        None => impossible(&folder, &path)?,
    }
    Ok(path)
}

fn tensorflow(environment: &Path) -> Result<PathBuf> {
    for library in fs_err::read_dir(environment.join("lib"))? {
        let folder = library?.path().join("site-packages/tensorflow");
        if folder.is_dir() {
            return Ok(folder);
        }
    }
    bail!("{} has no TensorFlow", environment.display())
}

fn operation(built: &Built, tensorflow: &Path, path: &Path) -> Result<()> {
    let source = workspace::root().join("lab/src/links/zero_out.cc");
    command::succeed(
        Command::new("g++")
            .args(["-std=c++17", "-O1", "-shared", "-fPIC", "-w"])
            .arg("-DEIGEN_MAX_ALIGN_BYTES=64")
            .arg(format!("-I{}", tensorflow.join("include").display()))
            .args(&built.flags)
            .arg(source)
            .arg("-o")
            .arg(path)
            .arg(format!("-L{}", tensorflow.display()))
            .arg("-l:libtensorflow_framework.so.2"),
    )
}

/// A file that needs `GLIBCXX_3.4.99` of `libstdc++.so.6`: linked to a library of that name that has it.
fn impossible(folder: &Path, path: &Path) -> Result<()> {
    let stub = folder.join("stub");
    fs_err::create_dir_all(&stub)?;
    fs_err::write(stub.join("stub.c"), "void crashlens_new(void) {}\n")?;
    fs_err::write(
        stub.join("stub.map"),
        "GLIBCXX_3.4.99 { global: crashlens_new; local: *; };\n",
    )?;
    fs_err::write(
        stub.join("user.c"),
        "void crashlens_new(void);\nvoid crashlens_use(void) { crashlens_new(); }\n",
    )?;
    command::succeed(
        Command::new("gcc")
            .current_dir(&stub)
            .args(["-shared", "-fPIC", "stub.c", "-o", "libstdc++.so.6"])
            .args([
                "-Wl,-soname,libstdc++.so.6",
                "-Wl,--version-script=stub.map",
            ]),
    )?;
    command::succeed(
        Command::new("gcc")
            .current_dir(&stub)
            .args(["-shared", "-fPIC", "user.c", "./libstdc++.so.6", "-o"])
            .arg(path),
    )
}
