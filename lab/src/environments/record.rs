//! Keeps a survey as a test case of the rules: without the places of this machine, and without most of what is alike.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use crashlens_core::capture::Observed;
use crashlens_core::inspection::inspect;
use crashlens_core::survey::{NativeFile, Survey};
use serde_json::Value;

use super::build::Place;
use super::description::Environment;
use crate::fixtures::readable::readable;
use xtask::machine_paths;

use crate::workspace;

/// Where the environment is in what is kept.
const VENV: &str = "/home/ada/venv";
const SURVEYS: &str = "crates/crashlens-core/fixtures/surveys";
/// Modules kept of one package, of those that nothing is special about.
const MODULES: usize = 2;

/// Writes the fixture of a survey that `crashlens check --save` has left.
pub fn keep(environment: &Environment, place: &Place, saved: &Path) -> Result<()> {
    let text = anonymous(fs_err::read_to_string(saved)?, place);
    let mut saved: Value = serde_json::from_str(&text)?;
    let whole: Survey = serde_json::from_value(saved["survey"].take())
        .context("what was saved is no survey of this version")?;
    let mut kept = slim(whole.clone());
    if inspect(&kept).findings != inspect(&whole).findings {
        println!("    kept whole: with less in it something else is found");
        kept = whole;
    }
    let text = readable(&without_empty(serde_json::to_value(&kept)?));
    ensure!(
        serde_json::from_str::<Survey>(&text)? == kept,
        "it is read as something else than was written"
    );
    let is_healthy = environment.findings.is_empty();
    let folder = if is_healthy { "healthy/" } else { "" };
    let path = format!("{SURVEYS}/{folder}{}.json", environment.name);
    if let Some(fault) = machine_paths::find(Path::new(&path), &text) {
        bail!("{fault}");
    }
    fs_err::create_dir_all(workspace::root().join(SURVEYS).join(folder))?;
    fs_err::write(workspace::root().join(&path), &text)?;
    println!("    {:>7}  {path}", text.len());
    Ok(())
}

/// The places of this machine replaced by ones that say what they are.
pub fn anonymous(mut text: String, place: &Place) -> String {
    let mut places = Vec::new();
    if let Some(folder) = &place.folder {
        places.push((folder.clone(), VENV));
    }
    for (name, path) in &place.variables {
        match *name {
            "BASES" => places.push((path.clone(), "/home/ada/other")),
            "DEBS" => places.push((path.clone(), "/opt/debian")),
            "SOURCES" => places.push((path.clone(), "/home/ada/src")),
            _ => {}
        }
    }
    places.push((workspace::root().to_owned(), "/home/ada/project"));
    if let Some(home) = std::env::var_os("HOME") {
        places.push((home.into(), "/home/ada"));
    }
    for (from, to) in places {
        text = text.replace(&*from.to_string_lossy(), to);
    }
    text
}

fn slim(mut survey: Survey) -> Survey {
    let mut modules: BTreeMap<String, usize> = BTreeMap::new();
    survey.native.retain(|file| {
        if is_special(file) {
            return true;
        }
        let package = file.package.as_ref().map(|package| package.name.clone());
        let kept = modules.entry(package.unwrap_or_default()).or_default();
        *kept += 1;
        *kept <= MODULES
    });
    if let Observed::Known(kernel) = &mut survey.machine.kernel
        && let Some((version, rest)) = kernel.split_once('-')
    {
        let machine = rest.rsplit(' ').next().unwrap_or_default();
        *kernel = format!("{version} {machine}");
    }
    if let Observed::Known(group) = &mut survey.machine.memory_group {
        "/job".clone_into(&mut group.path);
    }
    survey
}

/// Whether a rule may have something to say of the file.
fn is_special(file: &NativeFile) -> bool {
    let is_faulty = |link: &crashlens_core::survey::Link| {
        link.missing_symbol_count > 0
            || !link.missing_libraries.is_empty()
            || !link.missing_versions.is_empty()
            || !link.shadowed.is_empty()
    };
    file.extension.is_none()
        || file.truncation.is_some()
        || file.link.known().is_some_and(is_faulty)
        || file.openmp.is_some()
        || !file.shared_with_tensorflow.is_empty()
        || file.protobuf_runtime.is_some()
        || !file.cpu.levels.is_empty()
}

/// Leaves out the fields that are read as the same when they are missing.
fn without_empty(value: Value) -> Value {
    let is_told = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, without_empty(value)))
            // An empty list that is known is told; so is an empty text.
            .filter(|(name, value)| name == "known" || is_told(value))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_empty).collect(),
        other => other,
    }
}
