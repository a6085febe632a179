//! Why a process died.

mod gpu;
mod install;
mod limits;
mod memory;
mod ops;
mod processes;
mod verdicts;

use crate::book::Family;

pub(super) const FAMILIES: [Family; 7] = [
    memory::FAMILY,
    ops::FAMILY,
    limits::FAMILY,
    processes::FAMILY,
    install::FAMILY,
    gpu::FAMILY,
    verdicts::FAMILY,
];
