//! Opens a page in the user's browser.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::harmless;

/// Prints where the page is, and opens it where there is a browser. Without one the path is enough.
pub(super) fn open(page: &Path) -> Result<ExitStatus, Failure> {
    let shown = page.display().to_string();
    writeln!(io::stdout(), "{}", harmless::escaped(&shown))
        .map_err(|error| Failure::writing("standard output", &error, ExitStatus::NoReport))?;
    // A relative path may begin with a dash, and browsers take no `--`.
    let page = std::path::absolute(page).unwrap_or_else(|_| page.to_owned());
    let variable = std::env::var_os("BROWSER");
    let has_opened = browsers(variable).any(|browser| starts_and_ends_well(&browser, &page));
    if !has_opened && has_desktop() {
        hand_to_desktop(&page);
    }
    Ok(ExitStatus::Success)
}

/// The programs of `$BROWSER`, which are parted by colons. A program may have words of its own.
fn browsers(variable: Option<OsString>) -> impl Iterator<Item = Vec<String>> {
    let names = variable.unwrap_or_default().to_string_lossy().into_owned();
    let commands: Vec<Vec<String>> = names
        .split(':')
        .map(|name| name.split_whitespace().map(str::to_owned).collect())
        .collect();
    commands
        .into_iter()
        .filter(|words: &Vec<String>| !words.is_empty())
}

/// It may be a program for the terminal, so it gets ours and is waited for.
fn starts_and_ends_well(browser: &[String], page: &Path) -> bool {
    let Some((program, words)) = browser.split_first() else {
        return false;
    };
    let mut command = Command::new(program);
    let has_place = words.iter().any(|word| word == "%s");
    for word in words {
        match word.as_str() {
            "%s" => command.arg(page),
            word => command.arg(word),
        };
    }
    if !has_place {
        command.arg(page);
    }
    command.status().is_ok_and(|status| status.success())
}

fn has_desktop() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Not waited for: it may be the browser itself.
fn hand_to_desktop(page: &Path) {
    let mut command = Command::new("xdg-open");
    command.arg(page);
    let silent = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _ = silent.spawn();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_programs_with_their_words() {
        let named: Vec<Vec<String>> = browsers(Some("firefox --new-tab %s::w3m".into())).collect();
        assert_eq!(named, [vec!["firefox", "--new-tab", "%s"], vec!["w3m"]]);
        assert_eq!(browsers(None).count(), 0);
    }
}
