//! Reports for people and programs, and where they go.

pub(crate) mod book;
mod destination;
pub(crate) mod json;
mod terminal;

pub(crate) use destination::{Destination, Stream, Timing};
pub(crate) use json::schema;
pub(crate) use terminal::{Verbosity, write_inspection};
