//! A model that is more than one file: what was seen of its parts, under one deadline.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use crashlens_core::files::{
    Extent, FileFacts, Flaw, FlawKind, Format, ModelFacts, NamedPart, Part,
};

use crate::reading::Options;
use crate::source::Source;
use crate::store::{Entry, Identity, Store};

/// So many flaws of one model are told; the first is what matters.
const MOST_FLAWS: usize = 50;

/// The parts of one model being read.
pub(super) struct Parts<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) options: &'a Options,
    pub(super) facts: FileFacts,
    pub(super) model: ModelFacts,
    /// What the variables were saved from, where that was stored.
    pub(super) object_graph: Option<Vec<u8>>,
    deadline: Instant,
    opened: Vec<(String, Option<Identity>)>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        path: &str,
        format: Format,
        options: &'a Options,
    ) -> Self {
        Self {
            store,
            options,
            facts: FileFacts {
                path: path.to_owned(),
                format: Some(format),
                extent: Extent::Structure,
                ..FileFacts::default()
            },
            model: ModelFacts::default(),
            object_graph: None,
            deadline: Instant::now() + options.limits.time,
            opened: Vec::new(),
        }
    }

    /// Opens a part, and counts its bytes.
    pub(super) fn open(&mut self, path: &str) -> io::Result<Source> {
        let (source, identity) = self.store.open_identified(path)?;
        let source = source.until(self.deadline);
        self.facts.size = self.facts.size.saturating_add(source.size());
        self.opened.push((path.to_owned(), identity));
        Ok(source)
    }

    /// What is in a folder; nothing where it cannot be listed.
    pub(super) fn list(&self, folder: &str) -> Vec<Entry> {
        self.store.list(folder).unwrap_or_default()
    }

    /// Notes a flaw of a part.
    pub(super) fn flaw(
        &mut self,
        kind: FlawKind,
        part: impl Into<NamedPart>,
        at: impl Into<Option<u64>>,
        detail: impl Into<String>,
    ) {
        if self.facts.flaws.len() < MOST_FLAWS {
            self.facts.flaws.push(Flaw {
                kind,
                part: part.into(),
                at: at.into(),
                detail: detail.into(),
            });
        }
    }

    /// Notes that a part could not be opened or read.
    pub(super) fn failed(&mut self, part: impl Into<NamedPart>, error: &io::Error) {
        let (kind, detail) = match error.kind() {
            io::ErrorKind::NotFound => (FlawKind::MissingPart, "it is not there".to_owned()),
            io::ErrorKind::UnexpectedEof => {
                (FlawKind::CutShort, "it ends in the middle".to_owned())
            }
            io::ErrorKind::TimedOut => (
                FlawKind::TimedOut,
                "reading took longer than allowed".to_owned(),
            ),
            io::ErrorKind::StaleNetworkFileHandle => (FlawKind::Changed, error.to_string()),
            _ => (FlawKind::Unreadable, error.to_string()),
        };
        self.flaw(kind, part, None, detail);
    }

    /// Reads by `read`, and gives what was seen; a panic of a decoder is noted against us.
    pub(super) fn read_by(mut self, read: impl FnOnce(&mut Self)) -> FileFacts {
        if catch_unwind(AssertUnwindSafe(|| read(&mut self))).is_err() {
            self.flaw(
                FlawKind::ReaderFailed,
                Part::Reader,
                None,
                "a decoder of crashlens failed on it; please report that",
            );
        }
        let changed = self.opened.iter().find(|(path, before)| {
            let after = self.store.identity(path);
            after.map_or(true, |after| after != *before)
        });
        if let Some(part) = changed.map(|(path, _)| Part::PartFile.written(last(path))) {
            self.flaw(
                FlawKind::Changed,
                part,
                None,
                "its size, time or identity changed while it was read",
            );
        }
        self.facts.contents = crashlens_core::files::Contents::Model(Box::new(self.model));
        self.facts
    }
}

/// A path without slashes at its end.
pub(super) fn bare(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => path,
        bare => bare,
    }
}

/// The last name of a path.
pub(super) fn last(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder that a path is in, as the user would write it.
pub(super) fn folder(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

/// A name in a folder, as a path.
pub(super) fn join(folder: &str, name: &str) -> String {
    match folder {
        "." => name.to_owned(),
        folder if folder.ends_with('/') => format!("{folder}{name}"),
        folder => format!("{folder}/{name}"),
    }
}
