//! How much memory loading and saving a model will take: measured multiples of its weights.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{FileFacts, Format, ModelFacts};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    action: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    format: Format,
    /// A file of weights alone, which are read into a model that is there.
    #[serde(default)]
    weights_only: bool,
    does: Action,
    weights: f64,
    #[serde(default)]
    largest: f64,
    seen: String,
}

/// What is done with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is loaded from its file.
    Load,
    /// It is saved, once it is there.
    Save,
}

/// What a model's weights will ask of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forecast {
    /// The model.
    pub path: String,
    /// Bytes of all stored tensors.
    pub weights: u64,
    /// Bytes of the largest of them.
    pub largest: u64,
    /// Bytes that are left to a process here, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<u64>,
    /// Loading first, then saving in each format.
    pub needs: Vec<Need>,
}

/// Memory that one action takes at its peak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Need {
    /// What is done.
    pub does: Action,
    /// In which format.
    pub format: Format,
    /// Bytes, at most, beyond what the program has already.
    pub bytes: u64,
    /// What that was measured to be, as half a sentence.
    pub seen: String,
}

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    // A test parses it; a broken table forecasts nothing rather than stop a scan.
    let table = toml::from_str::<Table>(include_str!("../../data/memory.toml"));
    table.map_or_else(|_| Vec::new(), |table| table.action)
});

/// What a model will take; `None` where there are no weights, or its format was not measured.
pub fn forecast(facts: &FileFacts, left: Option<u64>) -> Option<Forecast> {
    let (format, model) = (facts.format?, facts.model()?);
    let sizes = model.tensors.iter().map(|tensor| tensor.bytes);
    let weights = sizes.clone().fold(0, u64::saturating_add);
    let largest = sizes.max()?;
    let weights_only = is_weights_only(format, model);
    let need = |row: &Row| Need {
        does: row.does,
        format: row.format,
        bytes: (weights as f64 * row.weights + largest as f64 * row.largest) as u64,
        seen: row.seen.clone(),
    };
    let load = TABLE.iter().find(|row| {
        row.does == Action::Load && row.format == format && row.weights_only == weights_only
    })?;
    let saves = TABLE.iter().filter(|row| row.does == Action::Save);
    (weights > 0).then(|| Forecast {
        path: facts.path.clone(),
        weights,
        largest,
        left,
        needs: std::iter::once(load).chain(saves).map(need).collect(),
    })
}

/// Keras writes the layers into a file of a whole model.
fn is_weights_only(format: Format, model: &ModelFacts) -> bool {
    format == Format::Hdf5 && model.operations.is_empty()
}

impl Forecast {
    /// What loading takes.
    pub fn load(&self) -> Option<&Need> {
        self.needs.iter().find(|need| need.does == Action::Load)
    }

    /// What saving takes.
    pub fn saves(&self) -> impl Iterator<Item = &Need> {
        self.needs.iter().filter(|need| need.does == Action::Save)
    }

    /// Bytes that the model and its saving take together.
    pub fn with_model(&self, save: &Need) -> u64 {
        self.weights.saturating_add(save.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Contents, Operation, Tensor};

    fn model(format: Format, layers: &[u64], operations: Vec<Operation>) -> FileFacts {
        let tensors = layers.iter().map(|bytes| Tensor {
            bytes: *bytes,
            ..Tensor::default()
        });
        FileFacts {
            format: Some(format),
            contents: Contents::Model(Box::new(ModelFacts {
                tensors: tensors.collect(),
                operations,
                ..ModelFacts::default()
            })),
            ..FileFacts::default()
        }
    }

    fn load(facts: &FileFacts) -> u64 {
        forecast(facts, None).unwrap().load().unwrap().bytes
    }

    #[test]
    fn the_table_is_read() {
        let text = include_str!("../../data/memory.toml");
        assert!(toml::from_str::<Table>(text).is_ok());
    }

    #[test]
    fn one_large_layer_takes_more_than_many_small_ones() {
        let one = model(Format::Keras, &[1_000_000_000], Vec::new());
        assert_eq!(load(&one), 6_400_000_000);
        let many = model(Format::Keras, &[100_000_000; 10], Vec::new());
        assert_eq!(load(&many), 2_890_000_000);
    }

    #[test]
    fn weights_are_read_into_a_model_that_is_there() {
        let layers = vec![Operation::default()];
        let whole = model(Format::Hdf5, &[1_000_000_000], layers);
        let weights = model(Format::Hdf5, &[1_000_000_000], Vec::new());
        assert!(load(&weights) < load(&whole) / 2);
    }

    #[test]
    fn saving_is_foreseen_in_every_format_that_was_measured() {
        let forecast = forecast(&model(Format::SavedModel, &[10], Vec::new()), None).unwrap();
        let formats: Vec<Format> = forecast.saves().map(|need| need.format).collect();
        let measured = [
            Format::Keras,
            Format::Hdf5,
            Format::SavedModel,
            Format::Checkpoint,
        ];
        assert_eq!(formats, measured);
    }
}
