//! How it is seen that a program was leaving: by frames, by the interpreter's records, by words.

use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Sighting, excerpt, is_progress};

/// Lines that the system may write behind the program's last one.
const LINES_OF_AN_END: usize = 2;

/// What the frames and the interpreter's records show.
pub(super) fn seen(facts: &Facts<'_>) -> Option<(Weight, FactRef, String)> {
    let frame = facts.leaving_frame();
    if facts.is_finalizing() {
        if let Some(sight) = frame.or_else(|| facts.ended_thread_frame()) {
            let claim = format!(
                "The interpreter had ended, and {} was running.",
                sight.function()
            );
            return Some((Weight::Decisive, sight.fact, claim));
        }
        let claim = "The interpreter had begun to take itself apart.".to_owned();
        return Some((Weight::Strong, FactRef::Python, claim));
    }
    frame.map(|sight| {
        let claim = format!(
            "{} is on the stack: the program was leaving.",
            sight.function()
        );
        (Weight::Strong, sight.fact, claim)
    })
}

/// What was said about leaving.
pub(super) fn said(facts: &Facts<'_>) -> Option<(Weight, FactRef, String)> {
    let told = |sight: &Sighting<'_>, weight, what: &str| {
        let claim = format!("{what}: \"{}\".", excerpt(sight.text));
        Some((weight, sight.fact.clone(), claim))
    };
    if !facts.may_have_said_it() {
        return None;
    }
    if let Some(sight) = facts.sign("fatal-at-shutdown") {
        return told(
            sight,
            Weight::Decisive,
            "The interpreter said that it was leaving",
        );
    }
    if let Some(sight) = facts.sign("said-finalizing") {
        return told(
            sight,
            Weight::Strong,
            "The interpreter said that it was leaving",
        );
    }
    if let Some(sight) = facts.sign("exception-not-rethrown") {
        return told(
            sight,
            Weight::Strong,
            "A thread was ended from outside, as Python does at exit",
        );
    }
    if let Some(sight) = facts.sign("no-active-exception") {
        return told(
            sight,
            Weight::Weak,
            "A thread was not joined, as at many exits",
        );
    }
    // Text that is cut off before the death ends with anything.
    if !facts.is_text() || facts.own_code_runs() || facts.signal().is_none() {
        return None;
    }
    if let Some(sight) = facts
        .sign("asked-to-leave")
        .filter(|sight| is_last_prompt(facts, sight))
    {
        return told(sight, Weight::Strong, "It had been asked to leave");
    }
    let done = ["tests-passed", "said-done"]
        .iter()
        .find_map(|id| facts.sign(id));
    let done = done
        .filter(|sight| lines_after(facts, sight) <= LINES_OF_AN_END)
        .filter(|sight| !is_progress(sight.text) && !failed_after(facts, sight));
    done.and_then(|sight| {
        told(
            sight,
            Weight::Strong,
            "Its last words were that its work was done",
        )
    })
}

/// Whether a line behind that of `sight` says that something had failed: the work was not done then.
fn failed_after(facts: &Facts<'_>, sight: &Sighting<'_>) -> bool {
    const FAILURES: [&str; 5] = ["FAILED", "Error", "ERROR", "Exception", "failed"];
    let mut lines = facts.lines().skip_while(|(fact, _)| *fact != sight.fact);
    lines.next();
    lines
        .filter(|(_, line)| !line.contains("Fatal Python error") && !line.contains("*** Error in"))
        .any(|(_, line)| FAILURES.iter().any(|word| line.contains(word)))
}

fn is_last_prompt(facts: &Facts<'_>, sight: &Sighting<'_>) -> bool {
    let last = facts
        .lines()
        .rfind(|(_, line)| line.starts_with(">>> ") || line.starts_with("In ["));
    last.is_some_and(|(fact, _)| fact == sight.fact)
}

/// Lines with words between that of `sight` and the first one about the end.
fn lines_after(facts: &Facts<'_>, sight: &Sighting<'_>) -> usize {
    let after = facts
        .lines()
        .skip_while(|(fact, _)| *fact != sight.fact)
        .skip(1);
    let FactRef::StderrLine { line: said } = sight.fact else {
        return usize::MAX;
    };
    let told = facts.messages().iter().filter_map(|message| message.line);
    let end = told.filter(|line| *line > said).min();
    let is_before = |fact: &FactRef| match (fact, end) {
        (FactRef::StderrLine { line }, Some(end)) => *line <= end,
        _ => true,
    };
    after
        .take_while(|(fact, _)| is_before(fact))
        .filter(|(_, line)| !line.trim().is_empty())
        .count()
}
