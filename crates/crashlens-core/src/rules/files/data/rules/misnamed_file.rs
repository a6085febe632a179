//! Files whose content is not what their name says.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Format, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL011",
    name: "misnamed-file",
    summary: "The content of a file is of another format than its name says.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("misnamed_file.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: ["is not what its name says", "are not what their names say"],
        judge,
    },
};

/// Endings of images, whose decoders are asked for by these names.
const IMAGES: [&str; 6] = ["jpg", "jpeg", "png", "gif", "bmp", "webp"];

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    // Those who named it so will have it read by the decoder of that name.
    let versions = &["2.15.1", "2.21.0"];
    let name = facts.extension().unwrap_or_default();
    let (does, seen) = match (name.as_str(), facts.format) {
        ("npy" | "npz", Some(Format::Npy | Format::Npz)) => {
            (EffectKind::Odd, "`np.load` goes by the content")
        }
        ("npy" | "npz", _) => (
            EffectKind::Raises,
            "`np.load` raises ValueError and speaks of pickled data",
        ),
        ("csv" | "tsv", _) => (
            EffectKind::Raises,
            "`make_csv_dataset` raises UnicodeDecodeError, `CsvDataset` InvalidArgumentError",
        ),
        ("h5" | "hdf5", Some(Format::Keras)) => (
            EffectKind::Raises,
            "Keras goes by the name: OSError: file signature not found",
        ),
        (_, Some(Format::TfRecordGzip | Format::TfRecordZlib)) => (
            EffectKind::Odd,
            "where `compression_type` says how it is packed, which its name does not",
        ),
        (name, _) if !IMAGES.contains(&name) => (EffectKind::NotTried, ""),
        (_, Some(Format::Bmp)) => (
            EffectKind::Raises,
            "`decode_jpeg` and `decode_png` raise InvalidArgumentError; `decode_image` reads it",
        ),
        (_, Some(Format::Gif)) => (
            EffectKind::Raises,
            "`decode_image` gives four dimensions in place of three, which no batch with other images takes",
        ),
        (_, Some(Format::Jpeg | Format::Png)) => (
            EffectKind::Odd,
            "`decode_image`, `decode_jpeg` and `decode_png` go by the content",
        ),
        _ => (EffectKind::NotTried, ""),
    };
    let severity = does.severity().min(Severity::CanCrash);
    facts
        .flaws_of(FlawKind::Misnamed)
        .map(|flaw| {
            FileFinding::new(severity, flaw.detail.clone())
                .part(flaw.part.clone())
                .effect(does, versions, seen)
                .remedy(Remedy::new(
                    "Rename it after its content, or convert it; readers that go by the name fail on it.",
                ))
        })
        .collect()
}
