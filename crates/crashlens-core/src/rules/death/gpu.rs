//! GPU libraries and drivers, and what the device itself reports.

mod cuda_parts;
mod cudnn_numbers;
mod driver_frames;
mod missing_library;
mod rules;

use crate::book::Family;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};

pub(super) const FAMILY: Family = Family {
    title: "GPU libraries and drivers",
    letters: "GPU",
    rules: rules::ALL,
};

/// Words of ends that trouble with a GPU leads to.
#[rustfmt::skip]
const CONSEQUENCES: [&str; 16] = [
    "cuda", "CUDA", "Cuda", "gpu", "GPU", "Gpu", "cudnn", "cuDNN", "CuDNN", "CUDNN", "dnn", "Dnn", "stream",
    "Algorithms(", "Event status", "ptx",
];

/// How far a line about the GPU carries: a program that lived on, or said something else at its end, did not die of it.
fn weight_of(facts: &Facts<'_>, sight: &Sighting<'_>, weight: Weight) -> Weight {
    if facts.outlived(sight, &CONSEQUENCES) {
        Weight::Weak
    } else {
        weight
    }
}
