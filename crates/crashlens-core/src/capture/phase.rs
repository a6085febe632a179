//! What the program was busy with.

use serde::{Deserialize, Serialize};

/// What the program was busy with when it died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Phase {
    /// Importing a module.
    Importing {
        /// The innermost module that was being imported, where its name is known.
        module: Option<String>,
        /// The module the user's own code was importing.
        #[serde(default)]
        wanted: Option<String>,
    },
    /// Training: `Model.fit` or a training step.
    Training,
    /// `Model.evaluate`.
    Evaluating,
    /// `Model.predict`.
    Predicting,
    /// Saving a model, a checkpoint or arrays.
    Saving,
    /// Loading a model, a checkpoint, weights or arrays.
    Loading,
    /// Iterating a dataset.
    IteratingDataset,
    /// Leaving: the interpreter had begun to finalise, or `exit` was running.
    Exiting,
    /// Anything else.
    Running,
}
