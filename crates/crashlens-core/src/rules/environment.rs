//! What will fail or can crash in an environment.

mod gpu;
mod limits;
mod linking;
mod packages;
mod processor;
mod runtimes;

use crate::book::Family;

pub(super) const FAMILIES: [Family; 6] = [
    linking::FAMILY,
    runtimes::FAMILY,
    packages::FAMILY,
    processor::FAMILY,
    gpu::FAMILY,
    limits::FAMILY,
];
