//! `cargo lab pages`: shows reports in a real Chromium, and asserts that they run nothing, ask for nothing, and fit.
//!
//! The pages and pictures of them stay below `target/pages/`, to be looked at.

mod chromium;
mod scenes;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use self::chromium::{Chromium, Look};
use self::scenes::Scene;
use crate::workspace;

/// A page may be attached to an issue or a mail.
const LARGEST: u64 = 300_000;

#[derive(clap::Args)]
pub struct Options {
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    pub crashlens: Option<PathBuf>,
}

/// What is asked of a page that is shown. All of it is read through the browser.
const QUESTION: &str = r##"(() => {
    const all = [...document.querySelectorAll("*")];
    const report = document.getElementById("crashlens-report");
    const ids = new Set(all.map(it => it.id).filter(it => it));
    const links = [...document.links].map(it => it.getAttribute("href"));
    return JSON.stringify({
        schema: JSON.parse(report.textContent).schema,
        scripts: document.scripts.length,
        script: document.scripts[0].type,
        foreign: all.filter(it => ["IMG", "IFRAME", "OBJECT", "EMBED", "FORM", "BASE", "LINK"].includes(it.tagName)).length,
        handlers: all.filter(it => [...it.attributes].some(a => a.name.startsWith("on"))).length,
        styles: all.filter(it => it.hasAttribute("style")).length,
        leaving: links.filter(it => !it.startsWith("#")).length,
        dangling: links.filter(it => !ids.has(it.slice(1))),
        planted: typeof window.planted,
        width: document.documentElement.scrollWidth,
        room: document.documentElement.clientWidth,
        back: getComputedStyle(document.body).backgroundColor,
        folded: document.querySelectorAll("details:not([open])").length,
        hidden: [...document.querySelectorAll("details:not([open])>:not(summary)")]
            .filter(it => !it.checkVisibility({contentVisibilityAuto: true})).length,
        text: document.body.innerText.length,
    });
})()"##;

/// Follows each link of the page, and returns those whose place is still folded afterwards.
const FOLLOW: &str = r"(async () => {
    const missed = [];
    for (const link of document.links) {
        const place = document.getElementById(link.getAttribute('href').slice(1));
        link.click();
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        if (!place || !place.checkVisibility({contentVisibilityAuto: true})) missed.push(link.href);
    }
    return JSON.stringify(missed);
})()";

pub fn run(options: &Options) -> Result<()> {
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    let folder = workspace::target().join("pages");
    fs_err::create_dir_all(&folder)?;
    let mut chromium = Chromium::start()?;
    for scene in scenes::all(&folder)? {
        let page = scene.write(&crashlens, &folder)?;
        let seen = look_at(&mut chromium, &scene, &page, &folder)
            .with_context(|| format!("page {}", page.display()))?;
        println!("{:<12}{seen}", scene.name);
    }
    chromium.end()
}

fn look_at(chromium: &mut Chromium, scene: &Scene, page: &Path, folder: &Path) -> Result<String> {
    let size = fs_err::metadata(page)?.len();
    ensure!(size <= LARGEST, "{size} bytes");
    let mut backs = Vec::new();
    for look in [Look::Light, Look::Dark, Look::Phone] {
        let mut shown = chromium.show(page, look)?;
        let answer = shown.answer(QUESTION)?;
        is_well(&answer, look)?;
        backs.push(answer["back"].clone());
        let picture = folder.join(format!("{}-{}.png", scene.name, look.name()));
        fs_err::write(picture, shown.picture()?)?;
        if look == Look::Light {
            let missed = shown.answer(FOLLOW)?;
            ensure!(missed == json!([]), "links lead to folded places: {missed}");
        }
        shown.close_quiet()?;
    }
    ensure!(backs[0] != backs[1], "light and dark look the same");
    let mut shown = chromium.show(page, Look::Print)?;
    let answer = shown.answer(QUESTION)?;
    ensure!(
        answer["hidden"] == 0,
        "folded text is not printed: {answer}"
    );
    let printed = shown.print()?;
    ensure!(printed.starts_with(b"%PDF"), "printing gave no PDF");
    fs_err::write(folder.join(format!("{}.pdf", scene.name)), &printed)?;
    shown.close_quiet()?;
    Ok(format!(
        "{} KiB, {} KiB printed",
        size / 1024,
        printed.len() / 1024
    ))
}

/// What has to hold on every screen.
fn is_well(answer: &Value, look: Look) -> Result<()> {
    let expected = [
        ("schema", json!("crashlens.report/1")),
        ("scripts", json!(1)),
        ("script", json!("application/json")),
        ("foreign", json!(0)),
        ("handlers", json!(0)),
        ("styles", json!(0)),
        ("leaving", json!(0)),
        ("dangling", json!([])),
        ("planted", json!("undefined")),
    ];
    for (name, value) in expected {
        ensure!(
            answer[name] == value,
            "{name} is {} ({})",
            answer[name],
            look.name()
        );
    }
    ensure!(
        answer["width"].as_u64() <= answer["room"].as_u64(),
        "the page is {} wide and has room for {} ({})",
        answer["width"],
        answer["room"],
        look.name()
    );
    ensure!(answer["text"].as_u64() > Some(100), "the page is empty");
    Ok(())
}
