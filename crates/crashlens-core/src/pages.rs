//! What the pages of all rules about environments and files have in common; only tests ask.

/// What every page has, in this order.
const SECTIONS: [&str; 5] = [
    "## What it finds",
    "## How it is told",
    "## What would refute it",
    "## Fix",
    "## References",
];

/// Fails unless a page has its title and its sections in order.
pub(crate) fn assert_whole(id: &str, name: &str, page: &str) {
    let title = format!("# {name}\n");
    assert!(page.starts_with(&title), "{id}: the title");
    let mut rest = page;
    for section in SECTIONS {
        let at = rest.find(section);
        let at = at.unwrap_or_else(|| panic!("{id}: {section} is missing"));
        rest = &rest[at..];
    }
}

/// Fails unless every id begins with the letters of its family, and no id or name stands twice.
pub(crate) fn assert_unique<'a>(rules: impl Iterator<Item = (&'a str, &'a str, &'a str)>) {
    let mut seen: Vec<&str> = Vec::new();
    for (letters, id, name) in rules {
        assert!(id.starts_with(letters), "{id}");
        for word in [id, name] {
            assert!(!seen.contains(&word), "{word} stands twice");
            seen.push(word);
        }
    }
}
