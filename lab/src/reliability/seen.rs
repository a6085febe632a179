//! What was seen, in a file that only the commands write.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::workspace;

const KEPT: &str = "lab/reliability.toml";

/// Runs in which all was well, of all runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub good: usize,
    pub of: usize,
}

impl Count {
    pub fn add(&mut self, is_good: bool) {
        self.good += usize::from(is_good);
        self.of += 1;
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    #[serde(default)]
    pub counts: BTreeMap<String, Count>,
    /// By the name of a case, whether both terminals were the same.
    #[serde(default)]
    pub terminal: BTreeMap<String, bool>,
}

impl Seen {
    pub fn read() -> Result<Self> {
        let path = workspace::root().join(KEPT);
        if !path.is_file() {
            return Ok(Self::default());
        }
        toml::from_str(&fs_err::read_to_string(&path)?)
            .with_context(|| format!("cannot understand {}", path.display()))
    }

    /// Keeps it, and writes the page.
    pub fn write(&self) -> Result<()> {
        let text = format!(
            "# Written by `cargo lab terminal --update` and `cargo lab reliability --update`.\n\n{}",
            toml::to_string(self)?
        );
        fs_err::write(workspace::root().join(KEPT), text)?;
        super::write_page()
    }
}
