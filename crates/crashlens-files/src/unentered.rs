//! What a scan leaves out by its own rules: a report that does not name it reads as if all of it were sound.

use crashlens_core::capture::Gap;

/// Maximum number of paths that are named for each reason; the rest is counted.
const MOST_NAMED: usize = 20;

/// Folders in folders are followed so far.
pub(crate) const MOST_DEPTH: usize = 64;

/// Why a folder is not entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// It is too many folders below the path that was named.
    Depth,
}

/// The folders that were not entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unentered {
    deep: Folders,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Folders {
    first: Vec<String>,
    more: u64,
}

impl Unentered {
    pub(crate) fn add(&mut self, folder: &str, barrier: Barrier) {
        let folders = match barrier {
            Barrier::Depth => &mut self.deep,
        };
        folders.add(folder);
    }

    /// Takes in those below another path.
    pub(crate) fn append(&mut self, other: Self) {
        self.deep.append(other.deep);
    }

    /// What to say of them.
    pub fn gaps(&self) -> Vec<Gap> {
        let reason = format!("more than {MOST_DEPTH} folders below the path that was named");
        self.deep.gaps(&reason, Some("name the folder itself"))
    }
}

impl Folders {
    fn add(&mut self, folder: &str) {
        if self.first.len() < MOST_NAMED {
            self.first.push(folder.to_owned());
        } else {
            self.more += 1;
        }
    }

    fn append(&mut self, other: Self) {
        for folder in &other.first {
            self.add(folder);
        }
        self.more += other.more;
    }

    fn gaps(&self, reason: &str, remedy: Option<&str>) -> Vec<Gap> {
        let named = self.first.iter().map(|folder| format!("folder {folder}"));
        let more = match self.more {
            0 => None,
            1 => Some("1 more folder".to_owned()),
            count => Some(format!("{count} more folders")),
        };
        let gap = |part| Gap {
            part,
            reason: reason.to_owned(),
            remedy: remedy.map(ToOwned::to_owned),
        };
        named.chain(more).map(gap).collect()
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
        assert_eq!(parts[0], "folder 0/0");
        assert_eq!(parts[MOST_NAMED], "10 more folders");
    }
}
