//! A limit on how much of a process is read, whatever its memory holds.

use std::cell::Cell;

use crate::{ReadMemory, Unreadable};

/// Memory that ends once so many reads and bytes were spent: a thousand threads whose frames lead in
/// circles must not hold up a stopped process.
pub(crate) struct BudgetedMemory<'a> {
    memory: &'a dyn ReadMemory,
    reads: Cell<u32>,
    bytes: Cell<usize>,
}

impl<'a> BudgetedMemory<'a> {
    pub(crate) fn new(memory: &'a dyn ReadMemory, reads: u32, bytes: usize) -> Self {
        Self {
            memory,
            reads: Cell::new(reads),
            bytes: Cell::new(bytes),
        }
    }

    /// Whether a read failed because the budget was spent.
    pub(crate) fn is_spent(&self) -> bool {
        self.reads.get() == 0
    }
}

impl ReadMemory for BudgetedMemory<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let left = self
            .reads
            .get()
            .checked_sub(1)
            .zip(self.bytes.get().checked_sub(buffer.len()));
        let Some((reads, bytes)) = left else {
            self.reads.set(0);
            return Err(Unreadable { address });
        };
        self.reads.set(reads);
        self.bytes.set(bytes);
        self.memory.read(address, buffer)
    }
}
