#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod data;
mod examine;
mod fault;
mod finder;
#[doc(hidden)]
pub mod fuzzing;
mod hashing;
mod hdf5;
mod manifest;
mod model;
mod names;
mod pages;
mod reading;
mod refusal;
mod scan;
mod sniff;
mod source;
mod stand_in;
mod store;
mod values;
mod wire;
mod writers;
mod zipped;

pub use examine::examine;
pub use finder::{Subject, find};
pub use hashing::hash;
pub use manifest::{Listed, Manifest, plain_path};
pub use names::{path_of, text_of};
pub use reading::{Limits, Options, Purpose};
pub use scan::{Found, in_trouble, scan};
pub use source::{ReadAt, Source};
pub use store::{Entry, Identity, LocalStore, Store};
pub use writers::Writers;
