use super::*;

/// What every page has, in this order.
const SECTIONS: [&str; 5] = [
    "## What happened",
    "## Evidence for",
    "## Evidence against",
    "## Fix",
    "## References",
];

#[test]
fn ids_and_names_are_unique_and_of_their_family() {
    let mut seen = Vec::new();
    for family in FAMILIES {
        for rule in family.rules {
            assert!(rule.id.starts_with(family.letters), "{}", rule.id);
            for word in [rule.id, rule.name] {
                assert!(!seen.contains(&word), "{word} stands twice");
                seen.push(word);
            }
            assert!(!rule.causes.is_empty(), "{} names no cause", rule.id);
        }
    }
}

#[test]
fn every_page_has_its_sections_in_order() {
    for rule in all() {
        let title = format!("# {}\n", rule.name);
        assert!(rule.doc.starts_with(&title), "{}: the title", rule.id);
        let mut rest = rule.doc;
        for section in SECTIONS {
            let at = rest.find(section);
            let at = at.unwrap_or_else(|| panic!("{}: {section} is missing", rule.id));
            rest = &rest[at..];
        }
    }
}

#[test]
fn every_cause_has_a_rule() {
    let missing: Vec<_> = crate::cause::Cause::ALL
        .iter()
        .filter(|cause| !all().any(|rule| rule.causes.contains(cause)))
        .collect();
    assert!(missing.is_empty(), "no rule names {missing:?}");
}
