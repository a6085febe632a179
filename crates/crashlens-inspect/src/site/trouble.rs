//! What could not be looked at, told in few words however much it is.

use std::path::Path;

use crashlens_core::Gaps;

/// More than these are only counted: a folder may hold a hundred thousand things that nobody may read.
const NAMED: usize = 20;

/// What could not be looked at.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    named: Vec<(String, String)>,
    count: usize,
}

impl Trouble {
    /// Something at a path, and why.
    pub(super) fn with(&mut self, path: &Path, reason: &(impl std::fmt::Display + ?Sized)) {
        self.count += 1;
        if self.named.len() < NAMED {
            let path = crate::distribution::printable_path(path);
            self.named.push((path, reason.to_string()));
        }
    }

    pub(super) fn tell(self, gaps: &mut Gaps) {
        let unnamed = self.count - self.named.len();
        for (part, reason) in self.named {
            gaps.add(part, reason, None);
        }
        if unnamed > 0 {
            let part = format!("{unnamed} more files and folders of packages");
            gaps.add(part, "they could not be read either", None);
        }
    }
}
