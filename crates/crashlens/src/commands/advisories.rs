//! Advisories that a person gives.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crashlens_core::known_issues::KnownIssues;

use crate::failure::Failure;

/// More of a file is not read; its reader refuses it then.
const MOST_BYTES: u64 = 257 << 20;

/// The built-in table and the advisories in these files.
pub(crate) fn with_built_in(files: &[PathBuf]) -> Result<Cow<'static, KnownIssues>, Failure> {
    let mut issues = Cow::Borrowed(KnownIssues::built_in());
    for file in files {
        let name = file.display().to_string();
        let json = read(file).map_err(|error| Failure::reading(&name, &error))?;
        let more = issues.with_osv(&json);
        let more = more.map_err(|error| {
            Failure::reading(&name, &error).with_help(
                "It must be JSON as osv.dev gives it: one advisory, an array of them, or an object with \"vulns\".",
            )
        })?;
        issues = Cow::Owned(more);
    }
    Ok(issues)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut json = Vec::new();
    std::fs::File::open(file)?
        .take(MOST_BYTES)
        .read_to_end(&mut json)?;
    Ok(json)
}
