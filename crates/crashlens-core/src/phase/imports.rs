//! Which module was being imported, and which one the user's own code asked for.

use std::sync::LazyLock;

use regex::Regex;

use crate::capture::{Phase, PythonFrame};
use crate::culprit::{CodeOwner, owner};

/// Whether the frame belongs to the machinery of `import`.
pub(super) fn is_machinery(frame: &PythonFrame) -> bool {
    frame.file.starts_with("<frozen importlib._bootstrap")
        || (frame.function == "import_module" && frame.file.ends_with("/importlib/__init__.py"))
}

/// The phase of a stack, innermost frame first, that imports.
pub(super) fn phase(frames: &[&PythonFrame]) -> Phase {
    let inner = frames.iter().position(|frame| is_machinery(frame));
    Phase::Importing {
        module: inner.and_then(|index| imported_at(frames, index)),
        wanted: wanted(frames),
    }
}

/// The module that the machinery at `inner`, its innermost frame, imports.
fn imported_at(frames: &[&PythonFrame], inner: usize) -> Option<String> {
    let machinery = frames.iter().skip(inner).take_while(|it| is_machinery(it));
    let run = machinery.clone().count();
    // A module whose code runs is named by its file, too: `import a.b` imports `a` first.
    let running = inner
        .checked_sub(1)
        .and_then(|index| frames.get(index))
        .filter(|frame| frame.function == "<module>")
        .and_then(|frame| module_of(&frame.file));
    let mut machinery = machinery;
    machinery
        .find_map(|frame| argument(frame))
        .or(running)
        .or_else(|| named_by(frames.get(inner + run)?))
}

/// The module that the outermost code of the user imports.
fn wanted(frames: &[&PythonFrame]) -> Option<String> {
    let is_users =
        |frame: &PythonFrame| matches!(owner(&frame.file), CodeOwner::User | CodeOwner::Text);
    let index = (1..frames.len()).rev().find(|index| {
        let inside = frames
            .get(index - 1)
            .is_some_and(|inside| is_machinery(inside));
        inside && frames.get(*index).is_some_and(|frame| is_users(frame))
    })?;
    let machinery = frames
        .iter()
        .take(index)
        .rev()
        .take_while(|it| is_machinery(it));
    let mut machinery = machinery;
    machinery
        .find_map(|frame| argument(frame))
        .or_else(|| named_by(frames.get(index)?))
}

/// The name that `_find_and_load(name, import_)` or `import_module(name)` was given, where its variables were read.
fn argument(frame: &PythonFrame) -> Option<String> {
    let is_finder =
        frame.function.starts_with("_find_and_load") || frame.function == "import_module";
    let variable = frame.locals.iter().find(|it| it.name == "name")?;
    let text = variable.value.text.as_deref().filter(|_| is_finder)?;
    let name = text.trim_matches(['\'', '"']);
    is_module(name).then(|| name.to_owned())
}

/// The module that the line of a frame imports.
fn named_by(frame: &PythonFrame) -> Option<String> {
    static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"^\s*(?:import\s+([\w.]+)|from\s+(\.*)([\w.]*)\s+import\s+(\w+)?|.*\bimport_module\(\s*["']([\w.]+)["'])"#,
        )
        .expect("the pattern is fixed")
    });
    let found = IMPORT.captures(frame.source.as_deref()?)?;
    if let Some(module) = found.get(1).or_else(|| found.get(5)) {
        return Some(module.as_str().to_owned());
    }
    let (dots, rest) = (found.get(2)?.as_str(), found.get(3)?.as_str());
    if dots.is_empty() {
        return (!rest.is_empty()).then(|| rest.to_owned());
    }
    // Relative to the package of the file, one level up for each further dot.
    let file = module_of(&frame.file)?;
    let is_package = frame.file.ends_with("/__init__.py");
    let up = if is_package {
        dots.len() - 1
    } else {
        dots.len()
    };
    let parts: Vec<&str> = file.split('.').collect();
    let package = parts.get(..parts.len().checked_sub(up)?)?;
    let last = if rest.is_empty() {
        found.get(4)?.as_str()
    } else {
        rest
    };
    let name: Vec<&str> = package.iter().copied().chain([last]).collect();
    Some(name.join("."))
}

/// The module that an installed file holds: `numpy.core` of `…/site-packages/numpy/core/__init__.py`.
fn module_of(file: &str) -> Option<String> {
    let folders = ["/site-packages/", "/dist-packages/", "/lib-dynload/"];
    let installed = folders
        .iter()
        .find_map(|folder| file.rsplit_once(folder))
        .map(|(_, inside)| inside);
    let inside = installed.or_else(|| {
        let (_, inside) = file.rsplit_once("/lib/python")?;
        inside.split_once('/').map(|(_, inside)| inside)
    });
    // The user's own modules: where their folder begins is not known, so that only the file's name is told.
    let inside = inside.or_else(|| match file.rsplit('/').next()? {
        "__init__.py" => None,
        name => Some(name),
    })?;
    let path = inside.strip_suffix(".py")?;
    let path = path.strip_suffix("/__init__").unwrap_or(path);
    let name = path.replace('/', ".");
    is_module(&name).then_some(name)
}

fn is_module(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'))
}
