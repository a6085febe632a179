//! The rules of the family, in the order of the book.

mod abbreviated_loss;
mod damaged_tflite;
mod graph_version;
mod idle_damage;
mod interrupted_save;
mod irregular_file;
mod keras_version_trap;
mod lambda_layer;
mod large_protobuf;
mod memory_forecast;
mod missing_part;
mod not_finite_weights;
mod old_keras_layers;
mod pickle_code;
mod runs_code;
mod signature_contradiction;
mod unknown_operations;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[
    &interrupted_save::RULE,
    &missing_part::RULE,
    &unknown_operations::RULE,
    &runs_code::RULE,
    &graph_version::RULE,
    &large_protobuf::RULE,
    &signature_contradiction::RULE,
    &not_finite_weights::RULE,
    &damaged_tflite::RULE,
    &idle_damage::RULE,
    &irregular_file::RULE,
    &lambda_layer::RULE,
    &pickle_code::RULE,
    &keras_version_trap::RULE,
    &abbreviated_loss::RULE,
    &old_keras_layers::RULE,
    &memory_forecast::RULE,
];
