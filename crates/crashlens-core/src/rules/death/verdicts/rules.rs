//! The rules of the family, in the order of the book.

mod insufficient_evidence;
mod killed_from_outside;

use crate::book::Rule;

pub(super) const ALL: &[&Rule] = &[&insufficient_evidence::RULE, &killed_from_outside::RULE];
