//! Whose report it is: home folders and names of users, which strangers need not read.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crashlens_core::{Report, Run};
use serde_json::Value;

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

    /// The report with `~` in the place of home folders, and `user` in the place of the names of their owners. This is done
    /// before anything is written: in markup, names may be escaped.
    pub(super) fn masked(&self, report: &Report) -> Report {
        let Ok(facts) = serde_json::to_value(report) else {
            return report.clone();
        };
        let mask = Mask {
            home: &self.home,
            names: self.names(&facts, report),
        };
        let masked = |names| {
            let mut facts = facts.clone();
            mask.walk(&mut facts, names, Where::InPaths);
            serde_json::from_value(facts).ok()
        };
        // A user may be called like a word that the form of the report needs.
        masked(Where::Anywhere)
            .or_else(|| masked(Where::InPaths))
            .unwrap_or_else(|| Report::of_deaths(Run::default(), Vec::new()))
    }

    /// Names that are masked: this user's, and those of other homes.
    fn names(&self, facts: &Value, report: &Report) -> BTreeSet<String> {
        let words = other_words(report);
        let mut names = BTreeSet::from([self.name.clone()]);
        for_each_text(facts, &mut |text| names.extend(owners_of_homes(text)));
        names.extend(self.home.rsplit('/').next().map(str::to_owned));
        names.retain(|name| {
            name.len() >= SHORTEST
                && !NOBODYS.contains(&name.as_str())
                && !words.contains(name.as_str())
        });
        names
    }
}

/// What is masked.
struct Mask<'a> {
    home: &'a str,
    names: BTreeSet<String>,
}

/// Where a name is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Anywhere,
    /// Within paths and addresses: elsewhere it may be a word of ours.
    InPaths,
}

impl Mask<'_> {
    /// `of_user`: where names are masked in what the user's program was given and had; `here`: in this value.
    fn walk(&self, facts: &mut Value, of_user: Where, here: Where) {
        match facts {
            Value::String(text) => *text = self.apply(text, here),
            Value::Array(items) => {
                for item in items {
                    self.walk(item, of_user, here);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let there = if is_of_user(name) { of_user } else { here };
                    match value {
                        // A shell knows the sign for home only outside of quotes.
                        Value::String(command) if name == "command" => {
                            *command = self.apply(command, there).replace("'~/", "~/'");
                        }
                        value => self.walk(value, of_user, there),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn apply(&self, text: &str, place: Where) -> String {
        let mut text = without_homes(text, self.home);
        for name in &self.names {
            if text.contains(name) {
                text = text
                    .split_inclusive(char::is_whitespace)
                    .map(|word| {
                        if place == Where::Anywhere || word.contains(['/', '@']) {
                            Cow::Owned(without_name(word, name))
                        } else {
                            Cow::Borrowed(word)
                        }
                    })
                    .collect();
            }
        }
        text
    }
}

/// Whether a member of the report holds what the user's program was given and had: names may stand there anywhere. In
/// other members a name may be a word of ours.
fn is_of_user(member: &str) -> bool {
    const MEMBERS: [&str; 6] = ["argv", "command", "messages", "output", "source", "text"];
    let is_variable = member
        .chars()
        .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_');
    is_variable || MEMBERS.contains(&member)
}

fn for_each_text(facts: &Value, then: &mut impl FnMut(&str)) {
    match facts {
        Value::String(text) => then(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, then)),
        Value::Object(members) => members
            .values()
            .for_each(|value| for_each_text(value, then)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
        let packages = modules.filter_map(|it| Some(it.package.as_ref()?.name.as_str()));
        words.extend(packages.flat_map(words_of));
    }
    let findings = report.inspections.iter().flat_map(|it| &it.findings);
    words.extend(
        findings
            .flat_map(|it| &it.packages)
            .flat_map(|it| words_of(&it.name)),
    );
    words
}

/// `tensorflow-cpu` and `tensorflow`: folders are called like a part of the name.
fn words_of(package: &str) -> impl Iterator<Item = &str> {
    std::iter::once(package).chain(package.split(['-', '_', '.']))
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
    let text = if home.len() > 1 {
        replaced(text, home, |_| Some(0))
    } else {
        Cow::Borrowed(text)
    };
    let name_in = |rest: &str| {
        let end = rest
            .find(|letter| !is_of_name(letter))
            .unwrap_or(rest.len());
        (end > 0).then_some(end)
    };
    replaced(&text, "/home/", name_in).into_owned()
}

/// `~` in the place of every `start` where a path begins, with as many bytes of what follows as `end` says, up to the end of a
/// part of the path.
fn replaced<'a>(text: &'a str, start: &str, end: impl Fn(&str) -> Option<usize>) -> Cow<'a, str> {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(start) {
        let (before, from) = rest.split_at(at);
        let after = from.get(start.len()..).unwrap_or_default();
        let last = before
            .chars()
            .next_back()
            .or_else(|| masked.chars().next_back());
        let begins = !last.is_some_and(|letter| is_of_name(letter) || letter == '/');
        let behind = end(after).and_then(|end| after.get(end..));
        masked.push_str(before);
        if let Some(behind) = behind.filter(|it| begins && !it.starts_with(is_of_name)) {
            masked.push('~');
            rest = behind;
        } else {
            masked.push_str(start);
            rest = after;
        }
    }
    if masked.is_empty() {
        return Cow::Borrowed(text);
    }
    masked.push_str(rest);
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    /// What becomes of an argument of the program.
    fn masked(text: &str, home: &str, name: &str) -> String {
        let run = Run {
            argv: vec![text.to_owned()],
            ..Run::default()
        };
        let report = Report::of_deaths(run, Vec::new());
        Owner::new(home, name).masked(&report).run.argv.remove(0)
    }

    #[test]
    fn homes_are_masked_and_nothing_else() {
        assert_eq!(
            masked("/srv/me/venv, /home/ada/venv, /home/", "/srv/me/", ""),
            "~/venv, ~/venv, /home/"
        );
        assert_eq!(without_homes("/mnt/home/ada/x", ""), "/mnt/home/ada/x");
        for (text, without) in [
            ("'/srv/me' /srv/me: /srv/me", "'~' ~: ~"),
            ("['/srv/me/a.csv', '/home/ada']", "['~/a.csv', '~']"),
            (
                "/mnt/srv/me/x /srv/me2 /srv/me-old/x",
                "/mnt/srv/me/x /srv/me2 /srv/me-old/x",
            ),
        ] {
            assert_eq!(masked(text, "/srv/me", ""), without);
        }
    }

    #[test]
    fn a_home_is_masked_whatever_is_in_its_name() {
        let inspection = |path: &str| {
            let seen = crashlens_core::inspection::Seen {
                what: "Python".to_owned(),
                value: format!("3.11.7, {path}/venv/bin/python"),
            };
            crashlens_core::Inspection {
                overview: vec![seen],
                ..example::inspection(2)
            }
        };
        let report = Report::of_inspections(vec![inspection("/home/john_doe")]);
        let masked = Owner::new("/home/john_doe", "john_doe").masked(&report);
        assert_eq!(masked.inspections[0].overview, inspection("~").overview);
    }

    #[test]
    fn words_of_a_report_are_not_taken_for_names() {
        let report = Report::of_inspections(vec![example::inspection(2)]);
        let without_names = Owner::new("", "").masked(&report);
        for name in ["can", "python", "built", "native", "null", "tensorflow"] {
            let masked = Owner::new("", name).masked(&report);
            assert_eq!(masked, without_names, "{name}");
        }
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
