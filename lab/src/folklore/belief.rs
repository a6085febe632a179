//! One belief, as its folder tells it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::workspace;

/// The heading of the part that is written by the command.
const OUTCOMES: &str = "\n[outcomes]\n";

/// `belief.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    /// The folder's name.
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    pub folder: PathBuf,
    /// `cause`, `remedy` or `tool`.
    pub kind: String,
    /// What is believed.
    #[serde(rename = "belief")]
    pub claim: String,
    /// Where one hears it.
    pub source: String,
    /// `true`, `half true`, `false` or `open`.
    pub verdict: String,
    /// What holds instead.
    pub truth: String,
    /// The case of the corpus that tests it, in the place of a program.
    pub corpus: Option<String>,
    /// Why there is neither.
    pub untested: Option<String>,
    /// What the program did, by version of TensorFlow.
    #[serde(default)]
    pub outcomes: BTreeMap<String, String>,
}

impl Belief {
    /// All of them, by name.
    pub fn all() -> Result<Vec<Self>> {
        let mut beliefs = Vec::new();
        for entry in fs_err::read_dir(workspace::root().join("folklore"))? {
            let folder = entry?.path();
            if folder.is_dir() {
                let path = folder.join("belief.toml");
                let mut belief: Self = toml::from_str(&fs_err::read_to_string(&path)?)
                    .with_context(|| format!("cannot understand {}", path.display()))?;
                belief.name = folder
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                belief.folder = folder;
                beliefs.push(belief);
            }
        }
        beliefs.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(beliefs)
    }

    pub fn has_program(&self) -> bool {
        self.folder.join("program.py").is_file()
    }

    /// Whether this command runs it.
    pub fn is_run(&self) -> bool {
        self.has_program()
    }

    /// Writes down what the program did on a version.
    pub fn record(&self, tensorflow: &str, outcome: &str) -> Result<()> {
        let path = self.folder.join("belief.toml");
        let text = fs_err::read_to_string(&path)?;
        let told = text.split(OUTCOMES).next().unwrap_or(&text).trim_end();
        let mut outcomes = self.outcomes.clone();
        outcomes.insert(tensorflow.to_owned(), outcome.to_owned());
        let mut lines = vec![told.to_owned(), OUTCOMES.trim_end().to_owned()];
        for version in sorted(&outcomes) {
            lines.push(format!("\"{version}\" = \"{}\"", outcomes[version]));
        }
        fs_err::write(&path, lines.join("\n") + "\n")?;
        Ok(())
    }
}

/// Versions in their own order, which is not that of the alphabet.
pub fn sorted<T>(by_version: &BTreeMap<String, T>) -> Vec<&String> {
    let mut versions: Vec<_> = by_version.keys().collect();
    versions.sort_by_key(|version| {
        version
            .split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect::<Vec<u32>>()
    });
    versions
}
