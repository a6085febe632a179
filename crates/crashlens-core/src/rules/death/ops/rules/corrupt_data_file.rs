//! A data file is damaged, and its reader died of it.

use crate::book::{Judge, Rule};
use crate::capture::{MessageKind, Signal};
use crate::cause::Cause;
use crate::culprit::is_machinery_frame;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::ops::{call, damage, meanings};

pub(super) static RULE: Rule = Rule {
    id: "OPS004",
    name: "corrupt-data-file",
    summary: "A corrupted data file crashed its reader, such as a TFRecord that declares an enormous record.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("corrupt_data_file.md"),
    judge: Judge::Death(judge),
};

/// Functions that read the length of a record from a file and believe it.
const RECORD_READERS: [&str; 2] = ["io::RecordReader::", "io::SequentialRecordReader::"];
/// Functions that decode files.
const DECODERS: [&str; 7] = [
    "DGifSlurp",
    "DGifGetLine",
    "png_read_",
    "jpeg_read_",
    "WebPAnimDecoder",
    "wav::DecodeLin16Wave",
    "avcodec_",
];
/// What the reader of records calls to copy as many bytes as the length says.
const COPIES: [&str; 4] = [
    "io::BufferedInputStream::",
    "io::RandomAccessInputStream::",
    "io::RecordReader::",
    "tstring",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let headline = "A data file is damaged, and its reader died of it";
    if let Some((fact, message)) = facts.fatal_message(MessageKind::CheckFailure)
        && damage::is_lost_data(&message.text)
    {
        let claim = "The check that failed speaks of damaged records.";
        let suspicion =
            Suspicion::new(Cause::CorruptDataFile, headline).supported(Weight::Strong, fact, claim);
        return Some(with_remedies(suspicion));
    }
    let is_fault = facts
        .signal()
        .is_none_or(|it| it.is_fault() || it == Signal::ABRT);
    let near = |words: &[&str]| damage::reader_at_fault(facts, words).filter(|_| is_fault);
    if let Some(sight) = near(&RECORD_READERS).filter(|it| copies_record(facts, it)) {
        let headline =
            "A TFRecord file is damaged: a record's length is absurd, and its reader died of it";
        let claim = "The fault is in the reader of TFRecord files, which believes the length that stands before a record.";
        let mut suspicion = Suspicion::new(Cause::CorruptDataFile, headline).supported(
            Weight::Strong,
            sight.fact,
            claim,
        );
        if let Some((fact, claim)) = damage::memory_was_short(facts) {
            suspicion = suspicion.opposed(Weight::Strong, fact, claim);
        }
        return Some(with_remedies(suspicion));
    }
    if let Some(sight) = near(&DECODERS) {
        let claim = format!("`{}` was decoding a file.", call::short(sight.function()));
        let suspicion = Suspicion::new(Cause::CorruptDataFile, headline).supported(
            Weight::Weak,
            sight.fact,
            claim,
        );
        return Some(with_remedies(suspicion));
    }
    let signs = ["record-damaged", "hdf5-truncated"];
    let sighting = signs
        .iter()
        .find_map(|id| facts.sign(id))
        .filter(|_| facts.signal().is_some())?;
    let claim = format!(
        "Before it died it said `{}`.",
        meanings::shortened(sighting.text.trim())
    );
    let suspicion = Suspicion::new(Cause::CorruptDataFile, headline).supported(
        Weight::Weak,
        sighting.fact.clone(),
        claim,
    );
    Some(with_remedies(suspicion))
}

/// Whether it died of a fault where a record's bytes are copied, as an absurd length makes it do: everything else that
/// can be wrong with such a file is an exception.
fn copies_record(facts: &Facts<'_>, reader: &NativeSight<'_>) -> bool {
    let mut above = facts
        .frames_at_fault()
        .filter(|sight| sight.index <= reader.index && !is_machinery_frame(sight.frame));
    let is_copy = |sight: NativeSight<'_>| COPIES.iter().any(|it| sight.function().contains(it));
    let is_access = facts
        .signal()
        .is_none_or(|it| it == Signal::SEGV || it == Signal::BUS);
    is_access && above.all(is_copy)
}

fn with_remedies(suspicion: Suspicion) -> Suspicion {
    suspicion
        .remedy(Remedy::new(
            "Read the files one by one in processes of their own: the one that dies has the damaged file.",
        ))
        .remedy(Remedy::new(
            "Write or download the damaged file again, and compare its size and checksum with the original.",
        ))
}
