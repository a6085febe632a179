//! Models, checkpoints and weights.

mod damaged_tflite;
mod idle_damage;
mod keras_version_trap;
mod lambda_layer;
mod pickle_code;

use super::Family;

pub(super) const FAMILY: Family = Family {
    title: "Models",
    letters: "MDL",
    rules: &[
        &damaged_tflite::RULE,
        &idle_damage::RULE,
        &lambda_layer::RULE,
        &pickle_code::RULE,
        &keras_version_trap::RULE,
    ],
};
