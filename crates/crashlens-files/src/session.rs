//! One scan from beginning to end: files are found, read, compared with what an earlier scan saw, and looked at again.
//!
//! States facts alone, one file after the other; callers judge and print them.

mod asked;
mod duplicates;
mod ledger;
mod noticed;
mod own_files;
mod pattern;
mod watching;

use std::fs::File;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crashlens_core::files::{FileFacts, Flaw, FlawKind};

use self::duplicates::Duplicates;
use self::ledger::{Known, Ledger};
use self::noticed::flaw;
use self::own_files::OwnFiles;
use self::watching::Watching;
use crate::examine::examine;
use crate::finder::{Subject, find};
use crate::manifest::Listed;
use crate::reading::{Options, Purpose};
use crate::scan::{Found, in_trouble, scan};
use crate::stores::{Stores, is_object};
use crate::unentered::Unentered;
use crate::writers::Writers;

pub use self::asked::{PathError, expand_paths, fixed_parts};
pub use self::ledger::ManifestError;
pub use self::pattern::Expanded;

/// Threads that read objects, where no number was asked for.
const OBJECT_JOBS: NonZero<usize> = NonZero::new(8).unwrap();

/// What is to be scanned, and how.
#[derive(Debug, Clone, Default)]
pub struct Plan<'a> {
    /// Files, folders and prefixes of checkpoints.
    pub paths: &'a [String],
    /// What readers are asked for.
    pub options: Options,
    /// Threads that read; `None` for as many as are of use.
    pub jobs: Option<NonZero<usize>>,
    /// Hashes and facts of all files: written, continued, or compared with.
    pub manifest: Option<&'a Path>,
    /// Look at every file again after this pause.
    pub watch: Option<Duration>,
    /// Files that the caller writes: they are not part of what is scanned.
    pub written: Vec<&'a Path>,
    /// The folder that the caller moves bad files to.
    pub moved_to: Option<&'a Path>,
}

/// What a scan hands on.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'a> {
    /// A file, once for each.
    File(&'a FileFacts),
    /// What was noticed of a file when all were read.
    Later(&'a FileFacts),
    /// What was left out, at the end.
    Unentered(&'a Unentered),
}

/// Learns how far a scan has come.
pub trait Progress: Sync {
    /// A file of this size is to be read.
    fn found(&self, size: u64);
    /// It was read.
    fn read(&self, size: u64);
}

/// A scan that is about to begin.
pub struct Session<'a> {
    plan: &'a Plan<'a>,
    stores: &'a Stores,
    known: Known<'a>,
    manifest: Option<File>,
}

impl<'a> Session<'a> {
    /// Opens the manifest, so that no hours are spent on a scan that cannot keep what it sees.
    pub fn open(plan: &'a Plan<'a>, stores: &'a Stores) -> Result<Self, ManifestError> {
        let known = Known::read(plan.manifest, stores)?;
        Ok(Self {
            plan,
            stores,
            manifest: known.open()?,
            known,
        })
    }

    /// Whether files are compared with a manifest. One that is not whole is written on, and nothing is compared with it.
    pub fn compares(&self) -> bool {
        self.known.is_complete()
    }

    /// Reads all files and passes what is seen to `take`, in the order of the files. Ends early when `take` says `false`;
    /// a manifest can then be continued.
    pub fn run(
        mut self,
        progress: &dyn Progress,
        mut take: impl FnMut(Seen<'_>) -> bool,
    ) -> Result<(), ManifestError> {
        let mut ledger = Ledger::new(&self.known, self.manifest.take());
        let mut duplicates = Duplicates::default();
        let mut watching = Watching::new(self.plan.watch);
        let mut written = Ok(());
        let mut is_whole = true;
        let unentered = self.read_all(progress, |listed| {
            let facts = &listed.facts;
            if self.plan.options.purpose == Purpose::Data {
                duplicates.note(facts);
            }
            watching.note(&facts.path, self.stores);
            is_whole = take(Seen::File(facts));
            written = ledger.write(&listed);
            is_whole && written.is_ok()
        });
        written?;
        if !is_whole {
            return Ok(());
        }
        let later = ledger
            .missing()
            .into_iter()
            .chain(duplicates.found(self.stores))
            .chain(watching.changed(self.stores));
        for facts in later {
            take(Seen::Later(&facts));
        }
        take(Seen::Unentered(&unentered));
        ledger.close()
    }

    /// Returns what was left out.
    fn read_all(&self, progress: &dyn Progress, take: impl FnMut(Listed) -> bool) -> Unentered {
        let plan = self.plan;
        let own = OwnFiles::new(&plan.written, plan.moved_to, plan.paths);
        let writers = Writers::now();
        let unentered = Mutex::new(Unentered::default());
        let find = |found: &mut Found<'_>| {
            for path in plan.paths {
                let mut go_on = true;
                let purpose = plan.options.purpose;
                let below = find(self.stores.of(path), path, purpose, &mut |subject| {
                    if own.contains(&subject.path) {
                        return true;
                    }
                    progress.found(subject.size);
                    go_on = found(subject);
                    go_on
                });
                let mut all = unentered.lock().unwrap_or_else(PoisonError::into_inner);
                all.append(below);
                if !go_on {
                    return;
                }
            }
        };
        let read = |subject: &Subject| {
            let listed = self.read(subject, &writers);
            progress.read(subject.size);
            listed
        };
        scan(self.jobs(), find, read, take);
        unentered
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, subject: &Subject, writers: &Writers) -> Listed {
        if let Some(trouble) = &subject.trouble {
            return self.known.hashed(in_trouble(subject, trouble));
        }
        if let Some(listed) = self.known.facts(subject, self.plan.options.full) {
            return listed.clone();
        }
        let path = &subject.path;
        let mut facts = examine(self.stores.of(path), path, &self.plan.options);
        facts.flaws.extend(self.written_by(path, writers));
        self.known.hashed(facts)
    }

    /// Who writes to the file right now.
    fn written_by(&self, path: &str, writers: &Writers) -> Option<Flaw> {
        // A store does not say who uploads: `unseen_in_stores`.
        if is_object(path) {
            return None;
        }
        let identity = self.stores.of(path).identity(path).ok()??;
        let writer = writers.of(identity.device, identity.inode)?;
        let detail = format!("{writer} has it open for writing");
        Some(flaw(FlawKind::OpenForWriting, detail))
    }

    fn jobs(&self) -> NonZero<usize> {
        let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        // A store is waited for more than it is worked for.
        let usual = if self.plan.paths.iter().any(|path| is_object(path)) {
            cores.max(OBJECT_JOBS)
        } else {
            cores
        };
        self.plan.jobs.unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests;
