//! The header that the C++ runtime puts before a thrown object.
//!
//! The ABI lets runtimes add fields at its beginning, never between its known ones and the object. Everything
//! is therefore counted back from the `_Unwind_Exception` that ends it.

use crate::ReadMemory;

use super::type_info::TypeInfo;

/// First eight bytes of an `_Unwind_Exception`: vendor and language, then whether it refers to another.
const GNU: u64 = u64::from_be_bytes(*b"GNUCC++\0");
const GNU_DEPENDENT: u64 = GNU + 1;
const LLVM: u64 = u64::from_be_bytes(*b"CLNGC++\0");
const LLVM_DEPENDENT: u64 = LLVM + 1;

/// From the field to the `_Unwind_Exception`.
const TYPE: u64 = 80;
const HANDLER_COUNT: u64 = 40;
const GNU_REFERENCES: u64 = 96;
const LLVM_REFERENCES: u64 = 88;
/// From the `_Unwind_Exception` to the thrown object.
const OBJECT: u64 = 32;
/// From what the list of caught exceptions points at to the `_Unwind_Exception`.
const GNU_START: u64 = 80;
const LLVM_START: u64 = 96;

/// Copies of one `exception_ptr`; nobody keeps a million.
const MOST_REFERENCES: u32 = 1 << 20;
/// Handlers that one exception can be in.
const MOST_HANDLERS: u32 = 1 << 16;

/// A thrown object and what its header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thrown {
    pub(super) type_info: TypeInfo,
    pub(super) object: u64,
    /// Handlers it is in; negative once one of them has thrown it again.
    pub(super) handlers: i32,
}

/// What is at the head of the list of caught exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Caught {
    /// A C++ exception.
    Cpp(Thrown),
    /// The unwinding by which glibc ends a thread (`pthread_exit`, `pthread_cancel`), caught by `catch (...)`.
    ThreadExit,
}

/// The caught exception that a list points at; `thread` is the thread's descriptor.
pub(super) fn caught(memory: &dyn ReadMemory, start: u64, thread: u64) -> Option<Caught> {
    for distance in [GNU_START, LLVM_START] {
        let unwind = start.checked_add(distance)?;
        if let Some(thrown) = thrown(memory, unwind) {
            return Some(Caught::Cpp(thrown));
        }
    }
    is_thread_exit(memory, start.checked_add(GNU_START)?, thread).then_some(Caught::ThreadExit)
}

/// The C++ exception whose `_Unwind_Exception` is at `unwind`, alive and whole.
pub(super) fn thrown(memory: &dyn ReadMemory, unwind: u64) -> Option<Thrown> {
    let handlers = memory.i32(unwind.checked_sub(HANDLER_COUNT)?).ok()?;
    if handlers.unsigned_abs() > MOST_HANDLERS {
        return None;
    }
    let primary = match class(memory, unwind)? {
        GNU | LLVM => unwind,
        // Made by `std::rethrow_exception`: its first field is the object of the real one.
        _ => {
            let object = memory.u64(unwind.checked_sub(TYPE)?).ok()?;
            let primary = object.checked_sub(OBJECT)?;
            matches!(class(memory, primary)?, GNU | LLVM).then_some(primary)?
        }
    };
    if !is_referenced(memory, primary) {
        return None;
    }
    let type_info = memory.u64(primary.checked_sub(TYPE)?).ok()?;
    Some(Thrown {
        type_info: TypeInfo::read(memory, type_info)?,
        object: primary.checked_add(OBJECT)?,
        handlers,
    })
}

fn class(memory: &dyn ReadMemory, unwind: u64) -> Option<u64> {
    let class = memory.u64(unwind).ok()?;
    matches!(class, GNU | GNU_DEPENDENT | LLVM | LLVM_DEPENDENT).then_some(class)
}

/// Whether somebody still has the exception. A freed one keeps its looks except for this field, where the
/// allocator writes its own notes.
fn is_referenced(memory: &dyn ReadMemory, unwind: u64) -> bool {
    let count = |distance| {
        let field = unwind.checked_sub(distance)?;
        memory.u32(field).ok()
    };
    match memory.u64(unwind) {
        Ok(GNU) => count(GNU_REFERENCES).is_some_and(|count| (1..MOST_REFERENCES).contains(&count)),
        // LLVM's runtime counts from 0 until the first handler.
        Ok(LLVM) => count(LLVM_REFERENCES).is_some_and(|count| count < MOST_REFERENCES),
        _ => false,
    }
}

/// glibc keeps the object of a thread's exit in the thread's descriptor and gives it no class.
fn is_thread_exit(memory: &dyn ReadMemory, unwind: u64, thread: u64) -> bool {
    let in_descriptor = unwind
        .checked_sub(thread)
        .is_some_and(|offset| offset < 0x1000);
    in_descriptor && memory.u64(unwind) == Ok(0)
}
