use super::*;

#[test]
fn every_sign_is_complete_and_its_name_is_its_own() {
    let mut ids = Vec::new();
    for sign in &BOOK.signs {
        assert!(!ids.contains(&&sign.id), "{} stands twice", sign.id);
        assert!(
            !sign.source.is_empty() && !sign.seen.is_empty(),
            "{}",
            sign.id
        );
        assert!(!sign.literals.is_empty(), "{}", sign.id);
        for literal in &sign.literals {
            assert!(literal.len() >= 4, "{literal} is in too many lines");
        }
        Regex::new(&sign.pattern).unwrap_or_else(|error| panic!("{}: {error}", sign.id));
        ids.push(&sign.id);
    }
}
