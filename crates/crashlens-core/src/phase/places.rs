//! Functions that tell a phase.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::capture::{Phase, PythonFrame};
use crate::embedded;

/// What a function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Busy {
    Training,
    Evaluating,
    Predicting,
    Saving,
    Loading,
    IteratingDataset,
    Exiting,
}

impl From<Busy> for Phase {
    fn from(busy: Busy) -> Self {
        match busy {
            Busy::Training => Self::Training,
            Busy::Evaluating => Self::Evaluating,
            Busy::Predicting => Self::Predicting,
            Busy::Saving => Self::Saving,
            Busy::Loading => Self::Loading,
            Busy::IteratingDataset => Self::IteratingDataset,
            Busy::Exiting => Self::Exiting,
        }
    }
}

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) place: Vec<Place>,
}

/// Functions of some files.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    phase: Busy,
    pub(super) files: Vec<String>,
    pub(super) functions: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    pub(super) seen: String,
}

impl Table {
    pub(super) fn read() -> Self {
        embedded::table(include_str!("../../data/phases.toml"))
    }
}

/// Places by the names of their files.
static PLACES: LazyLock<HashMap<String, Vec<Place>>> = LazyLock::new(|| {
    let mut places: HashMap<String, Vec<Place>> = HashMap::new();
    for place in Table::read().place {
        let names = place
            .files
            .iter()
            .filter_map(|file| file.rsplit('/').next());
        let names: BTreeSet<String> = names.map(str::to_owned).collect();
        for name in names {
            places.entry(name).or_default().push(place.clone());
        }
    }
    places
});

/// What the function of a frame is for, if that is known.
pub(super) fn busy(frame: &PythonFrame) -> Option<Busy> {
    let name = frame.file.rsplit('/').next()?;
    let function = frame.function.rsplit('.').next()?;
    let mut places = PLACES.get(name)?.iter();
    let place = places.find(|place| {
        let is_file = place.files.iter().any(|file| ends_with(&frame.file, file));
        is_file && place.functions.iter().any(|known| known == function)
    })?;
    Some(place.phase)
}

/// Whether the last parts of `path` are `file`. `tf_keras` is Keras 2 under another name.
fn ends_with(path: &str, file: &str) -> bool {
    path.strip_suffix(file).is_some_and(|before| {
        before.is_empty() || before.ends_with('/') || before.ends_with("/tf_")
    })
}
