//! How much of a distribution is compared with the disk after a crash.
//!
//! A finding takes part in a crash where one of its native files was loaded, or the package that it is about first has a
//! library that was (`diagnosis/environment.rs` in the core). Findings about the files of any other package take part in
//! none, and comparing those files takes most of the time.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Site;
use super::claims::Place;
use super::draft::top_of;
use super::native::is_native;
use crate::distribution::{Listing, normal_name};
use crate::survey::Loaded;

/// What of a list is compared with the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Every file.
    Whole,
    /// Every file that a program may read. Headers and stubs, half of TensorFlow's files, are for compilers and editors; they
    /// are compared where another file is not as listed, because then all are counted.
    Used,
    /// Native files, which the loader may find for others, and protocol-buffer modules, which another package may refuse.
    Native,
}

impl Extent {
    /// Whether a listed file is compared.
    pub(super) fn has(self, path: &[u8]) -> bool {
        let is_for_compilers = || {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let ending = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
            [&b"h"[..], b"hh", b"hpp", b"hxx", b"cuh", b"inc", b"pyi"].contains(&ending)
        };
        match self {
            Self::Whole => true,
            Self::Used => !is_for_compilers(),
            Self::Native => is_native(path) || is_generated(path),
        }
    }
}

/// Whether it is a module that the compiler of protocol buffers wrote.
pub(super) fn is_generated(path: &[u8]) -> bool {
    path.ends_with(b"_pb2.py")
}

/// The extent for each distribution that has a list; `None` to compare everything.
pub(super) fn extents(
    sites: &[Site],
    lists: &[(Place, Listing)],
    loaded: Option<&Loaded>,
) -> Option<HashMap<Place, Extent>> {
    let loaded = loaded?;
    let packages: HashSet<String> = loaded
        .packages
        .iter()
        .map(|name| normal_name(name))
        .collect();
    let mapped: Vec<HashSet<PathBuf>> = sites
        .iter()
        .map(|site| below(&site.folder, loaded).collect())
        .collect();
    let described: Vec<Described> = lists
        .iter()
        .filter_map(|((site, index), listing)| {
            let found = sites.get(*site)?.found.get(*index)?;
            let name = normal_name(&found.distribution.name);
            let mut described = Described::new((*site, *index), name, listing, mapped.get(*site)?);
            described.is_loaded |= packages.contains(&described.name);
            Some(described)
        })
        .collect();
    // How many have a name or a folder, and whether one of them was loaded.
    let mut names: HashMap<&str, Holders> = HashMap::new();
    let mut tops: HashMap<(usize, &str), Holders> = HashMap::new();
    for one in &described {
        names.entry(&one.name).or_default().add(one);
        for top in &one.tops {
            tops.entry((one.place.0, top)).or_default().add(one);
        }
    }
    let extent = |one: &Described| {
        let of_tops = one.tops.iter().map(|top| tops.get(&(one.place.0, top)));
        let of_name = names.get(one.name.as_str());
        // What is there of one decides what is said of the other: both have to be known whole.
        let mut shared = of_tops.chain([of_name]).flatten().filter(|it| it.count > 1);
        match shared.any(|it| it.is_loaded) {
            true => Extent::Whole,
            false if one.is_loaded => Extent::Used,
            false => Extent::Native,
        }
    };
    Some(
        described
            .iter()
            .map(|one| (one.place, extent(one)))
            .collect(),
    )
}

/// The distributions that have one name, or one folder in common.
#[derive(Default)]
struct Holders {
    count: usize,
    is_loaded: bool,
}

impl Holders {
    fn add(&mut self, one: &Described) {
        self.count += 1;
        self.is_loaded |= one.is_loaded;
    }
}

/// What a list says of its distribution.
struct Described {
    place: Place,
    name: String,
    tops: BTreeSet<String>,
    /// Whether it lists a file that was loaded, or is known to have done so.
    is_loaded: bool,
}

impl Described {
    fn new(place: Place, name: String, listing: &Listing, mapped: &HashSet<PathBuf>) -> Self {
        let mut described = Self {
            place,
            name,
            tops: BTreeSet::new(),
            is_loaded: false,
        };
        let mut last = Vec::new();
        for listed in listing.files() {
            let path: &[u8] = &listed.path;
            described.is_loaded |=
                is_native(path) && mapped.contains(Path::new(OsStr::from_bytes(path)));
            // Lists go folder by folder.
            let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
            // Scripts in `bin`, and the bytecode of modules at the top: every package may list these.
            let is_anybodys = [&b".."[..], b"", b"__pycache__"].contains(&first);
            if first != last.as_slice() && !is_anybodys {
                described.tops.extend(top_of(path).map(Cow::into_owned));
                first.clone_into(&mut last);
            }
        }
        described
    }
}

/// The loaded files below a folder, as paths from there on. A process names files without links on the way.
pub(super) fn below(folder: &Path, loaded: &Loaded) -> impl Iterator<Item = PathBuf> {
    let real = folder.canonicalize().unwrap_or_default();
    let files = loaded.files.iter();
    files.filter_map(move |file| {
        let relative = file
            .strip_prefix(folder)
            .or_else(|_| file.strip_prefix(&real));
        let relative = relative.ok()?;
        is_native(relative.as_os_str().as_bytes()).then(|| relative.to_owned())
    })
}
