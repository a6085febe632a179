//! What a scan leaves out by its own rules: a report that does not name it reads as if all of it were sound.

use std::collections::HashMap;

use crashlens_core::capture::Gap;

use crate::store::{Entry, Store};

/// Maximum number of paths that are named for each reason; the rest is counted.
const MOST_NAMED: usize = 20;

/// Folders in folders are followed so far.
pub(crate) const MOST_DEPTH: usize = 64;

/// Why what [`Guard`] bars is left out.
const OF_KERNEL: &str = "/proc, /sys and other file systems of the kernel are not entered by a link, and links in them are not followed";

/// Why a path is not entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// It is too many folders below the path that was named.
    Depth,
    /// It is in a file system of the kernel, or a link in one leads to it.
    Kernel,
}

/// The paths that were not entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unentered {
    deep: Paths,
    kernel: Paths,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Paths {
    first: Vec<String>,
    more: u64,
}

impl Unentered {
    pub(crate) fn add(&mut self, path: &str, barrier: Barrier) {
        let paths = match barrier {
            Barrier::Depth => &mut self.deep,
            Barrier::Kernel => &mut self.kernel,
        };
        paths.add(path.to_owned());
    }

    /// Takes in those below another path.
    pub(crate) fn append(&mut self, other: Self) {
        self.deep.append(other.deep);
        self.kernel.append(other.kernel);
    }

    /// What to say of them.
    pub fn gaps(&self) -> Vec<Gap> {
        let deep = format!("more than {MOST_DEPTH} folders below the path that was named");
        let mut gaps = self.deep.gaps(&deep, Some("name the folder itself"));
        gaps.extend(self.kernel.gaps(OF_KERNEL, None));
        gaps
    }
}

impl Paths {
    fn add(&mut self, path: String) {
        if self.first.len() < MOST_NAMED {
            self.first.push(path);
        } else {
            self.more += 1;
        }
    }

    fn append(&mut self, other: Self) {
        for path in other.first {
            self.add(path);
        }
        self.more += other.more;
    }

    fn gaps(&self, reason: &str, remedy: Option<&str>) -> Vec<Gap> {
        let named = self.first.iter().cloned();
        let more = match self.more {
            0 => None,
            1 => Some("1 more".to_owned()),
            count => Some(format!("{count} more")),
        };
        let gap = |part| Gap {
            part,
            reason: reason.to_owned(),
            remedy: remedy.map(ToOwned::to_owned),
        };
        named.chain(more).map(gap).collect()
    }
}

/// Keeps a walk out of file systems of the kernel: `/proc/self/root` leads to every file of the machine.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// By device: asking for the file system of every folder is slow on network disks.
    of_kernel: HashMap<u64, bool>,
}

impl Guard {
    /// Whether what is named by a link is left out.
    pub(crate) fn bars_named(store: &dyn Store, path: &str) -> bool {
        store.is_link(path) && store.is_of_kernel(path)
    }

    /// Whether an entry of a folder, at this path, is left out. `device` is that of the folder.
    pub(crate) fn bars(
        &mut self,
        store: &dyn Store,
        device: u64,
        entry: &Entry,
        path: &str,
    ) -> bool {
        if !entry.is_link && (!entry.is_folder || entry.device == device) {
            return false;
        }
        let folder = match path.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((folder, _)) => folder,
            None => ".",
        };
        // The folder is asked about first: a link that leads nowhere has its device, and no file system to ask about.
        let is_left = self.is_of_kernel(store, device, folder);
        (entry.is_link && is_left) || self.is_of_kernel(store, entry.device, path)
    }

    fn is_of_kernel(&mut self, store: &dyn Store, device: u64, path: &str) -> bool {
        let known = self.of_kernel.entry(device);
        *known.or_insert_with(|| store.is_of_kernel(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_very_many_folders_the_first_are_named_and_the_rest_is_counted() {
        let mut unentered = Unentered::default();
        for place in 0..2 {
            let mut below = Unentered::default();
            for number in 0..15 {
                below.add(&format!("{place}/{number}"), Barrier::Depth);
            }
            unentered.append(below);
        }
        let parts: Vec<String> = unentered.gaps().into_iter().map(|gap| gap.part).collect();
        assert_eq!(parts.len(), MOST_NAMED + 1);
        assert_eq!(parts[0], "0/0");
        assert_eq!(parts[MOST_NAMED], "10 more");
    }
}
