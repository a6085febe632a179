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
mod path_list;
mod readers;
mod reading;
mod refusal;
mod removal;
mod scan;
mod session;
mod sniff;
mod source;
mod stand_in;
mod store;
mod stores;
mod unentered;
mod values;
mod wire;
mod writers;
mod zipped;

pub use examine::examine;
pub use finder::{Subject, find};
pub use names::{path_of, text_of};
pub use path_list::{PathEnd, list_paths, read_paths};
pub use reading::{Limits, Options, Purpose};
pub use removal::{Moved, Roots, move_to};
pub use scan::silence_decoders;
pub use session::{
    Expanded, ManifestError, PathError, Plan, Progress, Seen, Session, expand_paths, fixed_parts,
};
pub use source::{ReadAt, Source};
pub use store::{Entry, Identity, LocalStore, Store};
pub use stores::{Stores, is_object, unseen_in_stores};
pub use unentered::Unentered;
