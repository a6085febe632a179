//! What was predicted of a file beside what the loader said.

use anyhow::{Context, Result};
use crashlens_core::Observed;
use crashlens_core::survey::Link;

/// What the loader does with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Opens it.
    Opened,
    /// Does not find a library.
    Library(String),
    /// Finds no such version.
    Version(String),
    /// Finds a symbol nowhere.
    Symbol(String),
    /// Anything else, in its own words.
    Other(String),
}

/// One file in one environment.
#[derive(Debug)]
pub struct Pair {
    pub environment: String,
    pub file: String,
    /// Whether it was opened with TensorFlow's libraries in the process.
    pub into_tensorflow: bool,
    /// Everything that was predicted to fail; empty for a file that opens.
    pub predicted: Vec<Verdict>,
    /// How many symbols are missing in all; the first of them are in `predicted`.
    pub missing_symbols: u64,
    pub observed: Verdict,
}

impl Pair {
    /// Whether both say that it opens, or both that it does not.
    pub fn agrees(&self) -> bool {
        self.predicted.is_empty() == (self.observed == Verdict::Opened)
    }

    /// Whether what the loader names is among what was predicted. It names one thing and stops; of many missing symbols
    /// only the first are listed.
    pub fn names_the_same(&self) -> bool {
        self.observed == Verdict::Opened || self.predicted.contains(&self.observed)
    }
}

/// Everything that a prediction says will fail. Absent: the loader would not take the file for a library.
pub fn predicted(link: &Observed<Link>) -> Vec<Verdict> {
    let Observed::Known(link) = link else {
        return vec![Verdict::Other("no library of this machine".to_owned())];
    };
    let libraries = link.missing_libraries.iter();
    let versions = link.missing_versions.iter();
    let symbols = link.missing_symbols.iter();
    libraries
        .map(|missing| Verdict::Library(missing.name.clone()))
        .chain(versions.map(|missing| Verdict::Version(missing.version.clone())))
        .chain(symbols.map(|missing| Verdict::Symbol(missing.name.clone())))
        .collect()
}

/// The loader's words, understood.
pub fn observed(words: Option<&str>) -> Verdict {
    let Some(words) = words else {
        return Verdict::Opened;
    };
    understood(words).unwrap_or_else(|_| Verdict::Other(words.to_owned()))
}

fn understood(words: &str) -> Result<Verdict> {
    if let Some((_, symbol)) = words.split_once("undefined symbol: ") {
        let symbol = symbol.split(',').next().unwrap_or(symbol);
        return Ok(Verdict::Symbol(symbol.trim().to_owned()));
    }
    if let Some((_, rest)) = words.split_once("version `") {
        let (version, _) = rest.split_once('\'').context("no end")?;
        return Ok(Verdict::Version(version.to_owned()));
    }
    let (library, _) = words
        .split_once(": cannot open shared object file")
        .context("something else")?;
    Ok(Verdict::Library(library.to_owned()))
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Opened => out.write_str("opens"),
            Self::Library(name) => write!(out, "library {name}"),
            Self::Version(version) => write!(out, "version {version}"),
            Self::Symbol(name) => write!(out, "symbol {name}"),
            Self::Other(words) => out.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_words_are_understood() {
        let cases = [
            (
                "libcuda.so.1: cannot open shared object file: No such file or directory",
                Verdict::Library("libcuda.so.1".into()),
            ),
            (
                "/a/b.so: undefined symbol: memcpy, version GLIBC_2.99",
                Verdict::Symbol("memcpy".into()),
            ),
            (
                "/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by /a/b.so)",
                Verdict::Version("GLIBCXX_3.4.99".into()),
            ),
            (
                "/a/b.so: file too short",
                Verdict::Other("/a/b.so: file too short".into()),
            ),
        ];
        for (words, verdict) in cases {
            assert_eq!(observed(Some(words)), verdict);
        }
        assert_eq!(observed(None), Verdict::Opened);
    }
}
