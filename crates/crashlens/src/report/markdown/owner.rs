//! Whose report it is: home folders and names of users, which strangers need not read.

use std::collections::BTreeSet;

use crashlens_core::Report;

/// Shorter names occur in other words too often.
const SHORTEST: usize = 3;
/// Nobody's own name.
const NOBODYS: [&str; 1] = ["root"];

/// The user who runs crashlens.
#[derive(Debug)]
pub(crate) struct Owner {
    home: String,
    name: String,
}

impl Owner {
    /// As the environment says.
    pub(crate) fn of_this_process() -> Self {
        let variable = |name| std::env::var(name).ok();
        Self::new(
            &variable("HOME").unwrap_or_default(),
            &variable("USER")
                .or_else(|| variable("LOGNAME"))
                .unwrap_or_default(),
        )
    }

    pub(super) fn new(home: &str, name: &str) -> Self {
        Self {
            home: home.trim_end_matches('/').to_owned(),
            name: name.to_owned(),
        }
    }

    /// `~` in the place of home folders, and `user` in the place of the names of their owners.
    pub(super) fn mask(&self, text: &str, report: &Report) -> String {
        let words = other_words(report);
        let mut names = owners_of_homes(text);
        names.insert(self.name.clone());
        names.extend(self.home.rsplit('/').next().map(str::to_owned));
        names.retain(|name| {
            name.len() >= SHORTEST
                && !NOBODYS.contains(&name.as_str())
                && !words.contains(name.as_str())
        });
        let mut text = without_homes(text, &self.home);
        for name in &names {
            text = without_name(&text, name);
        }
        text
    }
}

/// Names of programs and packages: a user who is called like one is not masked, since the report would lose its sense.
fn other_words(report: &Report) -> BTreeSet<&str> {
    let mut words = BTreeSet::from(["python", "user", "home"]);
    for death in &report.deaths {
        let program = death
            .command
            .first()
            .and_then(|path| path.rsplit('/').next());
        words.extend(program);
        let modules = death.modules.iter().flatten();
        words.extend(modules.filter_map(|it| Some(it.package.as_ref()?.name.as_str())));
    }
    let findings = report.inspections.iter().flat_map(|it| &it.findings);
    words.extend(
        findings
            .flat_map(|it| &it.packages)
            .map(|it| it.name.as_str()),
    );
    words
}

/// `ada` of `/home/ada/x` and `/Users/ada/x`.
fn owners_of_homes(text: &str) -> BTreeSet<String> {
    let places = ["/home/", "/Users/"];
    let homes = places.iter().flat_map(|place| text.split(place).skip(1));
    let names = homes.filter_map(|rest| rest.split_once('/').map(|(name, _)| name));
    names
        .filter(|name| !name.is_empty() && name.chars().all(is_of_name))
        .map(str::to_owned)
        .collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || "._-".contains(letter)
}

/// The name as a word of its own becomes `user`.
fn without_name(text: &str, name: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at(at);
        let after = from.get(name.len()..).unwrap_or_default();
        let follows = before
            .chars()
            .next_back()
            .or_else(|| masked.chars().next_back());
        let is_word = !follows.is_some_and(char::is_alphanumeric)
            && !after.starts_with(char::is_alphanumeric);
        masked.push_str(before);
        masked.push_str(if is_word { "user" } else { name });
        rest = after;
    }
    masked.push_str(rest);
    masked
}

/// `~` in the place of home folders: that of this user, and whatever else looks like one.
fn without_homes(text: &str, home: &str) -> String {
    let mut text = text.to_owned();
    if home.len() > 1 {
        text = text.replace(&format!("{home}/"), "~/");
    }
    let mut masked = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("/home/") {
        let (before, from_home) = rest.split_at(at);
        masked.push_str(before);
        let name = from_home.get("/home/".len()..).unwrap_or_default();
        let end = name.find(|letter: char| !(letter.is_alphanumeric() || "._-".contains(letter)));
        let is_top = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '/');
        match end {
            Some(end) if is_top && end > 0 && name[end..].starts_with('/') => {
                masked.push('~');
                rest = &name[end..];
            }
            _ => {
                masked.push_str("/home/");
                rest = name;
            }
        }
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use crashlens_core::Run;

    use super::*;

    fn masked(text: &str, home: &str, name: &str) -> String {
        let report = Report::of_deaths(Run::default(), Vec::new());
        Owner::new(home, name).mask(text, &report)
    }

    #[test]
    fn homes_are_masked_and_nothing_else() {
        assert_eq!(
            masked("/srv/me/venv, /home/ada/venv, /home/", "/srv/me/", ""),
            "~/venv, ~/venv, /home/"
        );
        assert_eq!(without_homes("/mnt/home/ada/x", ""), "/mnt/home/ada/x");
    }

    #[test]
    fn names_of_users_are_masked_where_they_are_words() {
        assert_eq!(
            masked("/tmp/ada-job/x, adam, /data/ada, ada@host", "/root", "ada"),
            "/tmp/user-job/x, adam, /data/user, user@host"
        );
        let elsewhere = "/Users/grace/x is of grace, not of graceful";
        assert_eq!(
            masked(elsewhere, "/root", "root"),
            "/Users/user/x is of user, not of graceful"
        );
        assert_eq!(masked("root python", "/root", "python"), "root python");
    }
}
