//! What the names of missing symbols tell of the build that needs them.
//!
//! Responsible for `data/abseil.toml` and for putting a mangled name into words. Whether a missing symbol matters is for
//! the rules.

use std::sync::LazyLock;

use pep440_rs::{Version, VersionSpecifiers};
use serde::Deserialize;

use crate::embedded;
use crate::known_versions::{specifiers, without_suffix};
use crate::survey::MissingSymbol;

/// What a missing symbol says of the file that needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Build {
    /// For a machine with CUDA.
    Cuda,
    /// For another Python.
    Python,
    /// With abseil of this date.
    Abseil(String),
    /// With the string class of before 2015.
    OldStrings,
    /// With the string class of 2015, C++11's.
    NewStrings,
    /// For another TensorFlow, of which no more is known.
    Tensorflow,
    /// For another PyTorch.
    Torch,
    /// For a program of tests, which brings googletest along.
    Test,
    /// Nothing that is known.
    Other,
}

/// A line of TensorFlow and what it was built with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    #[serde(deserialize_with = "specifiers")]
    pub(super) tensorflow: VersionSpecifiers,
    pub(super) words: String,
    pub(super) lts: String,
    pub(super) cxx11_abi: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
    line: Vec<Line>,
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| embedded::table(include_str!("../../../../data/abseil.toml")));
    &TABLE
}

/// The line of a TensorFlow.
pub(super) fn line_of(tensorflow: &Version) -> Option<&'static Line> {
    let version = without_suffix(tensorflow);
    let mut lines = table().line.iter();
    lines.find(|line| line.tensorflow.contains(&version))
}

/// The line that has abseil of a date.
pub(super) fn line_with(lts: &str) -> Option<&'static Line> {
    table().line.iter().find(|line| line.lts == lts)
}

/// `2.12` of `>=2.12, <2.13`; other lines as they are written.
pub(super) fn in_words(line: &VersionSpecifiers) -> String {
    let text = line.to_string();
    let bounds = text
        .strip_prefix(">=")
        .and_then(|rest| rest.split_once(", <"));
    let minor = |version: &str| {
        version
            .rsplit_once('.')
            .and_then(|(_, it)| it.parse::<u64>().ok())
    };
    match bounds {
        Some((from, to)) if minor(from).map(|it| it + 1) == minor(to) => from.to_owned(),
        _ => text,
    }
}

/// What the symbols say, the most telling of them. `own_strings` is whether what they are looked for in has C++11's
/// string class, where that is known; `own_lts` the date of its abseil.
pub(super) fn decode(
    symbols: &[&MissingSymbol],
    own_strings: Option<bool>,
    own_lts: Option<&str>,
) -> Build {
    let tells = |test: &dyn Fn(&MissingSymbol) -> bool| symbols.iter().any(|it| test(it));
    // With functions of TensorFlow's missing too, one with CUDA inside would not take it either.
    let is_for_another = tells(&|symbol| is_of_tensorflow(&symbol.name));
    if !is_for_another && tells(&|symbol| is_of_cuda(&symbol.name)) {
        return Build::Cuda;
    }
    if symbols.iter().all(|symbol| is_of_python(&symbol.name)) {
        return Build::Python;
    }
    if tells(&|symbol| is_of_googletest(&symbol.name)) {
        return Build::Test;
    }
    let dates = symbols.iter().filter_map(|symbol| lts(&symbol.name));
    if let Some(date) = dates.filter(|date| Some(*date) != own_lts).max() {
        return Build::Abseil(date.to_owned());
    }
    if own_strings != Some(false) && tells(&has_old_strings) {
        return Build::OldStrings;
    }
    if own_strings == Some(false) && tells(&has_new_strings) {
        return Build::NewStrings;
    }
    if is_for_another {
        return Build::Tensorflow;
    }
    if tells(&|symbol| is_of_torch(&symbol.name)) {
        return Build::Torch;
    }
    Build::Other
}

/// Whether a symbol that is not found stays undefined. One that another file of the environment defines may have been
/// loaded before. Not so the body of one of TensorFlow's modules, which it takes from a library that it is linked to:
/// with files of 2.20.0 beside 2.21.0, that library had none, another had it, and `import tensorflow` failed.
pub(super) fn is_undefined(symbol: &MissingSymbol) -> bool {
    symbol.defined_in.is_none() || symbol.name.starts_with("Wrapped_PyInit_")
}

/// `20230125` of `_ZN4absl12lts_202301256Status…`.
fn lts(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once("12lts_")?;
    let date = rest.get(..8)?;
    date.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(date)
}

/// Functions of NVIDIA's libraries, and those that the compiler for GPUs puts into every object.
pub(super) fn is_of_cuda(name: &str) -> bool {
    let is_driver = |rest: &str| rest.starts_with(|first: char| first.is_ascii_uppercase());
    name.starts_with("__cuda")
        || [
            "cuda", "cudnn", "cublas", "cufft", "cusparse", "cusolver", "curand", "nccl", "nvrtc",
        ]
        .iter()
        .any(|word| name.strip_prefix(word).is_some_and(is_driver))
        || name.strip_prefix("cu").is_some_and(is_driver)
}

fn is_of_googletest(name: &str) -> bool {
    let rest = name.strip_prefix("_ZN").unwrap_or_default();
    rest.trim_start_matches('K').starts_with("7testing")
}

fn is_of_python(name: &str) -> bool {
    let plain = name.trim_start_matches('_');
    plain.starts_with("Py") && !name.starts_with("_Z")
}

pub(super) fn is_of_tensorflow(name: &str) -> bool {
    name.starts_with("TF_")
        || name.starts_with("TFE_")
        || [
            "10tensorflow",
            "3tsl",
            "4absl",
            "6google8protobuf",
            "3xla",
            "4mlir",
        ]
        .iter()
        .any(|part| name.starts_with("_Z") && name.contains(part))
}

fn is_of_torch(name: &str) -> bool {
    name.starts_with("_Z")
        && ["3c10", "2at", "5torch"]
            .iter()
            .any(|part| name.contains(part))
}

/// Strings of before C++11, in the name of a function of TensorFlow's.
fn has_old_strings(symbol: &MissingSymbol) -> bool {
    let in_words = symbol.demangled.as_deref().unwrap_or_default();
    let is_old = symbol.name.contains("Ss")
        || in_words.contains("std::string")
        || symbol.name.contains("9NewStringEv");
    is_of_tensorflow(&symbol.name) && is_old && !has_new_strings(symbol)
}

fn has_new_strings(symbol: &MissingSymbol) -> bool {
    symbol.name.contains("7__cxx11") || symbol.name.contains("B5cxx11")
}

#[cfg(test)]
#[path = "builds_tests.rs"]
mod tests;
