//! GPU libraries and drivers, and what the device itself reports.

mod cudnn_version;
mod gpu_driver;
mod gpu_fault;
mod gpu_handle;
mod gpu_library_missing;
mod gpu_memory;
mod profiler;
mod two_cuda_stacks;

use super::Family;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};

pub(super) const FAMILY: Family = Family {
    title: "GPU libraries and drivers",
    letters: "GPU",
    rules: &[
        &cudnn_version::RULE,
        &two_cuda_stacks::RULE,
        &gpu_library_missing::RULE,
        &gpu_driver::RULE,
        &gpu_fault::RULE,
        &gpu_handle::RULE,
        &gpu_memory::RULE,
        &profiler::RULE,
    ],
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
