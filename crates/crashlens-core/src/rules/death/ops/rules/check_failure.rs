//! A library found a condition broken that it relies on, and gave up.

use crate::book::{Judge, Rule};
use crate::capture::{CaptureSource, MessageKind};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::ops::failed_check::{
    condition, ending_function, first_line, is_about_processor, proof, speaker, with_doubts,
};
use crate::rules::death::ops::meanings::{CHECKS, Meaning, shortened};
use crate::rules::death::ops::{blame, call};
use crate::text::capitalised;

pub(super) static RULE: Rule = Rule {
    id: "OPS001",
    name: "check-failure",
    summary: "A library found that one of its own conditions does not hold, and aborted the process.",
    causes: &[Cause::CheckFailure],
    since: "0.1.0",
    doc: include_str!("check_failure.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let said = facts.fatal_message(MessageKind::CheckFailure);
    if said
        .as_ref()
        .is_some_and(|(_, message)| is_about_processor(&message.text))
    {
        return None;
    }
    let ending = ending_function(facts);
    let (weight, fact, words) = match (&said, &ending) {
        (Some((fact, message)), _) => (
            proof(facts, message, ending.as_ref()),
            fact.clone(),
            Some(message.text.as_str()),
        ),
        (None, Some(sight)) => (Weight::Decisive, sight.fact.clone(), None),
        (None, None) => return None,
    };
    let function = facts.culprit().function.as_deref();
    let meaning = words
        .and_then(|words| CHECKS.meaning(words))
        .or_else(|| CHECKS.of_function(function?));
    let is_victim = meaning.as_ref().is_some_and(|it| it.victim);
    let headline = headline(facts, words, meaning.as_ref());
    let claim = words.map_or_else(
        || {
            "The crashed thread is in a function that is only called when a check has failed."
                .to_owned()
        },
        |words| format!("The last words were `{}`.", first_line(words)),
    );
    let weight = if is_victim { Weight::Weak } else { weight };
    let suspicion = Suspicion::new(Cause::CheckFailure, headline).supported(weight, fact, claim);
    let suspicion = with_doubts(suspicion, facts, said.as_ref().map(|(fact, _)| fact));
    Some(with_remedies(suspicion, facts, meaning.as_ref()))
}

fn with_remedies(suspicion: Suspicion, facts: &Facts<'_>, meaning: Option<&Meaning>) -> Suspicion {
    let blamed = blame::blamed(facts, meaning);
    let advice = meaning.and_then(|it| it.advice.as_deref());
    let mut suspicion = blame::with(suspicion, facts, &blamed, advice);
    if call::is_custom_op(facts) {
        suspicion = suspicion.remedy(Remedy::new(
            "In the kernel, test the inputs with OP_REQUIRES first: it raises a Python exception instead.",
        ));
    }
    if facts.capture().source == CaptureSource::Text && facts.culprit().python.is_none() {
        suspicion = suspicion.remedy(
            Remedy::new("Run it under crashlens to see which line and which op called the check.")
                .command(Again::under_crashlens()),
        );
    }
    suspicion
}

fn headline(facts: &Facts<'_>, words: Option<&str>, meaning: Option<&Meaning>) -> String {
    let speaker = words
        .and_then(speaker)
        .filter(|_| !call::has_subject(facts));
    let subject = speaker.map_or_else(|| call::subject(facts), str::to_owned);
    let subject = capitalised(&subject);
    match (meaning, words) {
        (Some(meaning), _) => format!("{subject} gave up: {}", meaning.means),
        (None, Some(words)) => format!("{subject} gave up: `{}`", shortened(condition(words))),
        (None, None) => format!("{subject} gave up because a check of its own failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{Confidence, weigh};
    use crate::fixtures;
    use crate::known_issues::KnownIssues;

    fn judged(id: &str) -> Option<(Suspicion, Confidence)> {
        let capture = fixtures::load(id);
        let facts = Facts::new(&capture, KnownIssues::built_in());
        let suspicion = judge(&facts)?;
        let confidence = weigh(&suspicion.evidence)?;
        Some((suspicion, confidence))
    }

    #[test]
    fn an_assertion_of_the_allocator_names_a_victim() {
        let (_, confidence) = judged("near/malloc-assertion").unwrap();
        assert_eq!(confidence, Confidence::Possible);
    }

    #[test]
    fn a_check_before_another_end_is_not_certain() {
        let (_, confidence) = judged("near/check-then-another-run").unwrap();
        assert_eq!(confidence, Confidence::Likely);
    }

    #[test]
    fn the_argument_that_holds_the_huge_sizes_is_named() {
        let (suspicion, _) = judged("captures/irfft2d-overflow-2.15.1").unwrap();
        let actions: Vec<&str> = suspicion
            .remedies
            .iter()
            .map(|it| it.action.as_str())
            .collect();
        let wanted = "`fft_length` is [2147483647, 2147483647]";
        assert!(actions.iter().any(|it| it.contains(wanted)), "{actions:?}");
        assert!(
            !actions.iter().any(|it| it.contains("`input`")),
            "{actions:?}"
        );
    }
}
