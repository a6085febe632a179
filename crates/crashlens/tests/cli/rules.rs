use crate::{output, stderr, stdout};

/// Ids and names of all rules.
fn whole_book() -> impl Iterator<Item = (&'static str, &'static str)> {
    crashlens_core::book::all().map(|rule| (rule.id, rule.name))
}

#[test]
fn the_list_names_every_rule_by_family() {
    let output = output(&["rules"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for family in crashlens_core::book::families() {
        assert!(
            family.rules.is_empty() || text.contains(family.title),
            "{} is missing",
            family.title
        );
    }
    for (id, name) in whole_book() {
        assert!(text.contains(id), "{id} is missing");
        assert!(text.contains(name), "{name} is missing");
    }
}

#[test]
fn every_page_fits_80_columns_but_for_what_is_to_be_copied() {
    for (id, _) in whole_book() {
        let output = output(&["rules", id]);
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        assert!(!text.contains("## "), "{id}: Markdown is left");
        let prose = text.lines().filter(|line| line.contains(' '));
        for line in prose.filter(|line| !line.starts_with("    ")) {
            let is_one_word = line.trim().trim_start_matches("- ").split(' ').count() == 1;
            let width = line.chars().count();
            assert!(width <= 80 || is_one_word, "{id}: {width} columns: {line}");
        }
    }
}

#[test]
fn a_rule_is_found_by_id_and_by_name_in_any_case() {
    let page = stdout(&output(&["rules", "VER001"]));
    assert_eq!(page, stdout(&output(&["rules", "ver001"])));
    assert_eq!(page, stdout(&output(&["rules", "Insufficient-Evidence"])));
    assert!(page.contains("What happened"));
}

#[test]
fn programs_get_the_book_as_json() {
    let all: serde_json::Value =
        serde_json::from_str(&stdout(&output(&["rules", "--format", "json"]))).unwrap();
    assert_eq!(all["schema"], "crashlens.rules/1");
    assert_eq!(all["rules"].as_array().unwrap().len(), whole_book().count());
    let one: serde_json::Value =
        serde_json::from_str(&stdout(&output(&["rules", "VER001", "--format", "json"]))).unwrap();
    assert_eq!(one["rules"].as_array().unwrap().len(), 1);
    assert_eq!(one["rules"][0]["name"], "insufficient-evidence");
    assert!(
        one["rules"][0]["page"]
            .as_str()
            .unwrap()
            .contains("## What happened")
    );
}

#[test]
fn an_unknown_rule_is_answered_with_those_like_it() {
    let output = output(&["rules", "insufficient-evidense"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let message = stderr(&output);
    assert!(message.contains("there is no rule insufficient-evidense"));
    assert!(message.contains("insufficient-evidence (VER001)"));
    assert!(message.contains("`crashlens rules` lists all"));
}
