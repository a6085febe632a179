//! The levels of processors, as `data/cpu_levels.toml` has them.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded;
use crate::survey::NativeFile;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Level {
    name: String,
    flags: Vec<String>,
}

fn levels() -> &'static [Level] {
    #[derive(Deserialize)]
    struct File {
        level: Vec<Level>,
    }
    static TABLE: LazyLock<Vec<Level>> = LazyLock::new(|| {
        embedded::table::<File>(include_str!("../../../../data/cpu_levels.toml")).level
    });
    &TABLE
}

/// The level that it names and a feature of that level, or of one below, that is not there.
pub(super) fn lacking<'a>(
    file: &'a NativeFile,
    flags: &[String],
) -> Option<(&'a str, &'static str)> {
    file.cpu.levels.iter().find_map(|wanted| {
        let at = levels().iter().position(|level| level.name == *wanted)?;
        let mut needed = levels().iter().take(at + 1).flat_map(|level| &level.flags);
        let missing = needed.find(|flag| !flags.contains(flag))?;
        Some((wanted.as_str(), missing.as_str()))
    })
}
