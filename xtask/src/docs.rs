//! `cargo xtask docs`: the pages of `docs/` as a site with a search, made by mdBook, and a check of its links.

mod site;

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::tools::Tool;
use crate::{command, markdown, workspace};

const MDBOOK: Tool = Tool {
    name: "mdbook",
    version: "0.5.4",
    features: &["search"],
};

/// Where readers of the site find the files that are not part of it.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main");

pub fn run() -> Result<()> {
    let mdbook = MDBOOK.installed()?;
    let folder = workspace::target().join("docs");
    let (source, site) = (folder.join("source"), folder.join("site"));
    copy_pages(&source)?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&source).arg("--dest-dir").arg(&site);
    command::succeed(&mut build)?;
    let faults = site::faults(&site)?;
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} broken links", faults.len());
    println!("built {}", site.join("index.html").display());
    Ok(())
}

/// Copies the pages to `source`, with links that are right on the site.
fn copy_pages(source: &Path) -> Result<()> {
    if source.exists() {
        fs_err::remove_dir_all(source)?;
    }
    let pages = workspace::tracked_files()?;
    let pages = pages.iter().filter(|path| path.starts_with("docs"));
    for path in pages {
        let Ok(text) = fs_err::read_to_string(workspace::root().join(path)) else {
            continue;
        };
        let copy = source.join(path);
        if let Some(folder) = copy.parent() {
            fs_err::create_dir_all(folder)?;
        }
        // The table of contents names files.
        let is_page = !path.ends_with("SUMMARY.md");
        let text = if is_page { for_site(path, &text) } else { text };
        fs_err::write(copy, text)?;
    }
    fs_err::copy(
        workspace::root().join("book.toml"),
        source.join("book.toml"),
    )?;
    Ok(())
}

/// A page whose links out of `docs/` lead to the repository, and those to a README to the page that mdBook makes of it.
fn for_site(page: &Path, text: &str) -> String {
    let mut copy = text.to_owned();
    for link in markdown::links(text) {
        let destination = link.destination;
        let Some((path, fragment)) = markdown::target(page, &destination) else {
            continue;
        };
        let fragment = fragment.map_or_else(String::new, |fragment| format!("#{fragment}"));
        let address = if !path.starts_with("docs") {
            format!("{REPOSITORY}/{}{fragment}", path.display())
        } else if path.file_name().is_some_and(|name| name == "README.md") {
            // mdBook makes an index.html of it, and leaves links to it as they are.
            destination.replace("README.md", "index.md")
        } else {
            continue;
        };
        copy = copy.replace(&format!("]({destination})"), &format!("]({address})"));
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_documentation_lead_to_the_repository() {
        let page = "[a](cli.md#x) [b](../corpus) [c](../README.md#d)\n";
        assert_eq!(
            for_site(Path::new("docs/a.md"), page),
            format!("[a](cli.md#x) [b]({REPOSITORY}/corpus) [c]({REPOSITORY}/README.md#d)\n")
        );
    }

    #[test]
    fn links_to_a_readme_lead_to_an_index() {
        let page = Path::new("docs/a.md");
        assert_eq!(
            for_site(page, "[a](rules/README.md#x)"),
            "[a](rules/index.md#x)"
        );
    }
}
