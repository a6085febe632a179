//! The arguments of the op's call that fit what was complained of.

use super::call::line;
use super::meanings::{Fit, Meaning};
use crate::capture::Value;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, LocalSight, Oddity};
use crate::rule::{Remedy, Suspicion};
use crate::text::capitalised;

/// Where more arguments fit, none is named.
const MOST_NAMED: usize = 3;

/// An argument that may be to blame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Blamed {
    name: String,
    /// "`x` has shape (3,)".
    pub(super) what: String,
    fact: FactRef,
}

/// The arguments of the op's call that fit the complaint.
pub(super) fn blamed(facts: &Facts<'_>, meaning: Option<&Meaning>) -> Vec<Blamed> {
    if let Some(fit) = meaning.and_then(|it| it.fits.as_ref()) {
        return fitting(facts, fit);
    }
    let odd = meaning.and_then(|it| it.odd.as_ref());
    let standing_out = standing_out(facts, odd);
    match meaning {
        Some(meaning) if standing_out.is_empty() => holding(facts, &meaning.huge),
        _ => standing_out,
    }
}

/// The arguments that stand out in one of these ways.
fn standing_out(facts: &Facts<'_>, odd: Option<&Vec<Oddity>>) -> Vec<Blamed> {
    facts
        .suspicious_arguments()
        .into_iter()
        .filter(|it| it.of_op && odd.is_none_or(|odd| odd.contains(&it.oddity)))
        .take(2)
        .map(|argument| Blamed {
            name: argument.name.to_owned(),
            what: argument.what,
            fact: argument.fact,
        })
        .collect()
}

/// The one tensor of sizes whose elements, which were not read, must be the huge ones of the message: no other argument
/// holds that many integers.
fn holding(facts: &Facts<'_>, huge: &[u64]) -> Vec<Blamed> {
    let sizes: Vec<String> = huge.iter().map(u64::to_string).collect();
    let holds = |argument: &LocalSight<'_>| {
        let array = argument.variable.value.array.as_ref()?;
        let is_whole = array
            .dtype
            .as_deref()
            .is_some_and(|it| it.starts_with("int"));
        let is_as_long = array.shape.as_deref() == Some(&[u64::try_from(huge.len()).ok()]);
        (is_whole && is_as_long).then(|| Blamed {
            name: argument.variable.name.clone(),
            what: format!("`{}` is [{}]", argument.variable.name, sizes.join(", ")),
            fact: argument.fact.clone(),
        })
    };
    let found: Vec<Blamed> = facts.op_arguments().iter().filter_map(holds).collect();
    if huge.is_empty() || found.len() > 1 {
        return Vec::new();
    }
    found
}

fn fitting(facts: &Facts<'_>, fit: &Fit) -> Vec<Blamed> {
    let arguments = facts.op_arguments().into_iter();
    let found: Vec<Blamed> = arguments.filter_map(|it| fitted(&it, fit)).collect();
    if found.len() > MOST_NAMED {
        return Vec::new();
    }
    found
}

fn fitted(argument: &LocalSight<'_>, fit: &Fit) -> Option<Blamed> {
    let value = &argument.variable.value;
    let shape = shape(value);
    let fits = match fit {
        Fit::Count(count) => {
            shape
                .as_ref()?
                .iter()
                .try_fold(1_u64, |all, it| all.checked_mul(*it))?
                == *count
        }
        Fit::Rank(rank) => shape.as_ref()?.len() == *rank,
        Fit::Dtype(dtype) => value.array.as_ref()?.dtype.as_deref()? == numpy_name(dtype),
    };
    let name = &argument.variable.name;
    let what = match fit {
        Fit::Dtype(_) => format!("`{name}` is of {}", value.array.as_ref()?.dtype.as_deref()?),
        Fit::Count(_) | Fit::Rank(_) => format!("`{name}` has shape {}", written(&shape?)),
    };
    fits.then(|| Blamed {
        name: name.clone(),
        what,
        fact: argument.fact.clone(),
    })
}

/// The shape of a tensor, or of a plain list of numbers.
fn shape(value: &Value) -> Option<Vec<u64>> {
    if let Some(array) = &value.array {
        return array.shape.as_ref()?.iter().copied().collect();
    }
    let text = value
        .text
        .as_deref()
        .filter(|_| value.type_name == "list")?;
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    let is_plain = |c: char| c.is_ascii_digit() || " ,.-+e".contains(c);
    if !inside.chars().all(is_plain) {
        return None;
    }
    let count = inside.split(',').filter(|it| !it.trim().is_empty()).count();
    Some(vec![u64::try_from(count).ok()?])
}

fn written(shape: &[u64]) -> String {
    match shape {
        [only] => format!("({only},)"),
        several => {
            let extents: Vec<String> = several.iter().map(u64::to_string).collect();
            format!("({})", extents.join(", "))
        }
    }
}

/// TensorFlow's names of element types in C++, as NumPy has them.
fn numpy_name(dtype: &str) -> &str {
    match dtype {
        "float" => "float32",
        "double" => "float64",
        "half" => "float16",
        other => other,
    }
}

/// The suspicion with the arguments as evidence, and with what to change at the call.
pub(super) fn with(
    mut suspicion: Suspicion,
    facts: &Facts<'_>,
    blamed: &[Blamed],
    advice: Option<&str>,
) -> Suspicion {
    for argument in blamed {
        let claim = format!("{}.", capitalised(&argument.what));
        suspicion = suspicion.supported(Weight::Weak, argument.fact.clone(), claim);
    }
    match action(line(facts).as_deref(), blamed, advice) {
        Some(action) => suspicion.remedy(Remedy::new(action)),
        None => suspicion,
    }
}

fn action(line: Option<&str>, blamed: &[Blamed], advice: Option<&str>) -> Option<String> {
    let values: Vec<&str> = blamed.iter().map(|it| it.what.as_str()).collect();
    let values = values.join(", ");
    Some(match (line, values.as_str(), advice) {
        (None, "", None) => return None,
        (None, "", Some(advice)) => advice.to_owned(),
        (None, values, advice) => {
            let advice = advice.unwrap_or("Change it.");
            format!("In the call, {values}. {advice}")
        }
        (Some(line), "", None) => {
            format!(
                "Print the shapes and values that are passed at {line}, and compare them with what the call allows."
            )
        }
        (Some(line), "", Some(advice)) => format!("At {line}: {advice}"),
        (Some(line), values, None) => {
            let names: Vec<String> = blamed.iter().map(|it| format!("`{}`", it.name)).collect();
            format!("Change {} in {line}: {values}.", names.join(" or "))
        }
        (Some(line), values, Some(advice)) => format!("In {line}, {values}. {advice}"),
    })
}
