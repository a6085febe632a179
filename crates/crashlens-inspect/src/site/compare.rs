//! The lists of installed files against what is on disk.
//!
//! Left out are bytecode, which comes and goes; the metadata itself, which installers and distributions of Linux thin
//! out; and what lies outside the folder of packages (scripts, manuals) unless it is native code.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crashlens_core::Observed;
use crashlens_core::survey::ChangedFile;

use super::Site;
use super::claims::{Claim, Claims, Place};
use super::contents::{Entry, Presence};
use super::draft::{Draft, is_code};
use super::extent::{Extent, extents, is_generated};
use super::gencode::Newest;
use super::hashing::{self, Check};
use super::native::is_native;
use crate::distribution::{Listed, Listing, printable_path};
use crate::interpreter::path_file::without_dots;
use crate::{Question, bounded};

/// For all lists of an environment together; those of a full TensorFlow environment have 4 MB.
const MAX_LIST_BYTES: u64 = 64 << 20;
const MAX_LISTED: usize = 500_000;
/// Lines that lead out of their folder: each is asked for by itself.
const MAX_OUTSIDE: usize = 10_000;
const MAX_GENERATED: usize = 5_000;
/// Files that are opened only to see whether they may be.
const MAX_OPENED: usize = 20_000;

/// What the lists say, against what is there.
pub(super) struct Comparison {
    drafts: Vec<Draft>,
    claims: Claims,
    /// Which distribution lists a native file.
    owners: HashMap<PathBuf, Place>,
    /// Native files outside the folders of packages.
    outside: BTreeSet<PathBuf>,
    left: Left,
    verify: bool,
}

/// What may still be done.
struct Left {
    bytes: u64,
    lines: usize,
    outside: usize,
    generated: usize,
    opened: usize,
}

impl Comparison {
    pub(super) fn of(sites: &mut [Site], question: &Question) -> Self {
        let mut comparison = Self {
            drafts: Vec::new(),
            claims: Claims::default(),
            owners: HashMap::new(),
            outside: BTreeSet::new(),
            left: Left {
                bytes: MAX_LIST_BYTES,
                lines: MAX_LISTED,
                outside: MAX_OUTSIDE,
                generated: MAX_GENERATED,
                opened: MAX_OPENED,
            },
            verify: question.verify,
        };
        let lists = comparison.lists(sites);
        let extents = extents(sites, &lists, question.only.as_ref());
        for (place, listing) in lists {
            let extent = extents.as_ref().and_then(|it| it.get(&place).copied());
            if let Some(site) = sites.get_mut(place.0) {
                comparison.compare(site, place, &listing, extent.unwrap_or(Extent::Whole));
            }
        }
        comparison.check_contents();
        comparison.claims.sort();
        comparison
    }

    /// The lists of all distributions that have one.
    fn lists(&mut self, sites: &mut [Site]) -> Vec<(Place, Listing)> {
        let mut lists = Vec::new();
        for (number, site) in sites.iter_mut().enumerate() {
            for (index, found) in site.found.iter_mut().enumerate() {
                match self.listing(&found.metadata) {
                    Ok(Some(listing)) => lists.push(((number, index), listing)),
                    Ok(None) => {}
                    Err(reason) => found.unlisted_because = Some(reason),
                }
            }
        }
        lists
    }

    fn compare(&mut self, site: &mut Site, place: Place, listing: &Listing, extent: Extent) {
        let Some(found) = site.found.get(place.1) else {
            return;
        };
        let claims = self.claims.count();
        let mut reader = Reader {
            own_metadata: own_metadata(&found.metadata, &site.folder),
            is_true: !site.is_systems && !found.is_changed_by_installer(),
            site,
            is_editable: false,
            extent,
            draft: Draft::new(place),
            gencode: Newest::default(),
            comparison: self,
        };
        for listed in listing.files() {
            if reader.comparison.left.lines == 0 {
                let reason = "all lists together have more lines than are looked at";
                site.found[place.1].unlisted_because = Some(reason.to_owned());
                return;
            }
            reader.comparison.left.lines -= 1;
            reader.take(&listed);
        }
        let Reader {
            draft,
            gencode,
            is_editable,
            ..
        } = reader;
        if extent == Extent::Used && !draft.is_as_listed() {
            self.claims.forget_since(claims);
            return self.compare(site, place, listing, Extent::Whole);
        }
        self.drafts.push(draft);
        site.found[place.1].has_list = true;
        site.found[place.1].extent = extent;
        let distribution = &mut site.found[place.1].distribution;
        distribution.gencode = gencode.into_gencode();
        distribution.editable |= is_editable;
    }

    /// The list of a distribution's files; `None` where it has none.
    fn listing(&mut self, metadata: &Path) -> Result<Option<Listing>, String> {
        let read = |name: &str| match bounded::read(&metadata.join(name), self.left.bytes + 1) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        let listing = match read("RECORD")? {
            Some(text) => Some(Listing::Record(text)),
            None => read("installed-files.txt")?.map(Listing::Installed),
        };
        if let Some(listing) = &listing {
            let left = self.left.bytes.checked_sub(listing.size() as u64);
            self.left.bytes = left.ok_or("all lists together are larger than what is read")?;
        }
        Ok(listing)
    }

    fn check_contents(&mut self) {
        let all = self.drafts.iter_mut().enumerate().flat_map(|(draft, of)| {
            let checks = std::mem::take(&mut of.checks);
            checks.into_iter().map(move |check| (draft, check))
        });
        for (draft, check) in hashing::differing(all.collect()) {
            let path = printable_path(&check.path);
            let file = ChangedFile {
                path,
                listed_size: Some(check.size),
                size: check.size,
                ..ChangedFile::default()
            };
            if let Some(draft) = self.drafts.get_mut(draft) {
                draft.change(file, check.key);
            }
        }
    }

    /// Which distribution lists a native file.
    pub(super) fn owner(&self, path: &Path) -> Option<Place> {
        self.owners.get(path).copied()
    }

    /// Native files that distributions list and that are there.
    pub(super) fn listed(&self) -> impl Iterator<Item = &PathBuf> {
        self.owners.keys()
    }

    /// Native files that distributions have put outside the folders of packages: `lib/libiomp5.so`.
    pub(super) fn outside(&self) -> impl Iterator<Item = &PathBuf> {
        self.outside.iter()
    }

    /// Writes the results to the distributions.
    pub(super) fn finish(self, sites: &mut [Site]) {
        let name_at = |sites: &[Site], (site, index): Place| {
            let found = sites.get(site).and_then(|site| site.found.get(index));
            found
                .map(|found| found.distribution.name.clone())
                .unwrap_or_default()
        };
        let mut shared = self.claims.shared(|place| name_at(sites, place));
        for mut draft in self.drafts {
            let place = draft.place;
            let changed = draft.changed();
            let mut list = draft.list;
            list.missing = draft.missing.first();
            list.top = draft.top.into_iter().collect();
            list.shared_with = shared.remove(&place).unwrap_or_default();
            list.changed = changed
                .map(|(mut file, key)| {
                    let writer = self.claims.of_size(key, file.size, place);
                    let has_grown = file.listed_size != Some(file.size);
                    file.written_by = writer
                        .filter(|_| has_grown)
                        .map(|place| name_at(sites, place));
                    file
                })
                .collect();
            if let Some(found) = sites
                .get_mut(place.0)
                .and_then(|site| site.found.get_mut(place.1))
            {
                found.distribution.files = Observed::Known(list);
            }
        }
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Whether a file stops in the middle of a line. One that cannot be read says nothing.
fn ends_within_line(path: &Path) -> bool {
    let last = || {
        let mut file = bounded::open(path)?;
        file.seek(io::SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        Ok::<u8, io::Error>(last[0])
    };
    last().is_ok_and(|last| !b"\r\n".contains(&last))
}

/// The name of the metadata folder as lists have it: `numpy-1.26.4.dist-info/`.
fn own_metadata(metadata: &Path, site: &Path) -> Vec<u8> {
    let relative = metadata.strip_prefix(site).unwrap_or(metadata);
    let mut name = relative.as_os_str().as_bytes().to_vec();
    name.push(b'/');
    name
}

/// Goes through one list.
struct Reader<'a> {
    site: &'a Site,
    own_metadata: Vec<u8>,
    /// Whether the files are meant to be as listed.
    is_true: bool,
    is_editable: bool,
    extent: Extent,
    draft: Draft,
    gencode: Newest,
    comparison: &'a mut Comparison,
}

impl Reader<'_> {
    fn take(&mut self, listed: &Listed) {
        let path: &[u8] = &listed.path;
        let has_folder = |name: &[u8]| path.split(|byte| *byte == b'/').any(|part| part == name);
        if path.ends_with(b".pyc") || path.ends_with(b".pyo") || has_folder(b"__pycache__") {
            return;
        }
        self.draft.list.listed += u64::from(self.extent.has(path));
        self.is_editable |= path.starts_with(b"__editable__");
        if path.starts_with(&self.own_metadata) {
        } else if path.starts_with(b"/") || has_folder(b"..") {
            self.take_outside(path);
        } else {
            self.take_inside(listed);
        }
    }

    fn take_outside(&mut self, relative: &[u8]) {
        if !is_native(relative) || self.comparison.left.outside == 0 {
            return;
        }
        self.comparison.left.outside -= 1;
        let path = without_dots(&self.site.folder.join(OsStr::from_bytes(relative)));
        match Presence::at(&path) {
            Presence::There(Entry::File { .. }) => {
                self.comparison.outside.insert(path.clone());
                self.comparison
                    .owners
                    .entry(path)
                    .or_insert(self.draft.place);
            }
            Presence::Missing if self.is_true => self.draft.miss(&path, relative),
            _ => {}
        }
    }

    fn take_inside(&mut self, listed: &Listed) {
        let path: &[u8] = &listed.path;
        let absolute = || self.site.folder.join(OsStr::from_bytes(path));
        self.draft.add_top(path);
        let claim = Claim::new(self.draft.place, listed);
        let presence = if self.extent.has(path) {
            self.site.contents.get(path)
        } else {
            Presence::Unknown
        };
        match presence {
            Presence::Missing if self.is_true && !self.is_compiled(path) => {
                self.draft.miss(&absolute(), path);
            }
            Presence::Forbidden => self.draft.forbid(&absolute(), path),
            Presence::There(Entry::File {
                size, is_guarded, ..
            }) => {
                if is_guarded && is_code(path) && self.is_forbidden(&absolute()) {
                    self.draft.forbid(&absolute(), path);
                }
                self.compare_sizes(listed, size, claim.key());
                if is_native(path) {
                    self.comparison
                        .owners
                        .entry(absolute())
                        .or_insert(self.draft.place);
                }
                if is_generated(path) && self.comparison.left.generated > 0 {
                    self.comparison.left.generated -= 1;
                    self.gencode.look_at(&absolute());
                }
            }
            _ => {}
        }
        self.comparison.claims.add(claim, path);
    }

    /// Whether a module whose source was taken away has its bytecode beside it, from where Python imports it as well.
    fn is_compiled(&self, path: &[u8]) -> bool {
        if !path.ends_with(b".py") {
            return false;
        }
        let bytecode = [path, b"c"].concat();
        let found = self.site.contents.get(&bytecode);
        matches!(found, Presence::There(Entry::File { size, .. }) if size > 0)
    }

    /// Whether a file that not everybody may read may not be read by us.
    fn is_forbidden(&mut self, path: &Path) -> bool {
        if self.comparison.left.opened == 0 {
            return false;
        }
        self.comparison.left.opened -= 1;
        let error = bounded::open(path).err();
        error.is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    }

    fn compare_sizes(&mut self, listed: &Listed, size: u64, key: u64) {
        // Whoever adds a certificate to a bundle of them means to.
        let is_certificate = listed.path.ends_with(b".pem") || listed.path.ends_with(b".crt");
        if !self.is_true || is_certificate {
            return;
        }
        let path = || self.site.folder.join(OsStr::from_bytes(&listed.path));
        if listed.size.is_some_and(|listed| listed != size) {
            let is_shorter = listed.size.is_some_and(|listed| listed > size);
            let file = ChangedFile {
                path: printable_path(&path()),
                listed_size: listed.size,
                size,
                ends_within_line: is_shorter
                    && listed.path.ends_with(b".py")
                    && ends_within_line(&path()),
                written_by: None,
            };
            self.draft.change(file, key);
        } else if let Some(sha256) = listed.sha256.filter(|_| self.comparison.verify) {
            self.draft.checks.push(Check {
                path: path(),
                sha256: sha256.to_vec(),
                size,
                key,
            });
        }
    }
}
