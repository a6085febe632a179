//! A second look at files some time after they were read: those that change meanwhile are being written.

use std::thread;
use std::time::Duration;

use crashlens_core::files::{FileFacts, FlawKind};

use super::noticed::flaw;
use crate::store::Identity;
use crate::stores::Stores;

/// What the files were when they were read.
pub(super) struct Watching {
    pause: Option<Duration>,
    seen: Vec<(String, Option<Identity>)>,
}

impl Watching {
    pub(super) fn new(pause: Option<Duration>) -> Self {
        Self {
            pause,
            seen: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, path: &str, stores: &Stores) {
        if self.pause.is_some() {
            let identity = stores.of(path).identity(path).ok().flatten();
            self.seen.push((path.to_owned(), identity));
        }
    }

    /// Those that are others after the pause.
    pub(super) fn changed(self, stores: &Stores) -> Vec<FileFacts> {
        let Some(pause) = self.pause else {
            return Vec::new();
        };
        thread::sleep(pause);
        let is_other = |(path, before): &(String, Option<Identity>)| {
            stores.of(path).identity(path).ok().flatten() != *before
        };
        let files = self.seen.into_iter().filter(is_other);
        files
            .map(|(path, _)| FileFacts {
                path,
                flaws: vec![flaw(
                    FlawKind::Changed,
                    format!("it was another {} seconds later", pause.as_secs()),
                )],
                ..FileFacts::default()
            })
            .collect()
    }
}
