//! An integer was divided by zero.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Oddity, excerpt};
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM013",
    name: "division-by-zero",
    summary: "The processor divided an integer by zero.",
    causes: &[Cause::DivisionByZero],
    since: "0.1.0",
    doc: include_str!("division_by_zero.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let zeros = zeros(facts);
    let actor = facts.actor();
    let headline = match zeros.iter().find(|zero| zero.is_divisor) {
        Some(zero) => format!("{actor} divided an integer by zero, and {}", zero.what),
        None => format!("{actor} divided an integer by zero"),
    };
    let suspicion = Suspicion::new(Cause::DivisionByZero, headline);
    let mut suspicion = match facts.windows_sign("windows-integer-division") {
        Some(sight) => {
            let claim = format!("Windows said `{}`.", excerpt(sight.text));
            suspicion.supported(Weight::Decisive, sight.fact.clone(), claim)
        }
        None if facts.died_of(Signal::FPE) && !facts.signal_was_sent() => weighed(facts, suspicion),
        None => return None,
    };
    for zero in zeros.into_iter().take(2) {
        suspicion = suspicion.supported(Weight::Weak, zero.fact, format!("{}.", zero.what));
        if zero.is_divisor {
            let action = format!("Keep 0 and empty tensors out of it: {}.", zero.what);
            suspicion = suspicion.remedy(Remedy::new(action));
        }
    }
    let line = facts.in_user_line();
    let action = format!(
        "Look for a divisor, size, stride or group count of 0{line}; mask the zeros, or divide floats."
    );
    Some(suspicion.remedy(Remedy::new(action)))
}

fn weighed(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let signal = "The signal is SIGFPE, as for a division by zero.";
    let code = facts.capture().ending.code.as_deref().unwrap_or_default();
    let division = facts.fault().and_then(|fault| fault.division.as_ref());
    let value = division.and_then(|division| division.value);
    match (division, value) {
        (Some(division), Some(0)) => {
            let claim = format!(
                "The instruction divided by {} ({} bits), which held 0.",
                division.divisor, division.bits
            );
            suspicion.supported(Weight::Decisive, FactRef::Fault, claim)
        }
        (Some(division), Some(value)) => {
            let claim = format!(
                "It divided by {} ({value}), not by 0: the result did not fit.",
                division.divisor
            );
            let suspicion = suspicion.supported(Weight::Weak, FactRef::Ending, signal);
            suspicion.opposed(Weight::Decisive, FactRef::Fault, claim)
        }
        _ if code.starts_with("FPE_FLT") => {
            let claim = format!(
                "The code is {code}: a floating-point trap that the program had turned on."
            );
            let suspicion = suspicion.supported(Weight::Weak, FactRef::Ending, signal);
            suspicion.opposed(Weight::Decisive, FactRef::Ending, claim)
        }
        _ => {
            let claim =
                "SIGFPE means integers, despite its name: floats divided by 0 give inf and go on.";
            suspicion.supported(Weight::Strong, FactRef::Ending, claim)
        }
    }
}

/// An argument that may be the zero.
struct Zero {
    /// As a sentence without its end: "`k` is 0".
    what: String,
    fact: FactRef,
    /// Whether ops divide by arguments of that name, or by their sizes; otherwise it may be 0 by right.
    is_divisor: bool,
}

/// What TensorFlow's dividing ops call what they divide by.
const DIVISORS: [&str; 4] = ["y", "dense", "updates", "divisor"];

fn zeros(facts: &Facts<'_>) -> Vec<Zero> {
    let odd = facts
        .suspicious_arguments()
        .into_iter()
        .filter(|it| it.of_op && matches!(it.oddity, Oddity::Empty | Oddity::Zero));
    let mut zeros: Vec<Zero> = odd
        .map(|it| Zero {
            what: it.what,
            fact: it.fact,
            is_divisor: true,
        })
        .collect();
    if zeros.is_empty() {
        let held = facts.zero_arguments().into_iter().filter_map(|sight| {
            let text = sight.variable.value.text.as_deref()?;
            Some(Zero {
                what: format!("`{}` is {text}", sight.variable.name),
                fact: sight.fact,
                is_divisor: DIVISORS.contains(&sight.variable.name.as_str()),
            })
        });
        zeros.extend(held);
    }
    zeros
}
