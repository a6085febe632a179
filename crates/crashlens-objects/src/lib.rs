#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bucket;
mod client;
mod failure;
mod object;
mod objects;
mod place;
mod recent;
mod settings;
mod worker;

pub use objects::Objects;
pub use place::{Place, PlaceError, Scheme};
