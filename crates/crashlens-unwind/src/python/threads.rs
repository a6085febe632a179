//! Interpreters, their thread states, and who holds the lock.

use std::collections::BTreeSet;

use crate::{ReadMemory, ThreadState, Unreadable};

use super::objects::at;
use super::offsets::{GilOffsets, Offsets};

/// More sub-interpreters than any program has.
const MOST_INTERPRETERS: usize = 256;

/// More Python threads than we name.
const MOST_THREADS: usize = 4096;

/// A thread state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadRecord {
    /// Address of the `PyThreadState`.
    pub(crate) address: u64,
    /// Address of its interpreter.
    pub(crate) interpreter: u64,
}

/// All thread states of all interpreters, the newest interpreter first.
#[derive(Debug, Default)]
pub(crate) struct ThreadList {
    pub(crate) interpreters: Vec<u64>,
    pub(crate) threads: Vec<ThreadRecord>,
    /// Why the lists are shorter than they should be.
    pub(crate) cut: Option<Cut>,
}

/// Why a list was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Memory that was needed could not be read.
    Unreadable(Unreadable),
    /// The list led back to itself, or never ended.
    Endless,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(f),
            Self::Endless => {
                f.write_str("the interpreter's list of threads leads back to itself or has no end")
            }
        }
    }
}

/// Reads the lists from the interpreter at `head`.
pub(crate) fn list(memory: &dyn ReadMemory, offsets: &Offsets, head: u64) -> ThreadList {
    let (interpreters, mut cut) = chain(memory, head, offsets.interpreter.next, MOST_INTERPRETERS);
    let mut threads = Vec::new();
    for &interpreter in &interpreters {
        let first = at(interpreter, offsets.interpreter.threads_head).and_then(|at| memory.u64(at));
        let left = MOST_THREADS.saturating_sub(threads.len());
        let (found, short) = match first {
            Ok(first) => chain(memory, first, offsets.thread.next, left),
            Err(error) => (Vec::new(), Some(Cut::Unreadable(error))),
        };
        threads.extend(found.into_iter().map(|address| ThreadRecord {
            address,
            interpreter,
        }));
        cut = cut.or(short);
    }
    ThreadList {
        interpreters,
        threads,
        cut,
    }
}

/// The addresses of a linked list, and why there are no more if that is not its end.
fn chain(memory: &dyn ReadMemory, head: u64, next: u64, limit: usize) -> (Vec<u64>, Option<Cut>) {
    let mut addresses = Vec::new();
    let mut seen = BTreeSet::new();
    let mut address = head;
    while address != 0 {
        if addresses.len() >= limit || !seen.insert(address) {
            return (addresses, Some(Cut::Endless));
        }
        let following = match at(address, next).and_then(|at| memory.u64(at)) {
            Ok(following) => following,
            Err(error) => return (addresses, Some(Cut::Unreadable(error))),
        };
        addresses.push(address);
        address = following;
    }
    (addresses, None)
}

/// Whether `thread` held the lock; `None` when that cannot be told.
pub(crate) fn holds_gil(
    memory: &dyn ReadMemory,
    offsets: &Offsets,
    list: &ThreadList,
    roots: GilRoots,
    thread: ThreadRecord,
) -> Option<bool> {
    let holder = match offsets.gil {
        GilOffsets::CurrentVariable => memory.u64(roots.current_variable?).ok()?,
        GilOffsets::Runtime {
            current,
            auto_interpreter,
        } => {
            // The structure before these fields has changed within a minor version (3.7); its neighbour
            // tells whether this is the right place.
            let neighbour = memory
                .u64(at(roots.runtime?, auto_interpreter).ok()?)
                .ok()?;
            if !list.interpreters.contains(&neighbour) {
                return None;
            }
            memory.u64(at(roots.runtime?, current).ok()?).ok()?
        }
        GilOffsets::Interpreter {
            gil,
            holder,
            locked,
        } => {
            let lock = memory.u64(at(thread.interpreter, gil).ok()?).ok()?;
            lock_holder(memory, lock, holder, locked)?
        }
    };
    let known = holder == 0 || list.threads.iter().any(|thread| thread.address == holder);
    known.then_some(holder == thread.address)
}

/// Where the lock's holder is recorded, as far as this version and build have it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GilRoots {
    pub(crate) runtime: Option<u64>,
    /// Address of `_PyThreadState_Current`.
    pub(crate) current_variable: Option<u64>,
}

/// The holder of the lock at `lock`; 0 for nobody.
fn lock_holder(memory: &dyn ReadMemory, lock: u64, holder: u64, locked: u64) -> Option<u64> {
    match memory.i32(at(lock, locked).ok()?).ok()? {
        0 | -1 => Some(0),
        1 => memory.u64(at(lock, holder).ok()?).ok(),
        _ => None,
    }
}

/// The kernel's id of the thread that `record` belongs to.
pub(crate) fn kernel_thread(
    memory: &dyn ReadMemory,
    offsets: &Offsets,
    threads: &[ThreadState],
    record: ThreadRecord,
) -> Option<u32> {
    // `pthread_t` is the address of the thread's control block, which is what the thread pointer holds.
    // It is asked first: the kernel's id, where there is one, is from inside the process's own namespace,
    // and stays the parent's after a fork that the interpreter did not see.
    let pthread = at(record.address, offsets.thread.thread_id)
        .and_then(|at| memory.u64(at))
        .ok();
    let by_register = pthread.filter(|&pthread| pthread != 0).and_then(|pthread| {
        threads.iter().find(|thread| {
            thread
                .registers
                .is_some_and(|registers| registers.thread_pointer().0 == pthread)
        })
    });
    by_register
        .or_else(|| {
            let offset = offsets.thread.native_thread_id?;
            let id = memory.u64(at(record.address, offset).ok()?).ok()?;
            threads.iter().find(|thread| u64::from(thread.id) == id)
        })
        .map(|thread| thread.id)
}
