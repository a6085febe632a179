//! Readers of data files: one format each.

pub(crate) mod arrays;
pub(crate) mod columns;
pub(crate) mod comma_separated;
pub(crate) mod images;
pub(crate) mod records;
pub(crate) mod sound;

pub(crate) use images::{image_brand, image_name};
