//! What is wrong with data files and models.

mod data;
mod model;
mod sets;

use crate::book::Family;

pub(super) const FAMILIES: [Family; 3] = [data::FAMILY, sets::FAMILY, model::FAMILY];
