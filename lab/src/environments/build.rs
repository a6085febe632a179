//! Makes an environment: its base once, then a copy by hard links, then the changes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::description::{Base, Environment, FOLDER};
use crate::{command, corpus, python, workspace};

/// An environment that stands.
pub struct Place {
    /// What runs its programs.
    pub python: PathBuf,
    /// Its folder; nothing for an interpreter that is taken as it is.
    pub folder: Option<PathBuf>,
    /// What shell lines can refer to.
    pub variables: Vec<(&'static str, PathBuf)>,
}

/// Makes what is missing. `bases` knows every base by name.
pub fn build(environment: &Environment, bases: &[Base]) -> Result<Place> {
    for name in &environment.also {
        interpreter_of(find(name, bases)?)?;
    }
    let base = find(&environment.base, bases)?;
    let original = interpreter_of(base)?;
    let scratch = workspace::scratch()?;
    let mut variables = vec![
        ("SOURCES", workspace::root().join(FOLDER).join("sources")),
        ("BASES", scratch.join("bases")),
        ("DEBS", scratch.join("debs")),
    ];
    if base.interpreter.is_some() {
        ensure!(
            environment.setup.is_empty(),
            "{} would change {}",
            environment.name,
            original.display()
        );
        variables.push(("PYTHON", original.clone()));
        return Ok(Place {
            python: original,
            folder: None,
            variables,
        });
    }
    let folder = scratch.join(FOLDER).join(&environment.name);
    copy(&root_of(&original)?, &folder)?;
    let python = folder.join("bin/python");
    variables.push(("ENV", folder.clone()));
    variables.push(("SITE", site_of(&folder)?));
    variables.push(("PYTHON", python.clone()));
    let place = Place {
        python,
        folder: Some(folder),
        variables,
    };
    set_up(environment, &place)?;
    Ok(place)
}

fn find<'a>(name: &str, bases: &'a [Base]) -> Result<&'a Base> {
    let base = bases.iter().find(|base| base.name == name);
    base.with_context(|| format!("there is no base {name}"))
}

fn interpreter_of(base: &Base) -> Result<PathBuf> {
    if let Some(path) = &base.interpreter {
        ensure!(path.is_file(), "there is no {}", path.display());
        return Ok(path.clone());
    }
    if let Some(version) = &base.corpus {
        return corpus::environment_of(version);
    }
    let series = base.python.as_deref().unwrap_or("3.11");
    let numbers: Vec<u32> = series.split('.').flat_map(str::parse).collect();
    let &[major, minor] = numbers.as_slice() else {
        bail!("{series} is no series of Python");
    };
    let interpreter = python::of_series((major, minor))
        .with_context(|| format!("there is no Python {series}"))?;
    let pins = workspace::root().join(format!("{FOLDER}/pins/{}.txt", base.name));
    python::environment(
        &format!("bases/{}", base.name),
        &interpreter,
        &base.packages.iter().cloned().collect(),
        pins.is_file().then_some(pins.as_path()),
    )
}

fn root_of(python: &Path) -> Result<PathBuf> {
    let root = python.parent().and_then(Path::parent);
    root.map(Path::to_owned)
        .with_context(|| format!("{} is in no environment", python.display()))
}

/// Hard links: a copy costs next to nothing, and what replaces files by new ones, as pip does, leaves the base alone.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs_err::remove_dir_all(to)?;
    }
    if let Some(parent) = to.parent() {
        fs_err::create_dir_all(parent)?;
    }
    command::succeed(Command::new("cp").arg("-al").arg(from).arg(to))
}

fn site_of(folder: &Path) -> Result<PathBuf> {
    for entry in fs_err::read_dir(folder.join("lib"))? {
        let site = entry?.path().join("site-packages");
        if site.is_dir() {
            return Ok(site);
        }
    }
    bail!("{} has no folder of packages", folder.display());
}

fn set_up(environment: &Environment, place: &Place) -> Result<()> {
    if environment.setup.is_empty() {
        return Ok(());
    }
    let prelude = workspace::root().join(FOLDER).join("prelude.sh");
    let script = format!(". '{}'\n{}", prelude.display(), environment.setup);
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", &script])
        .envs(place.variables.iter().map(|(name, path)| (name, path)))
        .current_dir(place.folder.as_deref().unwrap_or(workspace::root()));
    command::succeed(&mut shell).with_context(|| format!("cannot set up {}", environment.name))
}
