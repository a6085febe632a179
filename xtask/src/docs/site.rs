//! Links of a site on disk.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use html5gum::{Token, Tokenizer};

use crate::markdown;

/// What the links of a page need, and what it offers to them.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    ids: HashSet<String>,
}

/// Links, images, scripts and styles of all pages below `site` that lead nowhere.
pub fn faults(site: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    collect(site, Path::new(""), &mut pages)?;
    let mut faults = Vec::new();
    for (path, page) in &pages {
        for link in &page.links {
            let Some((file, fragment)) = markdown::target(path, link) else {
                continue;
            };
            let is_there = match (pages.get(&file), fragment) {
                (Some(target), Some(fragment)) => target.ids.contains(fragment),
                (Some(_), None) => true,
                (None, _) => site.join(&file).is_file(),
            };
            if !is_there {
                faults.push(format!(
                    "{} has a link to {link}, which does not exist",
                    path.display()
                ));
            }
        }
    }
    Ok(faults)
}

fn collect(site: &Path, folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<()> {
    for entry in fs_err::read_dir(site.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(site, &path, pages)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            pages.insert(path, page(&fs_err::read_to_string(entry.path())?));
        }
    }
    Ok(())
}

fn page(html: &str) -> Page {
    let mut page = Page::default();
    for Ok(token) in Tokenizer::new(html) {
        let Token::StartTag(tag) = token else {
            continue;
        };
        for (name, value) in &tag.attributes {
            let value = String::from_utf8_lossy(value).into_owned();
            match &***name {
                b"id" => {
                    page.ids.insert(value);
                }
                b"href" | b"src" => page.links.push(value),
                _ => {}
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found_on_every_page() {
        let site = tempfile::tempdir().expect("a folder");
        let write = |name: &str, html: &str| {
            fs_err::write(site.path().join(name), html).expect("a page");
        };
        fs_err::create_dir(site.path().join("sub")).expect("a folder");
        write("style.css", "");
        write(
            "a.html",
            "<link href=style.css><h1 id=x>x</h1><a href=\"#x\"></a><a href='https://example.org'></a>",
        );
        write(
            "sub/b.html",
            "<a href='../a.html#x'></a><a href='../a.html#y'></a><img src=c.png>",
        );
        assert_eq!(
            faults(site.path()).expect("readable pages"),
            [
                "sub/b.html has a link to ../a.html#y, which does not exist",
                "sub/b.html has a link to c.png, which does not exist",
            ]
        );
    }
}
