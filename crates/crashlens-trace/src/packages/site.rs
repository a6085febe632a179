//! One `site-packages` folder and what is installed in it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crashlens_core::Package;
use crashlens_inspect::bounded;
use crashlens_inspect::distribution::{self, Listing, Metadata, module_name, normal_name};

const MAX_ENTRIES: usize = 50_000;
/// For all lists of one folder together; those of a full TensorFlow environment have 4 MB.
const MAX_RECORD_BYTES: u64 = 64 << 20;

/// One `site-packages` folder.
pub(super) struct Site {
    distributions: Vec<Distribution>,
    budget: u64,
    ran_out: bool,
}

/// One installed package.
struct Distribution {
    /// Its `*.dist-info` or `*.egg-info`.
    metadata: PathBuf,
    /// Name from the folder, normalised.
    name: String,
}

/// A file whose owner is sought.
struct Wanted<'a> {
    /// The folder or file of `site-packages` it is in.
    top: &'a str,
    /// What that is imported as, normalised.
    name: String,
    owner: Option<usize>,
}

impl Site {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let entries = fs::read_dir(folder)?
            .take(MAX_ENTRIES)
            .filter_map(Result::ok);
        let mut distributions: Vec<Distribution> = entries
            .filter_map(|entry| Distribution::at(entry.path()))
            .collect();
        // The order of a folder is not the same on two machines; a report must be.
        distributions.sort_unstable_by(|a, b| a.metadata.cmp(&b.metadata));
        Ok(Self {
            distributions,
            budget: MAX_RECORD_BYTES,
            ran_out: false,
        })
    }

    /// Whether some list of files was left unread for its size.
    pub(super) fn ran_out_of_budget(&self) -> bool {
        self.ran_out
    }

    /// The packages that installed these files, given by their paths in this folder.
    ///
    /// Each list is read at most once and looked through for all files at once. Packages named like a
    /// wanted folder come first: most lists then need not be read at all.
    pub(super) fn owners(&mut self, files: &[&str]) -> Vec<Option<Package>> {
        let mut wanted: Vec<Wanted> = files.iter().map(|relative| Wanted::new(relative)).collect();
        let places: HashMap<&[u8], usize> = files
            .iter()
            .enumerate()
            .map(|(place, relative)| (relative.as_bytes(), place))
            .collect();
        let mut is_read = vec![false; self.distributions.len()];
        let mut unlisted = Vec::new();
        for kinship in [Kinship::Same, Kinship::Similar, Kinship::None] {
            for (index, distribution) in self.distributions.iter().enumerate() {
                let is_kin = |wanted: &Wanted| {
                    wanted.owner.is_none() && distribution.kinship_to(wanted) == kinship
                };
                if is_read[index] || !wanted.iter().any(is_kin) {
                    continue;
                }
                is_read[index] = true;
                let list = distribution.read_files(&mut self.budget);
                match &list {
                    Files::OverBudget => self.ran_out = true,
                    Files::Unlisted => unlisted.push(index),
                    Files::Listed(list) => {
                        for listed in list.files() {
                            if let Some(place) = places.get(&*listed.path) {
                                wanted[*place].owner.get_or_insert(index);
                            }
                        }
                    }
                }
            }
        }
        let mut packages: BTreeMap<usize, Option<Package>> = BTreeMap::new();
        let mut package_at = |index: usize| {
            packages
                .entry(index)
                .or_insert_with(|| self.distributions.get(index)?.package())
                .clone()
        };
        wanted
            .iter()
            .map(|wanted| {
                wanted
                    .owner
                    .or_else(|| self.only_namesake(wanted, &unlisted))
                    .and_then(&mut package_at)
            })
            .collect()
    }

    /// The one package without a list that the file can belong to.
    fn only_namesake(&self, wanted: &Wanted, unlisted: &[usize]) -> Option<usize> {
        let mut candidates = unlisted
            .iter()
            .copied()
            .filter(|index| self.distributions[*index].claims(wanted));
        let first = candidates.next()?;
        let is_one = candidates
            .all(|other| self.distributions[other].name == self.distributions[first].name);
        is_one.then_some(first)
    }
}

impl<'a> Wanted<'a> {
    fn new(relative: &'a str) -> Self {
        let top = relative.split('/').next().unwrap_or(relative);
        Self {
            top,
            name: normal_name(module_name(top)),
            owner: None,
        }
    }
}

/// How near a package's name is to that of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kinship {
    Same,
    /// `tensorflow-cpu` and `tensorflow`, `nvidia-cudnn-cu12` and `nvidia`.
    Similar,
    None,
}

impl Kinship {
    fn between(package: &str, folder: &str) -> Self {
        let goes_on = |long: &str, short: &str| {
            long.strip_prefix(short)
                .is_some_and(|rest| rest.starts_with('-'))
        };
        if package == folder {
            Self::Same
        } else if goes_on(package, folder) || goes_on(folder, package) {
            Self::Similar
        } else {
            Self::None
        }
    }
}

/// What there is of a distribution's list of files.
enum Files {
    Listed(Listing),
    Unlisted,
    /// There is one, and no budget left to read it.
    OverBudget,
}

impl Distribution {
    fn at(metadata: PathBuf) -> Option<Self> {
        let file_name = metadata.file_name()?.to_str()?;
        let is_metadata = file_name.ends_with(".dist-info") || file_name.ends_with(".egg-info");
        let (name, _) = distribution::name_and_version(file_name).filter(|_| is_metadata)?;
        let name = normal_name(name);
        Some(Self { metadata, name })
    }

    fn kinship_to(&self, wanted: &Wanted) -> Kinship {
        Kinship::between(&self.name, &wanted.name)
    }

    fn read_files(&self, budget: &mut u64) -> Files {
        let read = |name: &str| bounded::read(&self.metadata.join(name), *budget + 1).ok();
        let list = match read("RECORD") {
            Some(list) => Some(Listing::Record(list)),
            None => read("installed-files.txt").map(Listing::Installed),
        };
        let Some(list) = list else {
            return Files::Unlisted;
        };
        match budget.checked_sub(list.size() as u64) {
            Some(left) => *budget = left,
            None => return Files::OverBudget,
        }
        Files::Listed(list)
    }

    /// Whether a package without a list of files can own the file.
    fn claims(&self, wanted: &Wanted) -> bool {
        distribution::claims(&self.metadata, &self.name, wanted.top)
    }

    /// Name and version from the metadata, or from the folder's name.
    fn package(&self) -> Option<Package> {
        let own = Metadata::read(&self.metadata).unwrap_or_default();
        if let (Some(name), Some(version)) = (own.name, own.version) {
            return Some(Package { name, version });
        }
        let (name, version) = distribution::name_and_version(self.metadata.file_name()?.to_str()?)?;
        Some(Package {
            name: name.to_owned(),
            version: version?.to_owned(),
        })
    }
}
