//! What files of one processor say about it: the levels that they ask for, and the instructions in their code.
//!
//! A processor whose files have such notes is a module here; [`super::layout`] names all processors.

pub(crate) mod x86_64;
