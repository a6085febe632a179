//! Reads one file, or the files of one model, whatever they are.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use crashlens_core::files::{Extent, FileFacts, Flaw, FlawKind, Part};

use crate::reading::{Options, Purpose, Reading};
use crate::sniff::{self, sniff};
use crate::store::Store;
use crate::{model, readers, refusal, stand_in};

/// What is seen of the file at `path`. Never fails: what goes wrong is part of the facts.
///
/// The path is a file, the folder of a SavedModel, or the prefix of a checkpoint.
pub fn examine(store: &dyn Store, path: &str, options: &Options) -> FileFacts {
    if options.purpose == Purpose::Model
        && let Some(facts) = model::examine_parts(store, path, options)
    {
        return facts;
    }
    let (source, before) = match store.open_identified(path) {
        Ok(opened) => opened,
        Err(error) => return unreadable(path, &error),
    };
    let source = source.until(Instant::now() + options.limits.time);
    let mut reading = Reading {
        path,
        facts: FileFacts {
            path: path.to_owned(),
            size: source.size(),
            ..FileFacts::default()
        },
        source,
        store,
        options,
    };
    read(&mut reading);
    let is_told = |flaw: &Flaw| flaw.kind == FlawKind::Changed;
    if let Ok(after) = store.identity(path)
        && before != after
        && !reading.facts.flaws.iter().any(is_told)
    {
        reading.flaw(
            FlawKind::Changed,
            Part::File,
            "its size, time or identity changed while it was read",
        );
    }
    reading.facts
}

/// Reads it by its format; a panic of a decoder is noted against us.
fn read(reading: &mut Reading<'_>) {
    if reading.source.size() == 0 {
        let named = sniff::by_name(reading.path, reading.options.purpose);
        reading.facts.format = named;
        // Markers such as `_SUCCESS` and `.gitkeep` are empty on purpose.
        if named.is_some_and(|it| reading.options.purpose == Purpose::Data || it.holds_weights()) {
            reading.flaw(FlawKind::Empty, Part::File, "it has no bytes");
        }
        return;
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if stand_in::noted(reading)? {
            return Ok(());
        }
        let Some(format) = sniff(reading)? else {
            return Ok(());
        };
        reading.facts.format = Some(format);
        // Beside models lie pictures of them, logs and samples; whoever asks for models does not ask for these.
        if reading.options.purpose == Purpose::Model && !format.holds_weights() {
            reading.facts.flaws.clear();
            return Ok(());
        }
        reading.facts.extent = Extent::Structure;
        readers::read(reading, format)
    }));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(error)) => note(reading, &error),
        Err(_) => reading.flaw(
            FlawKind::ReaderFailed,
            Part::Reader,
            "a decoder of crashlens failed on it; please report that",
        ),
    }
}

/// What an error that a reader did not explain itself means.
fn note(reading: &mut Reading<'_>, error: &io::Error) {
    let at = reading.source.position();
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            reading.flaw_at(FlawKind::CutShort, Part::File, at, "it ends in the middle");
        }
        io::ErrorKind::TimedOut => {
            reading.flaw(
                FlawKind::TimedOut,
                Part::File,
                "reading took longer than allowed",
            );
        }
        // A store that holds to one content of an object says so when that is gone.
        io::ErrorKind::StaleNetworkFileHandle => {
            reading.flaw_at(FlawKind::Changed, Part::File, at, error.to_string());
        }
        io::ErrorKind::InvalidData => {
            reading.flaw_at(FlawKind::Malformed, Part::File, at, error.to_string());
        }
        _ => reading.flaw_at(FlawKind::Unreadable, Part::File, at, error.to_string()),
    }
}

/// Facts of a file that cannot be opened.
pub(crate) fn unreadable(path: &str, error: &io::Error) -> FileFacts {
    let mut facts = FileFacts {
        path: path.to_owned(),
        ..FileFacts::default()
    };
    facts.flaws.push(refusal::flaw(error, Part::File));
    facts
}
