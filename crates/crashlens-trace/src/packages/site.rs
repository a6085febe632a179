//! One `site-packages` folder and what is installed in it.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crashlens_core::Package;

use crate::bounded;

const MAX_ENTRIES: usize = 50_000;
/// Name and version stand in the first lines; the rest is the package's description.
const MAX_METADATA_BYTES: u64 = 16 << 10;
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

/// The list of a package's files.
enum Files {
    /// `RECORD`: comma-separated, the path first.
    Record(Vec<u8>),
    /// `installed-files.txt`, pip's list in the days of egg-info: paths from the metadata folder on.
    Installed(Vec<u8>),
    Unlisted,
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
                    None => self.ran_out = true,
                    Some(Files::Unlisted) => unlisted.push(index),
                    Some(list) => list.each_path(|path| {
                        if let Some(place) = places.get(path) {
                            wanted[*place].owner.get_or_insert(index);
                        }
                    }),
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
            name: import_name(top),
            owner: None,
        }
    }
}

impl Files {
    fn each_path(&self, mut take: impl FnMut(&[u8])) {
        let (list, is_record) = match self {
            Self::Record(list) => (list, true),
            Self::Installed(list) => (list, false),
            Self::Unlisted => return,
        };
        let ends = memchr::memchr_iter(b'\n', list).chain([list.len()]);
        let mut start = 0;
        for end in ends {
            let line = &list[start..end];
            start = end + 1;
            match line {
                line if !is_record => take(line.strip_prefix(b"../").unwrap_or(line)),
                // A path with a comma is quoted, as in any CSV file.
                [b'"', rest @ ..] => {
                    take(&rest[..memchr::memchr(b'"', rest).unwrap_or(rest.len())]);
                }
                line => take(&line[..memchr::memchr(b',', line).unwrap_or(line.len())]),
            }
        }
    }
}

/// How near a package's name is to that of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kinship {
    Same,
    /// `tensorflow_cpu` and `tensorflow`, `nvidia_cudnn_cu12` and `nvidia`.
    Similar,
    None,
}

impl Kinship {
    fn between(package: &str, folder: &str) -> Self {
        let goes_on = |long: &str, short: &str| {
            long.strip_prefix(short)
                .is_some_and(|rest| rest.starts_with('_'))
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

/// What a top entry of `site-packages` is imported as, normalised: `numpy.libs` (libraries that
/// auditwheel moved beside the package) is `numpy`, `_x.cpython-311-x86_64-linux-gnu.so` is `_x`.
fn import_name(top: &str) -> String {
    let stem = top
        .split('.')
        .next()
        .filter(|stem| !stem.is_empty())
        .unwrap_or(top);
    normalised(stem)
}

fn normalised(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}

impl Distribution {
    fn at(metadata: PathBuf) -> Option<Self> {
        let file_name = metadata.file_name()?.to_str()?;
        let stem = file_name
            .strip_suffix(".dist-info")
            .or_else(|| file_name.strip_suffix(".egg-info"))?;
        // `PyYAML-6.0`, `crcmod-1.7-py3.11`, and in development installs `mypackage`.
        let name = normalised(stem.split('-').next().unwrap_or(stem));
        Some(Self { metadata, name })
    }

    fn kinship_to(&self, wanted: &Wanted) -> Kinship {
        Kinship::between(&self.name, &wanted.name)
    }

    /// The list of files; `None` when there is one and no budget left to read it.
    fn read_files(&self, budget: &mut u64) -> Option<Files> {
        let read = |name: &str| bounded::read(&self.metadata.join(name), *budget + 1).ok();
        let files = match read("RECORD") {
            Some(list) => Files::Record(list),
            None => read("installed-files.txt").map_or(Files::Unlisted, Files::Installed),
        };
        let (Files::Record(list) | Files::Installed(list)) = &files else {
            return Some(files);
        };
        *budget = budget.checked_sub(list.len() as u64)?;
        Some(files)
    }

    /// Whether a package without a list of files can own the file.
    fn claims(&self, wanted: &Wanted) -> bool {
        let modules = bounded::read_text(&self.metadata.join("top_level.txt"), MAX_METADATA_BYTES);
        let module = wanted.top.split('.').next().unwrap_or(wanted.top);
        match modules {
            Ok(modules) => modules.lines().any(|line| line.trim() == module),
            Err(_) => self.name == wanted.name,
        }
    }

    /// Name and version from the metadata, or from the folder's name.
    fn package(&self) -> Option<Package> {
        let files = [
            self.metadata.join("METADATA"),
            self.metadata.join("PKG-INFO"),
            self.metadata.clone(),
        ];
        let text = files
            .iter()
            .find_map(|file| bounded::read_text(file, MAX_METADATA_BYTES).ok());
        text.and_then(|text| parse_metadata(&text))
            .or_else(|| self.package_by_folder())
    }

    fn package_by_folder(&self) -> Option<Package> {
        let mut parts = self.metadata.file_stem()?.to_str()?.split('-');
        Some(Package {
            name: parts.next()?.to_owned(),
            version: parts.next()?.to_owned(),
        })
    }
}

/// `Name` and `Version` of the headers, which end at the first empty line.
pub(super) fn parse_metadata(text: &str) -> Option<Package> {
    let headers = || text.lines().take_while(|line| !line.trim().is_empty());
    let header = |name: &str| {
        let value = headers()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?
            .trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    Some(Package {
        name: header("Name")?,
        version: header("Version")?,
    })
}
