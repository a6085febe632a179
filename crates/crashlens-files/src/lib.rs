//! Reads data files and models: structure, checksums, what they hold.
//!
//! States facts ([`crashlens_core::files::FileFacts`]); rules in `crashlens-core` judge them. Every byte is somebody
//! else's: what is read is bounded in size, count, depth and time, and a decoder that panics is a fact about us, not the
//! end of the scan. Files are never mapped into memory: one that shrinks meanwhile must not kill the checker.
#![forbid(unsafe_code)]

mod data;
mod examine;
#[doc(hidden)]
pub mod fuzzing;
mod hdf5;
mod model;
mod pages;
mod reading;
mod sniff;
mod source;
mod store;

pub use examine::examine;
pub use reading::{Limits, Options, Purpose};
pub use source::{ReadAt, Source};
pub use store::{Entry, Identity, LocalStore, Store};
