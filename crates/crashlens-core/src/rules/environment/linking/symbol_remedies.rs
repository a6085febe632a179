//! What to install or to build instead.

use super::builds::Build;
use super::symbol_words;
use crate::capture::Package;
use crate::facts::packages::{TENSORFLOW, normal};
use crate::hazard::Hazard;
use crate::known_versions::{self, without_suffix};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::{NativeFile, Survey};

/// The hazard with what to do: nothing has to be installed where `LD_LIBRARY_PATH` leads to a library that lacks it.
pub(super) fn added(
    survey: &Survey,
    mut hazard: Hazard,
    file: &NativeFile,
    build: &Build,
) -> Hazard {
    if let Some(path) = symbol_words::lacking(file) {
        return Survey::blame_library_path(hazard, path);
    }
    hazard.remedies.extend(of(survey, file, build));
    hazard
}

/// For the package, or for a file of one's own.
fn of(survey: &Survey, file: &NativeFile, build: &Build) -> Vec<Remedy> {
    let Some(package) = &file.package else {
        return vec![rebuild(survey, file, build)];
    };
    if TENSORFLOW.contains(&normal(&package.name).as_str()) {
        return vec![one_tensorflow(survey).unwrap_or_else(|| again(package))];
    }
    match build {
        Build::Cuda if file.is_plugin() => with_cuda(survey).into_iter().collect(),
        Build::Python | Build::Other | Build::Test => vec![again(package)],
        Build::Torch | Build::Cuda => vec![newest(package, "PyTorch")],
        _ => fitting(survey, package)
            .unwrap_or_else(|| vec![newest(package, "TensorFlow"), without(package)]),
    }
}

/// The version that its publisher made for this TensorFlow, or the TensorFlow it was made for.
fn fitting(survey: &Survey, package: &Package) -> Option<Vec<Remedy>> {
    let wanted = normal(&package.name);
    let addon = known_versions::addons()
        .iter()
        .find(|it| it.package == wanted)?;
    let tensorflow = survey.tensorflow()?;
    let version = without_suffix(&tensorflow.parsed_version()?);
    let name = shell::package(&package.name)?;
    if let Some(line) = addon.line_for(&version) {
        let command = Pip::install([format!("{name}{}", spaceless(line))])?;
        let action = format!("Install the {name} that was built for TensorFlow {version}.");
        return Some(vec![
            Remedy::new(action).command(command).risk(Risk::Environment),
        ]);
    }
    let line = addon.built_for(&package.version.parse().ok()?)?;
    let title = shell::package(&tensorflow.name)?;
    let command = Pip::install([format!("{title}{}", spaceless(line))])?;
    let action = format!(
        "Install the TensorFlow that {name} {} was built for; there is no {name} for {version}.",
        package.version
    );
    Some(vec![
        Remedy::new(action).command(command).risk(Risk::Environment),
    ])
}

fn spaceless(line: &pep440_rs::VersionSpecifiers) -> String {
    line.to_string().replace(' ', "")
}

/// The build of TensorFlow that has CUDA inside; it runs on machines without a GPU, too.
fn with_cuda(survey: &Survey) -> Option<Remedy> {
    let tensorflow = survey.tensorflow()?;
    let name = shell::package(&tensorflow.name)?;
    let version = tensorflow.parsed_version()?;
    let wanted = Pip::install([format!("tensorflow=={version}")])?;
    Some(
        Remedy::new(
            "Install the TensorFlow that has CUDA inside; it runs on machines without a GPU, too.",
        )
        .command(Pip::uninstall([name])?.with("-y").then(wanted))
        .risk(Risk::Environment),
    )
}

fn again(package: &Package) -> Remedy {
    Remedy::new(format!("Install {} anew, for this Python.", package.name))
        .command_if(Survey::reinstall(package))
        .risk(Risk::Environment)
}

/// Of several copies of TensorFlow in one folder the newest alone; to install one of them anew mixes them again.
fn one_tensorflow(survey: &Survey) -> Option<Remedy> {
    let all: Vec<_> = survey.tensorflows().collect();
    let kept = all.iter().max_by_key(|it| it.parsed_version())?;
    if all.len() < 2 {
        return None;
    }
    let names = all.iter().map(|it| &it.name);
    let kept_name = shell::package(&kept.name)?;
    let wanted = Pip::install([format!("{kept_name}=={}", kept.parsed_version()?)])?;
    let command = Pip::uninstall(names)?.with("-y").then(wanted);
    Some(
        Remedy::new("Uninstall every TensorFlow, then install the one that you want (here the newest is kept).")
            .command(command)
            .risk(Risk::Environment),
    )
}

fn newest(package: &Package, host: &str) -> Remedy {
    let name = &package.name;
    Remedy::new(format!(
        "Install a version of {name} that was built for this {host}; its release notes say which."
    ))
    .command_if(Pip::upgrade(name))
    .risk(Risk::Environment)
}

fn without(package: &Package) -> Remedy {
    let name = &package.name;
    Remedy::new(format!("Remove {name}, if nothing uses it."))
        .command_if(Pip::uninstall([name]))
        .risk(Risk::Environment)
}

/// For an op or a module of one's own.
fn rebuild(survey: &Survey, file: &NativeFile, build: &Build) -> Remedy {
    if !file.is_plugin() && *build == Build::Python {
        return Remedy::new(format!("Build {} anew with this Python.", file.name()))
            .risk(Risk::Environment);
    }
    if !file.is_plugin() {
        return Remedy::new(format!(
            "Build {} anew against the libraries that are installed.",
            file.name()
        ))
        .risk(Risk::Environment);
    }
    let python = survey
        .python
        .known()
        .and_then(|python| shell::word(&python.path));
    let python = python.unwrap_or_else(|| "python3".to_owned());
    let command = format!(
        "g++ -std=c++17 -O2 -shared -fPIC op.cc -o op.so $({python} -c 'import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')"
    );
    Remedy::new("Build the op anew with the flags of the TensorFlow that is installed; op.cc stands for its source.")
        .command(command)
        .risk(Risk::Environment)
}
