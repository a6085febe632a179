//! Files in object storage (`s3://`, `gs://`, `az://`), read as [`crashlens_files`] reads files on disks.
//!
//! This is the only part of crashlens that opens a connection. It lists and reads what lies below the paths it was made
//! for, and asks for nothing else: no other bucket, no redirect to another host, no write of any kind. The runtime that
//! the client library needs stays in here; outwards every call blocks and ends in time.
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
