//! The C++ exception of the crashed thread: its type, its words, and how far it had come.
//!
//! What the runtime lists as caught is believed. An exception that is still on its way is in no list; it is
//! searched for where the runtime says that there is one, or where its lists could not be read. In the latter
//! case [`settle`] keeps it only if the named stack shows exceptions at work: an object that was thrown and
//! freed long ago still looks like one.

use crashlens_core::{CppException, ExceptionState, Registers};

use crate::testimony::{Answer, Scene};
use crate::{ProcessSnapshot, ReadMemory, arch, text};

mod frames;
mod globals;
mod header;
mod scan;
mod type_info;
mod what;

pub(crate) use frames::settle;
use globals::Records;
use header::{Caught, Thrown};

/// The type by which `catch` can name the end of a thread, as the ABI writes it.
const THREAD_EXIT: &str = "N10__cxxabiv115__forced_unwindE";

/// Said where a runtime hides its lists.
const HIDDEN: &str = "the lists of a C++ runtime could not be read";

/// The exception of the crashed thread.
pub(crate) fn find(scene: &Scene<'_>) -> Answer<CppException> {
    let Some(thread) = scene.snapshot.crashed_thread else {
        return Ok(None);
    };
    let states = &scene.snapshot.threads;
    let registers = states
        .iter()
        .find(|state| state.id == thread)
        .and_then(|state| state.registers)
        .ok_or("the registers of the crashed thread could not be read")?;
    let records = globals::read(scene, &registers);
    if let Some(found) =
        on_its_way(scene, &registers, &records).or_else(|| caught(scene, &registers, &records))
    {
        return Ok(Some(CppException { thread, ..found }));
    }
    // A program may hold a runtime of its own, without symbols. Its exceptions look like all others.
    let is_all_known = records.hidden == 0 && !records.known.is_empty();
    let suspect = (!is_all_known)
        .then(|| scan::nearest(scene.snapshot, scene.confidential, &registers, |_| true))
        .flatten();
    match suspect {
        Some(thrown) => Ok(Some(CppException {
            thread,
            ..described(scene, &thrown, ExceptionState::Unknown)
        })),
        None if records.hidden > 0 => Err(HIDDEN.to_owned()),
        None => Ok(None),
    }
}

/// An exception that the runtime counts as on its way, if the thread still holds it.
fn on_its_way(scene: &Scene<'_>, registers: &Registers, records: &Records) -> Option<CppException> {
    records.known.iter().find(|globals| globals.uncaught > 0)?;
    let has_no_handler = |thrown: &Thrown| thrown.handlers <= 0;
    let thrown = scan::nearest(
        scene.snapshot,
        scene.confidential,
        registers,
        has_no_handler,
    )?;
    Some(described(scene, &thrown, ExceptionState::Uncaught))
}

/// The exception that was caught last.
fn caught(scene: &Scene<'_>, registers: &Registers, records: &Records) -> Option<CppException> {
    let mut lists = records.known.iter().filter(|globals| globals.caught != 0);
    let found = lists.find_map(|globals| {
        header::caught(
            scene.confidential,
            globals.caught,
            registers.thread_pointer().0,
        )
    })?;
    Some(match found {
        Caught::Cpp(thrown) if thrown.handlers < 0 => {
            described(scene, &thrown, ExceptionState::Uncaught)
        }
        Caught::Cpp(thrown) => described(scene, &thrown, ExceptionState::Caught),
        Caught::ThreadExit => CppException {
            type_name: THREAD_EXIT.to_owned(),
            what: None,
            state: ExceptionState::Caught,
            thread: 0,
            thrown_from: Vec::new(),
        },
    })
}

/// The exception with the name of its type as the ABI writes it: reading it takes time that the process is not
/// held for.
fn described(scene: &Scene<'_>, thrown: &Thrown, state: ExceptionState) -> CppException {
    let what = what::words(scene.confidential, &thrown.type_info, thrown.object);
    CppException {
        type_name: thrown.type_info.mangled.clone(),
        what: what.map(|text| text::masked(&text)),
        state,
        thread: 0,
        thrown_from: Vec::new(),
    }
}

/// Asks memory that may hold anything everything that is ever asked of it about exceptions.
pub(crate) fn ask_everything(
    memory: &dyn ReadMemory,
    snapshot: &ProcessSnapshot,
    registers: &Registers,
) {
    let thread = registers.thread_pointer().0;
    let globals = globals::of_thread(memory, registers.pc().0, registers);
    let [first, ..] = arch::general(registers);
    let start = globals.map_or(first, |globals| globals.caught);
    let caught = match header::caught(memory, start, thread) {
        Some(Caught::Cpp(thrown)) => Some(thrown),
        Some(Caught::ThreadExit) | None => None,
    };
    let near = scan::nearest(snapshot, memory, registers, |_| true);
    for thrown in caught.iter().chain(&near) {
        what::words(memory, &thrown.type_info, thrown.object);
    }
}

#[cfg(test)]
mod tests;
