//! Reports for people and programs, and where they go.

pub(crate) mod book;
mod destination;
#[cfg(test)]
mod example;
mod format;
mod html;
mod json;
mod junit;
mod markdown;
pub(crate) mod patient;
#[cfg(test)]
#[path = "../../tests/cli/sample.rs"]
mod sample;
mod sarif;
mod terminal;
mod wording;

pub(crate) use destination::{Destination, PATIENCE, Stream, Timing};
pub(crate) use format::Format;
pub(crate) use wording::lacking;
