//! How a process came to be: noted when it is made, while its parent still is as it was then.

use std::collections::BTreeMap;
use std::sync::Arc;

use crashlens_core::{Lineage, Origin, ThreadStarter};

/// Libraries that are listed as starters of threads.
const MOST_STARTERS: usize = 16;

/// What is noted of a process when it is made.
#[derive(Debug, Default)]
pub(crate) struct Birth {
    /// How it was made; `None` when nothing could be asked.
    origin: Option<Origin>,
    parent: Option<u32>,
    crowd: Option<Crowd>,
}

/// The threads of a process that forks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crowd {
    /// How many there are.
    pub(crate) threads: u64,
    /// Paths of the libraries that had started those of which it is known, with their number.
    pub(crate) starters: BTreeMap<Arc<str>, u64>,
    /// Whether it is known of all but the first.
    pub(crate) complete: bool,
}

impl Birth {
    /// Of a process that was not made under our eyes.
    pub(crate) fn of(origin: Origin) -> Self {
        Self {
            origin: Some(origin),
            ..Self::default()
        }
    }

    /// Of a copy of `parent`, which had the threads of `crowd`.
    pub(crate) fn forked(parent: u32, crowd: Option<Crowd>) -> Self {
        Self {
            origin: Some(Origin::Forked),
            parent: Some(parent),
            crowd,
        }
    }

    /// Of the same process after it has become another program, which has nothing of its parent's threads.
    pub(crate) fn after_exec(self) -> Self {
        let origin = match self.origin {
            Some(Origin::Forked) => Some(Origin::Spawned),
            origin => origin,
        };
        Self {
            origin,
            crowd: None,
            ..self
        }
    }

    /// As a capture has it.
    pub(crate) fn lineage(&self) -> Option<Lineage> {
        let mut lineage = Lineage::new(self.origin?);
        lineage.made_by = self.parent;
        if let Some(crowd) = &self.crowd {
            let of_tensorflow = crowd.of_tensorflow();
            lineage.parent_threads_at_fork = Some(crowd.threads);
            // None found among those that are known is no answer if there are others.
            lineage.tensorflow_threads_at_fork =
                (crowd.complete || of_tensorflow > 0).then_some(of_tensorflow);
            lineage.starters_at_fork = crowd.listed();
        }
        Some(lineage)
    }
}

impl Crowd {
    fn of_tensorflow(&self) -> u64 {
        let own = self.starters.iter().filter(|(path, _)| is_tensorflow(path));
        own.map(|(_, threads)| threads).sum()
    }

    fn listed(&self) -> Vec<ThreadStarter> {
        let mut starters: Vec<ThreadStarter> = self
            .starters
            .iter()
            .map(|(path, threads)| ThreadStarter {
                library: path.rsplit('/').next().unwrap_or(path).to_owned(),
                threads: *threads,
            })
            .collect();
        starters.sort_by_key(|starter| std::cmp::Reverse(starter.threads));
        starters.truncate(MOST_STARTERS);
        starters
    }
}

/// Whether a library is TensorFlow's, by its place in a package or its name.
fn is_tensorflow(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.contains("/site-packages/tensorflow/")
        || path.contains("/dist-packages/tensorflow/")
        || name.starts_with("libtensorflow")
        || name.starts_with("_pywrap_tensorflow")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(complete: bool, starters: &[(&str, u64)]) -> Crowd {
        Crowd {
            threads: 9,
            starters: starters
                .iter()
                .map(|(path, threads)| (Arc::from(*path), *threads))
                .collect(),
            complete,
        }
    }

    #[test]
    fn threads_of_tensorflow_are_known_by_their_library() {
        let starters = [
            ("/lib/libopenblas.so", 1),
            (
                "/v/site-packages/tensorflow/libtensorflow_framework.so.2",
                4,
            ),
        ];
        let birth = Birth::forked(7, Some(crowd(true, &starters)));
        let lineage = birth.lineage().unwrap();
        assert_eq!(lineage.made_by, Some(7));
        assert_eq!(lineage.tensorflow_threads_at_fork, Some(4));
        assert_eq!(
            lineage.starters_at_fork[0].library,
            "libtensorflow_framework.so.2"
        );
    }

    #[test]
    fn threads_of_which_nothing_is_known_are_no_proof_of_absence() {
        let starters = [("/lib/libopenblas.so", 1)];
        let tensorflow = |complete| {
            let birth = Birth::forked(7, Some(crowd(complete, &starters)));
            birth.lineage().unwrap().tensorflow_threads_at_fork
        };
        assert_eq!((tensorflow(true), tensorflow(false)), (Some(0), None));
    }

    #[test]
    fn a_program_of_its_own_has_nothing_of_its_parents_threads() {
        let birth = Birth::forked(7, Some(crowd(true, &[]))).after_exec();
        let lineage = birth.lineage().unwrap();
        assert_eq!(
            (lineage.origin, lineage.made_by),
            (Origin::Spawned, Some(7))
        );
        assert_eq!(lineage.parent_threads_at_fork, None);
        let started = Birth::of(Origin::Started).after_exec().lineage().unwrap();
        assert_eq!(started.origin, Origin::Started);
    }
}
