//! Pickles: their instructions are listed, never run.
//!
//! A pickle is a program. What it would import and call is told; nothing is imported, called or made here.
//!
//! Not the `serde-pickle` crate: it builds objects, and here none is ever built.

mod joblib;
mod lines;
mod machine;
mod names;
mod opcodes;
mod packed;
mod text;
mod walk;

use std::io::{self, BufRead};

use crashlens_core::files::{Contents, FlawKind, ModelFacts, Operation, Part};

pub(crate) use self::joblib::Reader;
use self::joblib::is_wrapper;
use self::packed::Packing;
use self::walk::{Halt, Walk};
use crate::fault::{Stop, note};
use crate::reading::Reading;
use crate::zipped::{self, Member};

/// What a pickle does.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Callables it names, with how often each is called.
    pub(crate) callables: Vec<Operation>,
    /// Why it would fail: kind, byte, sentence.
    pub(crate) fault: Option<(FlawKind, u64, String)>,
    /// Bytes up to its end.
    pub(crate) length: u64,
}

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let head = reading.source.bytes_at(0, 6)?;
    if head.starts_with(b"PK\x03\x04") {
        return read_zipped(reading);
    }
    if let Some(packing) = Packing::of(&head) {
        return packed::read(reading, packing);
    }
    let size = reading.source.size();
    let mut program = disassemble(&mut reading.reader()?, Reader::Python)?;
    if program.callables.iter().any(|it| is_wrapper(&it.name)) {
        // Whoever wrote it chose which of the two shows nothing bad.
        let plain = program.callables;
        program = disassemble(&mut reading.reader()?, Reader::Joblib)?;
        let known = |it: &Operation| program.callables.iter().any(|known| known.name == it.name);
        let more: Vec<_> = plain.into_iter().filter(|it| !known(it)).collect();
        program.callables.extend(more);
    }
    match program.fault {
        Some((kind, at, detail)) => reading.flaw_at(kind, Part::Pickle, at, detail),
        None if program.length < size => {
            let detail = format!("{} bytes come behind its end", size - program.length);
            reading.flaw_at(
                FlawKind::TrailingBytes,
                Part::Pickle,
                program.length,
                detail,
            );
        }
        None => {}
    }
    reading.holds(Contents::Model(Box::new(ModelFacts {
        producer: Some("pickle".to_owned()),
        operations: program.callables,
        ..ModelFacts::default()
    })));
    Ok(())
}

/// The pickles in a zip archive: what PyTorch saves.
fn read_zipped(reading: &mut Reading<'_>) -> io::Result<()> {
    let members = match zipped::members(&mut reading.source) {
        Ok(members) => members,
        Err(Stop::Io(error)) => return Err(error),
        Err(Stop::Fault(fault)) => {
            note(reading, [fault]);
            return Ok(());
        }
    };
    let mut facts = ModelFacts {
        producer: Some("pickle".to_owned()),
        ..ModelFacts::default()
    };
    let memory = reading.options.limits.memory;
    for member in &members {
        let is_pickle = member.name.rsplit('.').next() == Some("pkl");
        let keep = if is_pickle { memory } else { 0 };
        match zipped::check(&mut reading.source, member, keep) {
            Ok(bytes) if is_pickle && bytes.len() as u64 == member.size => {
                let program = disassemble(&mut bytes.as_slice(), Reader::Python)?;
                told(reading, member, program.fault);
                facts.operations.extend(program.callables);
            }
            Ok(_) => {}
            Err(Stop::Fault(fault)) => note(reading, [fault]),
            Err(Stop::Io(error)) => return Err(error),
        }
    }
    reading.holds(Contents::Model(Box::new(facts)));
    Ok(())
}

fn told(reading: &mut Reading<'_>, member: &Member, fault: Option<(FlawKind, u64, String)>) {
    if let Some((kind, at, detail)) = fault {
        let part = Part::Member
            .named(&member.name)
            .then(format_args!("byte {at}"));
        reading.flaw(kind, part, detail);
    }
}

/// Follows the instructions of a pickle up to its end.
pub(crate) fn disassemble(input: &mut impl BufRead, reader: Reader) -> io::Result<Program> {
    let mut walk = Walk::new(input, reader);
    let outcome = walk.all();
    let fault = match outcome {
        Ok(()) => None,
        Err(Halt::Wrong(detail)) => Some((FlawKind::Malformed, walk.at, detail)),
        Err(Halt::Lost) => {
            let detail = "joblib laid an array there, whose size is not understood here; what comes behind it \
                          was not looked at";
            Some((FlawKind::Blemish, walk.at, detail.to_owned()))
        }
        Err(Halt::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let detail = "it ends before the instruction that ends it".to_owned();
            Some((FlawKind::CutShort, walk.at, detail))
        }
        Err(Halt::Io(error)) => return Err(error),
    };
    let used = std::mem::take(&mut walk.machine.used).into_iter();
    let callables = used.map(|(name, callable)| Operation {
        name,
        count: callable.called.max(callable.named),
        first: format!("byte {}", callable.at),
        custom: false,
    });
    Ok(Program {
        callables: callables.collect(),
        fault,
        length: walk.at,
    })
}

#[cfg(test)]
mod tests;
