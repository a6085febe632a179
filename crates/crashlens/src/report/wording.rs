//! Words that every form of a report has in common.

use std::fmt::Write as _;

use crashlens_core::Inspection;
use crashlens_core::files::{Effect, EffectKind, Forecast};
use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::inspection::{Amount, Check, Counted, InspectionKind, Lack};
use crashlens_core::text::{bytes, count, plural};

/// How bad it is, as one says it.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::WillFail => "will fail",
        Severity::CanCrash => "can crash",
        Severity::WorthKnowing => "worth knowing",
    }
}

/// `1 will fail, 2 worth knowing`
pub(super) fn tally(findings: &[Hazard]) -> String {
    let of = |severity| findings.iter().filter(move |it| it.severity == severity);
    let counts: Vec<String> = [
        Severity::WillFail,
        Severity::CanCrash,
        Severity::WorthKnowing,
    ]
    .into_iter()
    .map(|it| (of(it).count(), severity(it)))
    .filter(|(count, _)| *count > 0)
    .map(|(count, severity)| format!("{count} {severity}"))
    .collect();
    counts.join(", ")
}

/// What is said where nothing was found: never that nothing is there.
pub(super) fn nothing_found(inspection: &Inspection) -> String {
    if let Some(lack) = inspection.lacks {
        let what = lacking(inspection.kind, lack);
        return format!("There was no {what} to check in {}.", inspection.subject);
    }
    let count = |is_counted: fn(&Check) -> bool| {
        let checks = inspection.checks.iter();
        checks.filter(|check| is_counted(check)).count() as u64
    };
    let made = count(|check| !check.scope.is_empty());
    let idle = count(|check| check.scope.is_empty() && check.blind.is_empty());
    let blind = count(|check| !check.blind.is_empty());
    let mut text = format!("Nothing found by {}", plural(made, "check"));
    if idle > 0 {
        let _ = write!(text, "; {idle} more had nothing to look at");
    }
    if blind > 0 {
        let _ = write!(text, "; {blind} could not look at all they ask for");
    }
    text.push('.');
    text
}

/// What there was none of: `file`, `data file`, `model`.
pub(crate) fn lacking(kind: InspectionKind, lack: Lack) -> &'static str {
    match (lack, kind) {
        (Lack::Readable, InspectionKind::Model) => "model",
        (Lack::Readable, InspectionKind::Data) => "data file of a known format",
        (Lack::Files, _) | (_, InspectionKind::Environment) => "file",
    }
}

/// `48 packages, 212 native files and the machine, in 31 checks`; `1200 files (1100 JPEG, 100 PNG), 2.9 GiB, in 24 checks`
pub(super) fn looked_at(inspection: &Inspection) -> String {
    let is_idle =
        |check: &&Check| inspection.kind != InspectionKind::Environment && check.is_idle();
    let made = inspection.checks.iter().filter(|it| !is_idle(it)).count();
    let checks = plural(made, "check");
    if inspection.kind != InspectionKind::Environment {
        return format!("{}, in {checks}", files_looked_at(inspection));
    }
    let amounts = inspection.looked_at.iter();
    let amounts: Vec<String> = amounts.map(amount).collect();
    format!("{} and the machine, in {checks}", amounts.join(", "))
}

/// What an amount counts is in the plural.
fn amount(amount: &Amount) -> String {
    let what = amount.what.as_str();
    let noun = what.strip_suffix('s').unwrap_or(what);
    count(amount.count, noun, what)
}

fn files_looked_at(inspection: &Inspection) -> String {
    let files = inspection.count_of(&Counted::Files).unwrap_or(0);
    let size = inspection.count_of(&Counted::Bytes).unwrap_or(0);
    let amounts = inspection.looked_at.iter();
    let formats: Vec<String> = amounts
        .filter_map(|amount| match &amount.what {
            Counted::Of(format) => Some(format!("{} {format}", amount.count)),
            _ => None,
        })
        .collect();
    let formats = match formats.as_slice() {
        [] => String::new(),
        formats => format!(" ({})", formats.join(", ")),
    };
    format!("{}{formats}, {}", plural(files, "file"), bytes(size))
}

/// Below so many bytes of weights nobody runs out of memory for them.
const WEIGHTS_WORTH_A_WORD: u64 = 10_000_000;
/// So many models are told with the memory they will take.
const FORECASTS_SHOWN: usize = 3;

/// What the largest models will ask of the memory, a sentence without its end for each.
pub(super) fn forecasts(inspection: &Inspection) -> impl Iterator<Item = String> {
    let large = inspection.forecasts.iter();
    large
        .filter(|it| it.weights >= WEIGHTS_WORTH_A_WORD)
        .take(FORECASTS_SHOWN)
        .map(forecast)
}

fn forecast(forecast: &Forecast) -> String {
    let load = forecast.load().map_or(0, |need| need.bytes);
    let saves: Vec<String> = forecast
        .saves()
        .map(|need| format!("{} as {}", bytes(need.bytes), need.format.name()))
        .collect();
    let left = forecast.left.map_or_else(String::new, |left| {
        format!("; {} are left here", bytes(left))
    });
    format!(
        "{}, {} of weights: loading takes up to {}, saving on top of the model up to {}{left}",
        forecast.path,
        bytes(forecast.weights),
        bytes(load),
        saves.join(", "),
    )
}

/// What TensorFlow does with a file, as a sentence without its end.
pub(super) fn effect(effect: &Effect) -> String {
    let versions = match effect.versions.as_slice() {
        [] => String::new(),
        versions => format!(" {}", versions.join(", ")),
    };
    let seen = match effect.seen.as_str() {
        "" => String::new(),
        seen => format!(": {seen}"),
    };
    let formats: Vec<&str> = effect.formats.iter().map(|format| format.name()).collect();
    let of = match formats.as_slice() {
        [] => String::new(),
        formats => format!("{}: ", formats.join(", ")),
    };
    match effect.does {
        EffectKind::NotTried => format!("{of}What TensorFlow does with it was not tried{seen}"),
        does => format!("{of}TensorFlow{versions} {}{seen}", does.verb()),
    }
}
