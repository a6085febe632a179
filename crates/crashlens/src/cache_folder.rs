//! Where what was read of native files is kept from one check to the next.

use std::path::PathBuf;

/// `$XDG_CACHE_HOME/crashlens`, or `~/.cache/crashlens`. A relative path is to be ignored, as the XDG standard has it.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("crashlens"))
}
