//! What a missing symbol means, for people.

use super::builds::{self, Build};
use crate::facts::packages::{TENSORFLOW, normal};
use crate::known_versions;
use crate::survey::{MissingSymbol, NativeFile, Survey};

/// What is wrong, as a sentence without its end.
pub(super) fn headline(survey: &Survey, file: &NativeFile, build: &Build) -> String {
    let owner = file.owner_with_version();
    if let Some(path) = lacking(file) {
        return format!(
            "{owner} cannot be loaded: LD_LIBRARY_PATH puts {path} first, which lacks a function that it needs"
        );
    }
    let tensorflow = survey.tensorflow_title();
    let tensorflow = tensorflow.as_deref().unwrap_or("this TensorFlow");
    if is_tensorflow(file) && undefined(file).iter().any(|it| it.defined_in.is_some()) {
        return format!(
            "The files of {owner} do not belong together: {} needs functions that the libraries it is linked to do not have",
            file.name()
        );
    }
    if owner == tensorflow {
        return format!(
            "The files of {owner} do not belong together: {} needs functions that the others do not have",
            file.name()
        );
    }
    match build {
        Build::Cuda if file.is_plugin() => format!(
            "{owner} is a build for GPUs and cannot be loaded into {tensorflow}, which has no CUDA inside"
        ),
        Build::Cuda => {
            format!("{owner} cannot be loaded: it needs functions of CUDA that are not there")
        }
        Build::Python => format!(
            "{owner} cannot be imported: it was built for another Python than {}",
            python(survey)
        ),
        Build::OldStrings => format!(
            "{owner} cannot be loaded into {tensorflow}: it was built with the C++ strings of before 2015, TensorFlow with the newer ones"
        ),
        Build::NewStrings => format!(
            "{owner} cannot be loaded into {tensorflow}: it was built with C++11's strings, TensorFlow with those of before"
        ),
        Build::Torch => format!(
            "{owner} cannot be loaded: it was built for another PyTorch than {}",
            torch(survey)
        ),
        Build::Abseil(_) | Build::Tensorflow => match built_for(file, build) {
            Some(line) => format!(
                "{owner} was built for TensorFlow {line} and cannot be loaded into {tensorflow}"
            ),
            None => format!(
                "{owner} was built for another TensorFlow and cannot be loaded into {tensorflow}"
            ),
        },
        Build::Other | Build::Test => format!(
            "{owner} cannot be loaded: {} needs a function that nothing here defines",
            file.name()
        ),
    }
}

fn is_tensorflow(file: &NativeFile) -> bool {
    let package = file.package.as_ref();
    package.is_some_and(|it| TENSORFLOW.contains(&normal(&it.name).as_str()))
}

/// The library that lacks the symbol, where it is only taken because of `LD_LIBRARY_PATH`.
pub(super) fn lacking(file: &NativeFile) -> Option<&str> {
    let lacking = &file.link.known()?.lacking_by_library_path;
    lacking.first().map(String::as_str)
}

/// The line of TensorFlow that it was built for: what its publisher says comes before what its symbols tell.
fn built_for(file: &NativeFile, build: &Build) -> Option<String> {
    let published = file.package.as_ref().and_then(|package| {
        let wanted = normal(&package.name);
        let addon = known_versions::addons()
            .iter()
            .find(|it| it.package == wanted)?;
        addon.built_for(&package.version.parse().ok()?)
    });
    if let Some(line) = published {
        return Some(builds::in_words(line));
    }
    match build {
        Build::Abseil(lts) => Some(builds::line_with(lts)?.words.clone()),
        _ => None,
    }
}

fn python(survey: &Survey) -> &str {
    let python = survey.python.known();
    python.map_or("the one here", |python| python.version.as_str())
}

fn torch(survey: &Survey) -> String {
    let torch = survey.distribution("torch");
    torch.map_or_else(
        || "the one here".to_owned(),
        |it| format!("torch {}", it.version),
    )
}

/// What the loader will say.
pub(super) fn need(file: &NativeFile, symbol: &MissingSymbol, total: u64) -> String {
    let name = symbol.demangled.as_deref().unwrap_or(&symbol.name);
    let more = match total {
        0 | 1 => String::new(),
        more => format!(" and {} more", more - 1),
    };
    let through = if symbol.needed_by.is_empty() || symbol.needed_by == file.path {
        String::new()
    } else {
        format!(" (for {})", symbol.needed_by)
    };
    format!(
        "{} needs {}{through}{more}; no library that it is linked to has it: \"undefined symbol: {}\".",
        file.name(),
        short(name),
        short(&symbol.name)
    )
}

/// The part of a name that a line has room for.
fn short(name: &str) -> String {
    const ROOM: usize = 120;
    if name.chars().count() <= ROOM {
        return name.to_owned();
    }
    let kept: String = name.chars().take(ROOM).collect();
    format!("{kept}…")
}

/// Why the name tells what the headline says.
pub(super) fn meaning(build: &Build) -> Option<String> {
    match build {
        Build::Abseil(lts) => Some(match builds::line_with(lts) {
            Some(line) => format!(
                "The name has the date of its abseil, {lts}, a library inside of TensorFlow {}.",
                line.words
            ),
            None => format!("The name has the date of its abseil, {lts}, a library inside of TensorFlow; this TensorFlow has another."),
        }),
        Build::OldStrings => Some("The name has no mark of C++11's string class: it was compiled with -D_GLIBCXX_USE_CXX11_ABI=0.".to_owned()),
        Build::NewStrings => Some("The name has the mark of C++11's string class: it was compiled with -D_GLIBCXX_USE_CXX11_ABI=1.".to_owned()),
        _ => None,
    }
}

/// What would show that it is no hazard.
pub(super) fn refutation(file: &NativeFile) -> String {
    if file.is_plugin() {
        return "TensorFlow loads the file with tf.load_op_library without an error, or the program never uses the package".to_owned();
    }
    "The module is imported without an error, because something loads a library with these functions before it; or the program never imports it".to_owned()
}

/// What nothing defines that is loaded before. Where a library is missing, that is the reason.
pub(super) fn undefined(file: &NativeFile) -> Vec<&MissingSymbol> {
    let Some(link) = file.link.known() else {
        return Vec::new();
    };
    if !link.missing_libraries.is_empty() {
        return Vec::new();
    }
    let symbols = link.missing_symbols.iter();
    symbols.filter(|it| builds::is_undefined(it)).collect()
}
