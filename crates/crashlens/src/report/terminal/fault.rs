//! What the instruction at fault was doing, in plain words.

use std::io;

use crashlens_core::{
    Access, AccessKind, Address, Death, Division, FaultSite, Mapping, Place, Signal, StackUse,
};

use super::memory::size;
use super::names::clip;
use super::page::{FAINT, PLAIN, Page};

/// So many frames of a repeating cycle are shown.
const CYCLE_SHOWN: usize = 4;
/// Columns of a frame's name in a cycle.
const CYCLE_COLUMNS: usize = 66;

/// Writes the fault; of one that is told already only the instruction and the stack.
pub(super) fn write(page: &mut Page<'_>, death: &Death, is_told: bool) -> io::Result<()> {
    let Some(fault) = &death.fault else {
        return Ok(());
    };
    let sentences = if is_told {
        Vec::new()
    } else {
        account(fault, death.ending.signal)
    };
    if !sentences.is_empty() {
        page.fact("Fault", &[(PLAIN, &sentences.join("; "))])?;
    }
    if let Some(instruction) = &fault.instruction {
        let label = if sentences.is_empty() { "Fault" } else { "" };
        page.fact(
            label,
            &[(FAINT, &format!("instruction: {}", instruction.text))],
        )?;
    }
    match &fault.stack {
        Some(stack) => write_stack(page, stack),
        None => Ok(()),
    }
}

/// What it did, and what is there.
fn account(fault: &FaultSite, signal: Option<Signal>) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(fault.access.as_ref().map(access));
    sentences.extend(fault.place.as_ref().and_then(place));
    sentences.extend(fault.division.as_ref().map(division));
    sentences.extend(missing_features(fault, signal));
    sentences
}

/// `it read 8 bytes at 0x60 (rax held 0x0)`.
fn access(access: &Access) -> String {
    let width = access.width.map_or_else(String::new, |bytes| match bytes {
        1 => " a byte".to_owned(),
        _ => format!(" {bytes} bytes"),
    });
    let at = access.address;
    let what = match access.kind {
        AccessKind::Read => format!("it read{width} at {at}"),
        AccessKind::Write => format!("it wrote{width} at {at}"),
        AccessKind::Execute => format!("it jumped to {at}, to run code there"),
    };
    let registers = [&access.base, &access.index]
        .into_iter()
        .flatten()
        .map(|register| format!("{} held {}", register.name, register.value))
        .collect::<Vec<_>>();
    let registers = if registers.is_empty() {
        String::new()
    } else {
        format!(" ({})", registers.join(", "))
    };
    let caller = access
        .called_from
        .map_or_else(String::new, |caller| format!(", called from {caller}"));
    format!("{what}{registers}{caller}")
}

/// What is there.
fn place(place: &Place) -> Option<String> {
    Some(match place {
        Place::NullPage { offset: 0 } => "a null pointer".to_owned(),
        Place::NullPage { offset } => {
            format!("a null pointer, or {offset} bytes into an object that is not there")
        }
        Place::NonCanonical => "no address has this form, so it was no pointer".to_owned(),
        Place::KernelSpace => "addresses like this are the kernel's alone".to_owned(),
        Place::StackOverflow => "the thread's stack was full".to_owned(),
        Place::PastEnd {
            mapping, distance, ..
        } => format!(
            "{distance} bytes behind the end of {}{}",
            memory(mapping),
            if mapping.is_writable() {
                ", which may be written"
            } else {
                ""
            }
        ),
        Place::Unmapped { .. } => "nothing is mapped there".to_owned(),
        Place::Released {
            mapping,
            last_seen_milliseconds,
        } => format!(
            "{} was there until {} before, and is gone",
            memory(mapping),
            ago(*last_seen_milliseconds)
        ),
        Place::ReadOnly { mapping } => format!("{} may only be read", memory(mapping)),
        Place::NoAccess { mapping } => format!("{} may not be touched", memory(mapping)),
        Place::NotExecutable { mapping } => format!("{} holds no code", memory(mapping)),
        Place::BeyondFile {
            mapping,
            file_size,
            file_offset,
        } => format!(
            "this is byte {file_offset} of {}, but the file has only {file_size} bytes now",
            mapping.path.as_deref().unwrap_or("a mapped file")
        ),
        Place::NoSpace {
            mapping,
            free_bytes,
            total_bytes,
            ..
        } => format!(
            "the file system of {} had no room for it: {} of {} free",
            mapping.path.as_deref().unwrap_or("a mapped file"),
            size(*free_bytes),
            size(*total_bytes)
        ),
        Place::Misaligned { alignment, .. } => {
            format!("the instruction needs an address that is a multiple of {alignment}")
        }
        Place::Mapped { .. } => return None,
    })
}

/// `the memory 0x7f…–0x7f… of libx.so`.
fn memory(mapping: &Mapping) -> String {
    let bytes = size(mapping.end.0.saturating_sub(mapping.start.0));
    let range = |start: Address, end: Address| format!("{start} to {end}");
    match mapping.path.as_deref() {
        Some("[heap]") => format!("the heap ({bytes})"),
        Some(path) => format!(
            "a mapping of {} ({bytes})",
            path.rsplit('/').next().unwrap_or(path)
        ),
        None => format!("{bytes} of memory ({})", range(mapping.start, mapping.end)),
    }
}

fn ago(milliseconds: u64) -> String {
    if milliseconds < 1000 {
        "less than a second".to_owned()
    } else {
        format!("{} s", milliseconds / 1000)
    }
}

fn division(division: &Division) -> String {
    let Division {
        divisor,
        value,
        bits,
    } = division;
    match value {
        Some(0) => format!("it divided a {bits}-bit integer by zero ({divisor} held 0)"),
        Some(value) => {
            format!("it divided a {bits}-bit integer by {value}, and the quotient did not fit")
        }
        None => format!("a division of a {bits}-bit integer failed"),
    }
}

/// What the instruction needs and the processor lacks.
fn missing_features(fault: &FaultSite, signal: Option<Signal>) -> Option<String> {
    let missing = fault.instruction.as_ref()?.missing.as_ref()?;
    (signal == Some(Signal::ILL) && !missing.is_empty()).then(|| {
        format!(
            "the instruction needs {}, which this processor does not have",
            missing.join(", ")
        )
    })
}

fn write_stack(page: &mut Page<'_>, stack: &StackUse) -> io::Result<()> {
    let parts = [
        stack.size.map(|bytes| format!("{} of stack", size(bytes))),
        stack.limit.map(|bytes| format!("limit {}", size(bytes))),
        stack
            .python_frames
            .map(|frames| format!("{frames} Python frames deep")),
        stack
            .recursion_limit
            .map(|limit| format!("sys.getrecursionlimit() is {limit}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        page.fact("Stack", &[(PLAIN, &parts.join(", "))])?;
    }
    if stack.cycle.is_empty() {
        return Ok(());
    }
    page.fact(
        "",
        &[(PLAIN, &format!("repeated {} times:", stack.repeats))],
    )?;
    for frame in stack.cycle.iter().take(CYCLE_SHOWN) {
        page.fact("", &[(PLAIN, &format!("  {}", clip(frame, CYCLE_COLUMNS)))])?;
    }
    if stack.cycle.len() > CYCLE_SHOWN {
        let more = stack.cycle.len() - CYCLE_SHOWN;
        page.fact("", &[(FAINT, &format!("  and {more} more frames"))])?;
    }
    Ok(())
}
