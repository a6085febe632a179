//! A C++ exception left the code that threw it, and nobody caught it.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::ops::blame::Blamed;
use crate::rules::death::ops::escape::{
    GIVING_UP, nobody_caught, own_code, translated_without_lock,
};
use crate::rules::death::ops::meanings::{EXCEPTIONS, Meaning};
use crate::rules::death::ops::thrown::Thrown;
use crate::rules::death::ops::{blame, call};

pub(super) static RULE: Rule = Rule {
    id: "OPS002",
    name: "escaped-exception",
    summary: "A C++ exception left the code that should have caught it, and ended the process.",
    causes: &[Cause::EscapedException],
    since: "0.1.0",
    doc: include_str!("escaped_exception.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let thrown = Thrown::of(facts);
    let evidence = translated_without_lock(facts, thrown.as_ref())
        .or_else(|| nobody_caught(facts, thrown.as_ref()))?;
    let meaning = thrown
        .as_ref()
        .and_then(|it| EXCEPTIONS.meaning(&it.words()));
    let blamed = blame::blamed(facts, meaning.as_ref());
    let headline = headline(facts, thrown.as_ref(), meaning.as_ref(), &blamed);
    let mut suspicion = Suspicion::new(Cause::EscapedException, headline);
    for (weight, fact, claim) in evidence {
        suspicion = suspicion.supported(weight, fact, claim);
    }
    let exception = facts.capture().testimony.exception.known();
    let mut origins = exception.into_iter().flat_map(|it| &it.thrown_from);
    if let Some(origin) = origins.find_map(|function| own_code(function)) {
        let claim = format!("It was thrown in `{origin}`.");
        suspicion = suspicion.supported(Weight::Weak, FactRef::Exception, claim);
    }
    let interpreter = call::ended_by_interpreter(facts);
    if let Some(sight) = interpreter.filter(|_| facts.frame_calling(&GIVING_UP).is_none()) {
        let claim = format!(
            "It was `{}` that ended the process.",
            call::short(sight.function())
        );
        suspicion = suspicion.opposed(Weight::Decisive, sight.fact, claim);
    }
    let advice = meaning.as_ref().and_then(|it| it.advice.as_deref());
    suspicion = blame::with(suspicion, facts, &blamed, advice);
    if call::is_custom_op(facts) {
        suspicion = suspicion.remedy(Remedy::new(
            "In the kernel, catch the exception and report it with OP_REQUIRES or context->SetStatus.",
        ));
    }
    Some(suspicion)
}

fn headline(
    facts: &Facts<'_>,
    thrown: Option<&Thrown<'_>>,
    meaning: Option<&Meaning>,
    blamed: &[Blamed],
) -> String {
    let name = thrown.map_or_else(
        || "A C++ exception".to_owned(),
        |it| format!("The C++ exception `{}`", it.type_name),
    );
    let whose = match (&facts.culprit().op, facts.op_function()) {
        (Some(op), _) => format!("left the op `{op}` uncaught"),
        (None, Some(frame)) => format!("left the op of `{}` uncaught", frame.function),
        (None, None) => "was not caught".to_owned(),
    };
    match (blamed.first(), meaning) {
        (Some(argument), _) => format!("{name} {whose}: {}", argument.what),
        (None, Some(meaning)) => format!("{name} {whose}: {}", meaning.means),
        (None, None) => format!("{name} {whose}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{Confidence, weigh};
    use crate::known_issues::KnownIssues;
    use crate::sample::{self, native, thread};

    #[test]
    fn words_about_an_exception_are_a_childs_where_another_library_aborts() {
        let words = "terminate called after throwing an instance of 'std::runtime_error'";
        let confidence = |names: [&str; 3]| {
            let frames = names.iter().map(|name| native(name)).collect();
            let capture = sample::capture(vec![thread(1, frames)], &[words]);
            let facts = Facts::new(&capture, KnownIssues::built_in());
            weigh(&judge(&facts)?.evidence)
        };
        assert_eq!(confidence(["abort", "give_up", "work"]), None);
        let escaped = confidence(["abort", "std::terminate()", "work"]);
        assert_eq!(escaped, Some(Confidence::Certain));
    }
}
