//! How much memory loading and saving a model will take: measured multiples of its weights.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{FileFacts, Format};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    action: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    formats: Vec<Format>,
    does: Action,
    times: f64,
    seen: String,
}

/// What is done with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is loaded from a file.
    Load,
    /// It is saved to one.
    Save,
}

/// Memory that an action takes at its peak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// Bytes, at most.
    pub bytes: u64,
    /// What that was measured to be, as half a sentence.
    pub seen: &'static str,
}

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    // A test parses it; a broken table forecasts nothing rather than stop a scan.
    let table = toml::from_str::<Table>(include_str!("../../data/memory.toml"));
    table.map_or_else(|_| Vec::new(), |table| table.action)
});

/// Bytes of all stored tensors.
pub fn weights(facts: &FileFacts) -> u64 {
    let tensors = facts.model().map_or(&[][..], |model| &model.tensors);
    tensors
        .iter()
        .fold(0, |sum, tensor| sum.saturating_add(tensor.bytes))
}

/// What an action takes beyond what is there already; `None` where that was not measured.
pub fn forecast(format: Format, does: Action, weights: u64) -> Option<Forecast> {
    let row = TABLE
        .iter()
        .find(|row| row.does == does && row.formats.contains(&format))?;
    Some(Forecast {
        bytes: (weights as f64 * row.times) as u64,
        seen: &row.seen,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let text = include_str!("../../data/memory.toml");
        assert!(toml::from_str::<Table>(text).is_ok());
    }

    #[test]
    fn a_keras_archive_takes_several_times_its_weights() {
        let forecast = forecast(Format::Keras, Action::Load, 1_000_000_000).unwrap();
        assert_eq!(forecast.bytes, 6_300_000_000);
    }
}
