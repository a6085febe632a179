//! What must be known of an interpreter to read its values.

use crate::ProcessSnapshot;

use super::super::budget::BudgetedMemory;
use super::super::offsets::{ObjectLayout, TextOffsets};
use super::super::texts::Python2Unicode;
use super::ValueReader;

/// How an interpreter keeps its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueFormat {
    pub(crate) layout: ObjectLayout,
    pub(crate) text: TextOffsets,
    pub(crate) python2: Option<Python2Unicode>,
}

impl ValueFormat {
    pub(crate) fn reader<'a>(
        &self,
        memory: &'a BudgetedMemory<'a>,
        snapshot: &'a ProcessSnapshot,
    ) -> ValueReader<'a> {
        ValueReader::new(memory, snapshot, self.layout, self.text, self.python2)
    }
}
