//! Reports for people and programs, and where they go.

pub(crate) mod book;
mod destination;
#[cfg(test)]
mod example;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod sarif;
mod terminal;
mod wording;

pub(crate) use destination::{Destination, Stream, Timing};
pub(crate) use json::schema;
pub(crate) use terminal::{Verbosity, write_inspection};
