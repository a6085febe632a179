//! `pyvenv.cfg`, which makes a folder a virtual environment.

use std::path::{Path, PathBuf};

use crate::bounded;

const MAX_BYTES: u64 = 64 << 10;

/// What `pyvenv.cfg` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pyvenv {
    /// Folder of the executable that the environment was made with.
    pub(crate) home: Option<PathBuf>,
    /// Version of it at that time: `3.11.7`.
    pub(crate) version: Option<String>,
    /// Whether packages outside the environment are seen too.
    pub(crate) sees_system: bool,
    /// Whether uv made it.
    pub(crate) is_uvs: bool,
}

impl Pyvenv {
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let text = bounded::read_text(path, MAX_BYTES).ok()?;
        Some(Self::parse(&text))
    }

    /// Reads it as `site` does: whatever has no `=` is no setting, and without a word the system's packages are seen.
    pub(crate) fn parse(text: &str) -> Self {
        let mut settings = Self {
            home: None,
            version: None,
            sees_system: true,
            is_uvs: false,
        };
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let value = value.trim();
            match key.trim().to_lowercase().as_str() {
                "home" if !value.is_empty() => settings.home = Some(PathBuf::from(value)),
                // `venv` writes the first, `virtualenv` and `uv` the second: `3.11.7.final.0`.
                "version" | "version_info" if settings.version.is_none() => {
                    settings.version = numbers(value);
                }
                "include-system-site-packages" => {
                    settings.sees_system = value.eq_ignore_ascii_case("true");
                }
                "uv" => settings.is_uvs = true,
                _ => {}
            }
        }
        settings
    }
}

/// The first three parts of a version, where they are numbers (the last may go on: `0rc1`).
fn numbers(value: &str) -> Option<String> {
    let is_sane = |part: &&str| {
        part.len() <= 8
            && part.starts_with(|first: char| first.is_ascii_digit())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    };
    let parts: Vec<&str> = value.split('.').take(3).take_while(is_sane).collect();
    (parts.len() >= 2).then(|| parts.join("."))
}
