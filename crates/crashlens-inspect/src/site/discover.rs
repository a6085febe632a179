//! Which distributions a folder of packages holds.

use std::io;
use std::path::{Path, PathBuf};

use crashlens_core::survey::Distribution;
use crashlens_core::{Gaps, Observed};

use super::Site;
use super::contents::{Contents, Entry};
use super::extent::Extent;
use super::trouble::Trouble;
use crate::bounded;
use crate::distribution::{self, Metadata, normal_name};

const MAX_DISTRIBUTIONS: usize = 20_000;
const MAX_WHEEL_BYTES: u64 = 16 << 10;
const MAX_TAGS: usize = 64;
const MAX_TAG_LETTERS: usize = 200;
/// An install in place lists its metadata and hardly more.
const MAX_RECORD_BYTES: u64 = 64 << 10;
const MAX_DIRECT_URL_BYTES: u64 = 64 << 10;

/// A distribution, and where it says what it is.
pub(super) struct Found {
    pub(super) distribution: Distribution,
    /// Its `*.dist-info`, `*.egg-info` or `EGG-INFO`.
    pub(super) metadata: PathBuf,
    /// What put it there, as it says itself: `pip`, `uv`, `conda`.
    pub(super) installer: Option<String>,
    /// Whether it has a list of its files.
    pub(super) has_list: bool,
    /// Why its list of files could not be read, where it has one.
    pub(super) unlisted_because: Option<String>,
    /// What of its list was compared with the disk.
    pub(super) extent: Extent,
}

impl Found {
    pub(super) fn into_distribution(mut self, gaps: &mut Gaps) -> Distribution {
        if let Some(reason) = self.unlisted_because {
            let part = format!("list of the files of {}", self.distribution.name);
            self.distribution.files = Observed::Unknown(gaps.add(part, reason, None));
        }
        if let Observed::Known(list) = &mut self.distribution.files {
            let remedy = Some("run `crashlens check`");
            match self.extent {
                Extent::Whole => {}
                Extent::Used => {
                    let part = "headers and stubs of packages that the process had loaded";
                    let reason =
                        "after a crash, files that no program reads are not compared with the disk";
                    gaps.add(part, reason, remedy);
                }
                Extent::Native => {
                    let part = "files of packages that the process had not loaded a library of";
                    let reason =
                        "after a crash, only their native files are compared with the disk";
                    list.native_only = Some(gaps.add(part, reason, remedy));
                }
            }
        }
        self.distribution
    }
}

/// The distributions of one folder. Of two that say the same name and version (Debian keeps an `egg-info` beside a
/// `dist-info`) the first stands for both; two versions of one name are both told.
pub(super) fn distributions(
    folder: &Path,
    contents: &Contents,
    trouble: &mut Trouble,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut add = |metadata: PathBuf, file_name: &str, trouble: &mut Trouble| {
        if found.len() < MAX_DISTRIBUTIONS {
            found.extend(Found::read(metadata, file_name, trouble));
        }
    };
    for (name, entry) in contents.top() {
        let is_folder = matches!(entry, Entry::Folder { .. });
        // pip gives what it is about to remove a name with a tilde.
        if name.starts_with('~') {
        } else if name.ends_with(".dist-info") && is_folder || name.ends_with(".egg-info") {
            add(folder.join(name), name, trouble);
        } else if is_egg(name) && is_folder {
            add(folder.join(name).join("EGG-INFO"), name, trouble);
        }
    }
    // A folder `x.egg` that `easy-install.pth` names is itself a folder to import from.
    let own_name = folder.file_name().and_then(|name| name.to_str());
    if let Some(name) = own_name.filter(|name| is_egg(name)) {
        add(folder.join("EGG-INFO"), name, trouble);
    }
    found.sort_by(|a, b| a.identity().cmp(&b.identity()));
    found.dedup_by(|later, first| later.identity() == first.identity());
    found
}

fn is_egg(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "egg")
}

/// Marks what `*.egg-link` files point to: source trees that are imported in place. An egg that was found from two
/// folders is kept once.
pub(super) fn mark_linked(sites: &mut [Site]) {
    let linked: Vec<PathBuf> = sites.iter().flat_map(links_of).collect();
    let mut seen = std::collections::HashSet::new();
    for site in sites {
        site.found
            .retain(|found| seen.insert(found.metadata.clone()));
        if linked.contains(&site.folder) {
            for found in &mut site.found {
                found.distribution.editable = true;
            }
        }
    }
}

fn links_of(site: &Site) -> Vec<PathBuf> {
    let names = site.contents.top().map(|(name, _)| name);
    names
        .filter(|name| name.ends_with(".egg-link"))
        .take(1000)
        .filter_map(|name| bounded::read_text(&site.folder.join(name), MAX_WHEEL_BYTES).ok())
        .filter_map(|text| Some(PathBuf::from(text.lines().next()?.trim())))
        .collect()
}

impl Found {
    /// conda writes prefixes into files when it installs them and splits packages, and packagers of Linux strip native
    /// code: the list is that of the wheel they started from.
    pub(super) fn is_changed_by_installer(&self) -> bool {
        let keep_lists_true = [
            "pip",
            "uv",
            "poetry",
            "pdm",
            "pipenv",
            "rye",
            "hatch",
            "installer",
            "pex",
            "bazel",
        ];
        let by = |name: &String| keep_lists_true.iter().any(|known| name.starts_with(known));
        self.installer.as_ref().is_some_and(|name| !by(name))
    }

    fn identity(&self) -> (String, &str) {
        let distribution = &self.distribution;
        (
            normal_name(&distribution.name),
            distribution.version.as_str(),
        )
    }

    /// `None` where nothing says that something is installed.
    fn read(metadata: PathBuf, file_name: &str, trouble: &mut Trouble) -> Option<Self> {
        let (name, version) = distribution::name_and_version(file_name)?;
        let read = Metadata::read(&metadata);
        let own = match read {
            Ok(own) => own,
            Err(error) => {
                trouble.with(&metadata.join("METADATA"), &error);
                // Without its own words and without a list it is a rest of something.
                if error.kind() == io::ErrorKind::NotFound && !metadata.join("RECORD").exists() {
                    return None;
                }
                Metadata::default()
            }
        };
        if own.is_cut {
            trouble.with(
                &metadata.join("METADATA"),
                "its headers are longer than what is read",
            );
        }
        let text = |name: &str, limit: u64| bounded::read_text(&metadata.join(name), limit).ok();
        let tags = text("WHEEL", MAX_WHEEL_BYTES).map_or_else(Vec::new, |wheel| tags(&wheel));
        let direct_url = text("direct_url.json", MAX_DIRECT_URL_BYTES);
        let installer = text("INSTALLER", 200).map(|text| text.trim().to_lowercase());
        let editable = direct_url.as_deref().and_then(editable_source);
        let lost_source = editable.as_deref().and_then(|source| {
            let record = text("RECORD", MAX_RECORD_BYTES).unwrap_or_default();
            lost(source).or_else(|| lost_path(metadata.parent()?, &record))
        });
        let by_folder = |text: &str| distribution::printable(text, MAX_TAG_LETTERS);
        Some(Self {
            distribution: Distribution {
                name: own.name.unwrap_or_else(|| by_folder(name)),
                version: own
                    .version
                    .or_else(|| version.map(by_folder))
                    .unwrap_or_default(),
                metadata: metadata.display().to_string(),
                requires: own.requires,
                requires_python: own.requires_python,
                tags,
                files: Observed::Absent,
                editable: editable.is_some(),
                lost_source,
                installer: installer.as_deref().map(by_folder),
                ..Distribution::default()
            },
            metadata,
            installer,
            has_list: false,
            unlisted_because: None,
            extent: Extent::Whole,
        })
    }
}

/// `Tag: cp311-cp311-manylinux_2_17_x86_64`.
fn tags(wheel: &str) -> Vec<String> {
    let tags = wheel.lines().filter_map(|line| line.strip_prefix("Tag:"));
    tags.map(|tag| distribution::printable(tag.trim(), MAX_TAG_LETTERS))
        .take(MAX_TAGS)
        .collect()
}

/// Where it is installed from in place: `{"dir_info": {"editable": true}, "url": "file:///home/me/project"}`.
fn editable_source(direct_url: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(direct_url).ok()?;
    let is_editable = value.pointer("/dir_info/editable")? == &serde_json::Value::Bool(true);
    let url = value.get("url").and_then(serde_json::Value::as_str);
    is_editable.then(|| url.unwrap_or_default().to_owned())
}

/// The folder of a URL, where it is sure that nothing is there. One with letters that were encoded is not looked for.
fn lost(url: &str) -> Option<String> {
    let folder = url.strip_prefix("file://")?;
    if !folder.starts_with('/') || folder.contains('%') {
        return None;
    }
    let error = std::fs::metadata(folder).err()?;
    (error.kind() == io::ErrorKind::NotFound).then(|| distribution::printable(folder, 4096))
}

/// The first folder that the `*.pth` files of an install in place add to `sys.path`, where none of what they add is there:
/// `src` of a project whose folder stays. Lines of code are not for us to read.
fn lost_path(site: &Path, record: &str) -> Option<String> {
    let names = record.lines().filter_map(|line| line.split(',').next());
    let is_list = |name: &&str| {
        let extension = Path::new(name).extension();
        extension.is_some_and(|extension| extension == "pth") && !name.contains('/')
    };
    let names = names.filter(is_list);
    let texts = names
        .take(10)
        .filter_map(|name| bounded::read_text(&site.join(name), MAX_WHEEL_BYTES).ok());
    let lines: Vec<String> = texts
        .flat_map(|text| {
            let lines = text.lines().map(|line| line.trim().to_owned());
            lines.filter(|line| !line.is_empty()).collect::<Vec<_>>()
        })
        .collect();
    let is_gone = |line: &String| {
        let error = std::fs::metadata(line).err();
        line.starts_with('/') && error.is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let first = lines.first().filter(|_| lines.iter().all(is_gone))?;
    Some(distribution::printable(first, 4096))
}
