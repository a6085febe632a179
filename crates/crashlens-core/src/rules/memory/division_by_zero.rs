//! An integer was divided by zero.

use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM008",
    name: "division-by-zero",
    causes: &[Cause::DivisionByZero],
    since: "0.1.0",
    doc: include_str!("division_by_zero.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("windows-integer-division") {
        let suspicion = Suspicion::new(Cause::DivisionByZero, headline(facts)).supported(
            Weight::Decisive,
            sight.fact.clone(),
            format!("Windows says `{}`.", sight.text.trim()),
        );
        return Some(advise(facts, suspicion));
    }
    if !facts.died_of(Signal::FPE) || facts.signal_was_sent() {
        return None;
    }
    let suspicion = Suspicion::new(Cause::DivisionByZero, headline(facts));
    let code = facts.capture().ending.code.as_deref();
    let division = facts.fault().and_then(|fault| fault.division.as_ref());
    let value = division.and_then(|division| division.value);
    let suspicion = match (division, value, code) {
        (Some(division), Some(0), _) => suspicion.supported(
            Weight::Decisive,
            FactRef::Fault,
            format!("The instruction divided by {} ({} bits), which held 0.", division.divisor, division.bits),
        ),
        (Some(division), Some(value), _) => suspicion
            .supported(Weight::Weak, FactRef::Ending, "The signal is SIGFPE, as for a division by zero.")
            .opposed(Weight::Decisive, FactRef::Fault, format!("It divided by {} ({value}), not by 0: the result did not fit.", division.divisor)),
        (_, _, Some(code)) if code.starts_with("FPE_FLT") => suspicion
            .supported(Weight::Weak, FactRef::Ending, "The signal is SIGFPE, as for a division by zero.")
            .opposed(Weight::Decisive, FactRef::Ending, format!("The code is {code}: a floating-point trap that the program had turned on.")),
        (_, _, Some("FPE_INTDIV")) => suspicion.supported(Weight::Strong, FactRef::Ending, "The processor refused an integer division (FPE_INTDIV)."),
        _ => suspicion.supported(
            Weight::Strong,
            FactRef::Ending,
            "SIGFPE: despite its name the processor sends it for integers; floats divided by 0 give inf and go on.",
        ),
    };
    Some(advise(facts, suspicion))
}

fn headline(facts: &Facts<'_>) -> String {
    let actor = facts.actor();
    if let Some(empty) = facts.empty_inputs().first() {
        return format!(
            "{actor} divided an integer by zero: `{}` has the shape {}",
            empty.name, empty.shape
        );
    }
    match facts.zero_inputs().first() {
        Some(zero) => {
            let text = zero.variable.value.text.as_deref().unwrap_or("0");
            format!(
                "{actor} divided an integer by zero: `{}` is {text}",
                zero.variable.name
            )
        }
        None => format!("{actor} divided an integer by zero"),
    }
}

fn advise(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    let empty = facts.empty_inputs();
    for input in empty.iter().take(3) {
        let claim = format!(
            "`{}` has the shape {}: a size of 0 to divide by.",
            input.name, input.shape
        );
        suspicion = suspicion.supported(Weight::Weak, input.fact.clone(), claim);
        let action = format!(
            "Do not pass an empty `{}` (shape {}).",
            input.name, input.shape
        );
        suspicion = suspicion.remedy(Remedy::new(action));
    }
    let zeros = facts.zero_inputs();
    for input in zeros.iter().take(2).filter(|_| empty.is_empty()) {
        let (name, text) = (&input.variable.name, input.variable.value.text.as_deref());
        let text = text.unwrap_or("0");
        let claim = format!("Argument `{name}` is {text}.");
        suspicion = suspicion.supported(Weight::Weak, input.fact.clone(), claim);
        suspicion = suspicion.remedy(Remedy::new(format!(
            "Keep 0 out of `{name}` (it is {text})."
        )));
    }
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(" in `{line}`"));
    suspicion.remedy(Remedy::new(format!(
        "Look for a divisor, size, stride or group count of 0{line}; divide floats, or mask the zeros, where 0 is meant."
    )))
}
