//! Links and headings of Markdown pages.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link or an image.
pub struct Link {
    pub destination: String,
    /// From 1.
    pub line: usize,
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// All links of a page, in their order.
pub fn links(text: &str) -> Vec<Link> {
    let destinations = parser(text)
        .into_offset_iter()
        .filter_map(|(event, place)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some((dest_url, place.start))
            }
            _ => None,
        });
    destinations
        .map(|(destination, start)| Link {
            destination: destination.into_string(),
            line: 1 + text[..start].matches('\n').count(),
        })
        .collect()
}

/// The fragments that lead to the headings of a page, as GitHub and mdBook make them.
pub fn anchors(text: &str) -> HashSet<String> {
    let mut anchors = HashSet::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut heading = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let earlier = counts.entry(anchor.clone()).or_default();
                anchors.insert(match *earlier {
                    0 => anchor,
                    nth => format!("{anchor}-{nth}"),
                });
                *earlier += 1;
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let letters = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    letters.flat_map(char::to_lowercase).collect()
}

/// The file and the fragment that a link on `page` leads to, or nothing for a link that leaves the repository.
pub fn target<'a>(page: &Path, destination: &'a str) -> Option<(PathBuf, Option<&'a str>)> {
    let has_scheme = destination
        .split_once(':')
        .is_some_and(|(scheme, _)| !scheme.contains(['/', '#', '.']));
    if has_scheme {
        return None;
    }
    let (file, fragment) = match destination.split_once('#') {
        Some((file, fragment)) => (file, Some(fragment)),
        None => (destination, None),
    };
    if file.is_empty() {
        return Some((page.to_owned(), fragment));
    }
    let mut path = page.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir if path.file_name().is_some() => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    Some((path, fragment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_gets_the_fragment_that_github_gives_it() {
        let page = "# Add a *sign*: `x_y`\n\n## Again\n\n## Again\n";
        let mut anchors: Vec<_> = anchors(page).into_iter().collect();
        anchors.sort();
        assert_eq!(anchors, ["add-a-sign-x_y", "again", "again-1"]);
    }

    #[test]
    fn links_in_code_are_not_links() {
        let found = links("a\n[b](c.md)\n\n```\n[d](e.md)\n```\n`[f](g.md)`\n");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].destination.as_str(), found[0].line), ("c.md", 2));
    }

    #[test]
    fn a_destination_is_relative_to_its_page() {
        let page = Path::new("docs/a.md");
        let file = |path: &str| PathBuf::from(path);
        assert_eq!(
            target(page, "../b/c.md#d"),
            Some((file("b/c.md"), Some("d")))
        );
        assert_eq!(target(page, "#d"), Some((file("docs/a.md"), Some("d"))));
        assert_eq!(target(page, "../../x"), Some((file("../x"), None)));
        assert_eq!(target(page, "https://example.org"), None);
        assert_eq!(target(page, "mailto:a@example.org"), None);
    }
}
