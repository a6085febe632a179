//! What holds for every rule of the book, whatever it judges.

mod deaths;
mod environments;
mod fixtures;

use super::*;

/// What the page of every rule about deaths has, in this order.
const OF_DEATHS: [&str; 5] = [
    "## What happened",
    "## Evidence for",
    "## Evidence against",
    "## Fix",
    "## References",
];
/// What the page of every check has.
const OF_CHECKS: [&str; 5] = [
    "## What it finds",
    "## How it is detected",
    "## What would refute it",
    "## Fix",
    "## References",
];

#[test]
fn ids_and_names_are_unique_and_of_their_family() {
    let mut seen = Vec::new();
    for family in families() {
        for rule in family.rules {
            assert!(rule.id.starts_with(family.letters), "{}", rule.id);
            for word in [rule.id, rule.name] {
                assert!(!seen.contains(&word), "{word} is used twice");
                seen.push(word);
            }
        }
    }
}

#[test]
fn the_rules_of_a_family_are_of_one_kind() {
    for family in families() {
        let kinds: Vec<Kind> = family.rules.iter().map(|rule| rule.kind()).collect();
        let is_one = kinds.windows(2).all(|pair| pair[0] == pair[1]);
        assert!(is_one && !kinds.is_empty(), "{}", family.title);
    }
}

#[test]
fn a_rule_about_deaths_or_environments_names_a_cause() {
    for rule in all().filter(|rule| rule.kind() != Kind::File) {
        assert!(!rule.causes.is_empty(), "{} names no cause", rule.id);
    }
}

#[test]
fn every_page_has_its_sections_in_order() {
    for rule in all() {
        let title = format!("# {}\n", rule.name);
        assert!(rule.doc.starts_with(&title), "{}: the title", rule.id);
        let sections = match rule.kind() {
            Kind::Death => OF_DEATHS,
            Kind::Hazard | Kind::File => OF_CHECKS,
        };
        let mut rest = rule.doc;
        for section in sections {
            let at = rest.find(section);
            let at = at.unwrap_or_else(|| panic!("{}: {section} is missing", rule.id));
            rest = &rest[at..];
        }
    }
}

#[test]
fn every_summary_is_one_short_sentence_of_its_own() {
    let mut seen = Vec::new();
    for rule in all() {
        let (id, summary) = (rule.id, rule.summary);
        assert!(summary.chars().count() <= 120, "{id}: {summary}");
        assert!(summary.ends_with('.'), "{id}: {summary}");
        assert!(!summary.contains(". "), "{id}: two sentences: {summary}");
        // Some names begin small: cuDNN.
        let first = summary.split(' ').next().unwrap_or_default();
        let is_word = first.chars().all(char::is_lowercase);
        assert!(!is_word, "{id}: sentence case: {summary}");
        assert!(!seen.contains(&summary), "{id}: used twice: {summary}");
        assert!(
            !words(rule.doc).contains(&words(summary)),
            "{id}: the page says the same: {summary}"
        );
        seen.push(summary);
    }
}

/// The words of a text, however its lines are broken.
fn words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
