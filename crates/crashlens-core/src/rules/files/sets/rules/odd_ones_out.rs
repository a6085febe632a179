//! A few files that differ from nearly all others.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::files::{Census, Effect, EffectKind, OddOnes, Setting};
use crate::hazard::{Hazard, Severity};
use crate::rule::Remedy;

const SHAPES: &str =
    "in a batch: InvalidArgumentError: Cannot batch tensors with different shapes in component 0";
/// So many values are told with a file of each.
const VALUES_TOLD: usize = 10;

pub(super) static RULE: Rule = Rule {
    id: "SET001",
    name: "odd-ones-out",
    summary: "A few files differ from nearly all others in channels, type, shape or columns.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("odd_ones_out.md"),
    judge: Judge::Set(judge),
};

fn judge(census: &Census, _setting: &Setting) -> Look {
    match census.compared() {
        0 | 1 => Look::nothing(),
        files => {
            Look::at(format!("{files} files")).found_all(census.odd_ones().map(|odd| hazard(&odd)))
        }
    }
}

fn hazard(odd: &OddOnes<'_>) -> Hazard {
    let few: u64 = odd.odd.iter().map(|(_, class)| class.count).sum();
    let OddOnes { aspect, usual, .. } = odd;
    let headline = format!(
        "{few} of {} {} in the {aspect}: {usual} everywhere else",
        few + odd.usual_count,
        if few == 1 { "differs" } else { "differ" }
    );
    let mut hazard = Hazard::new(Severity::WorthKnowing, Cause::BadInputValue, headline)
        .unless("The program brings them all to one form before they are put into a batch.")
        .remedy(remedy(aspect));
    for (value, class) in odd.odd.iter().take(VALUES_TOLD) {
        let Some(first) = class.files.first() else {
            continue;
        };
        let path = first.clone();
        hazard = hazard.because(
            FactRef::File { path },
            format!("{first}: the {aspect} is {value} ({} of them)", class.count),
        );
    }
    let files = odd.odd.iter().flat_map(|(_, class)| &class.files);
    hazard.files = files.cloned().collect();
    hazard.more_files = few.saturating_sub(hazard.files.len() as u64);
    hazard.effects = effect(aspect).into_iter().collect();
    hazard
}

/// What was measured of such files among others.
fn effect(aspect: &str) -> Option<Effect> {
    let seen = match aspect {
        "channels of images" | "size of images" | "channels of sound" => SHAPES,
        _ if aspect.starts_with("shape of ") => SHAPES,
        _ if aspect.starts_with("type of ") => {
            "from tf.numpy_function InvalidArgumentError: 0-th value returned by pyfunc is of another type; \
             from_generator converts it without a word"
        }
        _ => return None,
    };
    Some(Effect {
        does: EffectKind::Raises,
        versions: vec![
            "2.12.1".to_owned(),
            "2.15.1".to_owned(),
            "2.21.0".to_owned(),
        ],
        seen: seen.to_owned(),
        formats: Vec::new(),
    })
}

fn remedy(aspect: &str) -> Remedy {
    Remedy::new(match aspect {
        "channels of images" => {
            "Decode with the number of channels that the model has: tf.io.decode_image(data, channels=3, expand_animations=False)."
        }
        "size of images" => "Resize every image before it is put into a batch: tf.image.resize.",
        _ => "Convert them as the others are, or leave them out.",
    })
}
