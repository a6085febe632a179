//! What TensorFlow does with a flawed file: measured on real versions, kept as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pep440_rs::Version;
use serde::{Deserialize, Serialize};

use super::{Flaw, FlawKind, Format, Part};
use crate::hazard::Severity;

/// What TensorFlow does with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// Of what kind.
    pub does: EffectKind,
    /// Versions of TensorFlow it was seen on; empty where it was not tried.
    pub versions: Vec<String>,
    /// What is seen then, as a sentence without its end: an error's words, a signal.
    pub seen: String,
    /// Of files in these formats alone, where a finding has files of several; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<Format>,
}

word_enum! {
    /// Kinds of effects, the worst last.
    pub enum EffectKind {
        /// It is read as it should be.
        Odd,
        /// It was not tried.
        NotTried,
        /// It is read, and the values are wrong or lost, without a word.
        WrongValues,
        /// An exception.
        Raises,
        /// It never ends.
        Hangs,
        /// The process dies.
        Crashes,
    }
}

impl EffectKind {
    /// How bad that is.
    pub fn severity(self) -> Severity {
        match self {
            Self::Odd => Severity::WorthKnowing,
            Self::NotTried | Self::WrongValues => Severity::CanCrash,
            Self::Raises | Self::Hangs | Self::Crashes => Severity::WillFail,
        }
    }

    /// What TensorFlow does, as a verb.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Odd => "reads it",
            Self::NotTried => "was not tried on it",
            Self::WrongValues => "reads wrong values without a word",
            Self::Raises => "raises an exception",
            Self::Hangs => "hangs",
            Self::Crashes => "crashes",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    effect: Vec<Row>,
}

/// A row of `data/effects/*.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    formats: Vec<Format>,
    flaw: FlawKind,
    /// Only of flaws in this part; a row without one is for all parts that have no row.
    #[serde(default)]
    part: Option<Part>,
    does: EffectKind,
    versions: Vec<String>,
    seen: String,
    /// Where that was measured or read.
    #[cfg_attr(not(test), expect(dead_code, reason = "for those who read the data"))]
    source: String,
}

/// One file for each family of formats.
const FILES: [&str; 7] = [
    include_str!("../../data/effects/any.toml"),
    include_str!("../../data/effects/arrays.toml"),
    include_str!("../../data/effects/images.toml"),
    include_str!("../../data/effects/models.toml"),
    include_str!("../../data/effects/records.toml"),
    include_str!("../../data/effects/sound.toml"),
    include_str!("../../data/effects/tables.toml"),
];

/// Effects with the part they are of, by format and flaw.
type Effects = BTreeMap<(Format, FlawKind), Vec<(Option<Part>, Effect)>>;

static EFFECTS: LazyLock<Effects> = LazyLock::new(|| {
    let mut effects: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for file in FILES {
        // A test parses every file; a broken one would say "not tried" rather than stop a scan.
        let rows = toml::from_str::<Table>(file).map_or_else(|_| Vec::new(), |table| table.effect);
        for row in rows {
            for format in row.formats {
                let effect = Effect {
                    does: row.does,
                    versions: row.versions.clone(),
                    seen: row.seen.clone(),
                    formats: Vec::new(),
                };
                let rows = effects.entry((format, row.flaw)).or_default();
                rows.push((row.part, effect));
            }
        }
    }
    effects
});

/// Whether it is known what TensorFlow does with such a flaw in this format.
pub(crate) fn has_effect(format: Format, kind: FlawKind) -> bool {
    EFFECTS.contains_key(&(format, kind))
}

/// What TensorFlow does with this flaw in this format, the worst first; never empty.
pub(super) fn effects_of(format: Option<Format>, flaw: &Flaw) -> Vec<Effect> {
    let rows = format.and_then(|format| EFFECTS.get(&(format, flaw.kind)));
    let rows = rows.map_or(&[][..], Vec::as_slice);
    let of_part = |part: Option<Part>| -> Vec<Effect> {
        let rows = rows.iter().filter(|(of, _)| *of == part);
        rows.map(|(_, effect)| effect.clone()).collect()
    };
    let mut effects = of_part(Some(flaw.part.id));
    if effects.is_empty() {
        effects = of_part(None);
    }
    if effects.is_empty() {
        effects.push(Effect {
            does: EffectKind::NotTried,
            versions: Vec::new(),
            seen: String::new(),
            formats: Vec::new(),
        });
    }
    effects.sort_by_key(|effect| std::cmp::Reverse(effect.does));
    effects
}

/// How bad that is: by the worst of what the versions do that were tried; where it is known which one is to read the file,
/// of what the next older and the next newer one do.
pub(super) fn severity_for(effects: &[Effect], installed: Option<&Version>) -> Severity {
    let versions = |effect: &Effect| -> Vec<Version> {
        let versions = effect.versions.iter();
        versions.filter_map(|it| it.parse().ok()).collect()
    };
    let tried: Vec<Version> = effects.iter().flat_map(versions).collect();
    let near = installed.map(|installed| {
        let older = tried.iter().filter(|it| *it <= installed).max();
        let newer = tried.iter().filter(|it| *it >= installed).min();
        [older, newer]
    });
    let concerns = |effect: &&Effect| {
        let of_effect = versions(effect);
        let is_near = |near: [Option<&Version>; 2]| {
            let mut near = near.into_iter().flatten();
            near.any(|version| of_effect.contains(version))
        };
        of_effect.is_empty() || near.is_none_or(is_near)
    };
    let worst = effects.iter().filter(concerns).map(|effect| effect.does);
    worst.max().unwrap_or(EffectKind::NotTried).severity()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_version_is_judged_by_those_beside_it() {
        let effect = |does, versions: &[&str]| Effect {
            does,
            versions: versions.iter().map(ToString::to_string).collect(),
            seen: String::new(),
            formats: Vec::new(),
        };
        let effects = [
            effect(EffectKind::Raises, &["2.12.1", "2.15.1"]),
            effect(EffectKind::Odd, &["2.21.0"]),
        ];
        let severity = |version: Option<&str>| {
            let version = version.map(|it| it.parse().unwrap());
            severity_for(&effects, version.as_ref())
        };
        assert_eq!(severity(None), Severity::WillFail);
        assert_eq!(severity(Some("2.13.0")), Severity::WillFail);
        assert_eq!(
            severity(Some("2.19.0")),
            Severity::WillFail,
            "may be either"
        );
        assert_eq!(severity(Some("2.21.0")), Severity::WorthKnowing);
        assert_eq!(severity(Some("2.22.0")), Severity::WorthKnowing);
    }

    #[test]
    fn every_row_is_read_and_tells_its_source() {
        for file in FILES {
            let table: Table = toml::from_str(file).unwrap_or_else(|error| panic!("{error}"));
            for row in table.effect {
                assert!(!row.source.is_empty(), "{:?} without a source", row.flaw);
                assert!(!row.formats.is_empty(), "{:?} of no format", row.flaw);
            }
        }
    }

    /// TensorFlow does not read ONNX, and what other programs do with it was not tried.
    const NOT_TRIED: [Format; 1] = [Format::Onnx];

    #[test]
    fn every_format_has_a_row_for_malformed_files() {
        for format in Format::ALL.iter().filter(|it| !NOT_TRIED.contains(it)) {
            let is_tried = EFFECTS.contains_key(&(*format, FlawKind::Malformed));
            assert!(
                is_tried,
                "{format:?} has no row with `flaw = \"malformed\"` in data/effects; a format that was not tried is listed in NOT_TRIED"
            );
        }
    }

    /// The words of parts are for people: another noun in a reader must not turn an exception into a crash.
    #[test]
    fn renaming_a_part_does_not_change_its_effect() {
        for ((format, kind), rows) in &*EFFECTS {
            for (part, _) in rows {
                let part = part.unwrap_or(Part::Reader);
                let flaw = |part| Flaw {
                    kind: *kind,
                    part,
                    at: None,
                    detail: String::new(),
                };
                let before = effects_of(Some(*format), &flaw(part.into()));
                let after = effects_of(Some(*format), &flaw(part.written("the renamed part")));
                assert_eq!(before, after, "{part:?} of {format:?}");
            }
        }
        let head = Flaw {
            kind: FlawKind::Malformed,
            part: Part::Head.into(),
            at: Some(4),
            detail: String::new(),
        };
        let effects = effects_of(Some(Format::Tflite), &head);
        assert_eq!(effects[0].does, EffectKind::Raises);
    }
}
