//! Commands that run the user's program again in another way.

use super::{Crashlens, Place};
use crate::capture::System;
use crate::shell;

/// What stands for the script where its name is not known.
const SCRIPT: &str = "your_script.py";

/// The program again, with other variables, flags of Python, or below another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// Whose Python; `None` before that is known.
    pub(super) place: Option<Place>,
    /// For which shell.
    pub(super) system: System,
    /// In the order of the command line.
    before: Vec<Prefix>,
    /// Flags of the interpreter.
    flags: &'static str,
    /// What reads its output.
    after: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Prefix {
    Set(String, String),
    Unset(String),
    Crashlens,
    Words(String),
}

impl Again {
    /// The program as it was started.
    #[expect(clippy::new_without_default, reason = "a default run says nothing")]
    pub fn new() -> Self {
        Self {
            place: None,
            system: System::Linux,
            before: Vec::new(),
            flags: "",
            after: "",
        }
    }

    /// The program below `crashlens run`.
    pub fn under_crashlens() -> Self {
        Self::new().watched()
    }

    /// With a variable set to a value of our own.
    #[must_use]
    pub fn set(self, name: &'static str, value: &'static str) -> Self {
        self.before(Prefix::Set(name.to_owned(), value.to_owned()))
    }

    /// With a variable set to a foreign value, where that can be written on one line.
    pub fn set_foreign(self, name: &str, value: &str) -> Option<Self> {
        let is_name = |name: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.bytes().all(is_plain)
        };
        let is_line = !value.chars().any(char::is_control);
        (is_name(name) && is_line).then(|| self.before(Prefix::Set(name.to_owned(), quoted(value))))
    }

    /// Without a variable.
    #[must_use]
    pub fn unset(self, name: impl Into<String>) -> Self {
        self.before(Prefix::Unset(name.into()))
    }

    /// Below `crashlens run`; variables that come later are the program's alone.
    #[must_use]
    pub fn watched(self) -> Self {
        self.before(Prefix::Crashlens)
    }

    /// Below another program, or after another command: `ulimit -s 65536;`.
    #[must_use]
    pub fn after_words(self, words: impl Into<String>) -> Self {
        self.before(Prefix::Words(words.into()))
    }

    /// With flags of Python.
    #[must_use]
    pub fn flags(mut self, flags: &'static str) -> Self {
        self.flags = flags;
        self
    }

    /// With something that reads its output: `2>&1 | grep numpy`.
    #[must_use]
    pub fn read_by(mut self, reader: &'static str) -> Self {
        self.after = reader;
        self
    }

    fn before(mut self, prefix: Prefix) -> Self {
        self.before.push(prefix);
        self
    }

    /// Whether it works on this system: crashlens runs programs on Linux, and Windows has
    /// neither `ulimit` nor the tools that read outputs.
    pub(super) fn works_on(&self, system: System) -> bool {
        let is_anywhere = |prefix: &Prefix| match prefix {
            Prefix::Set(_, value) => is_plain_on_windows(value),
            Prefix::Unset(_) => true,
            Prefix::Crashlens | Prefix::Words(_) => false,
        };
        // What comes before may be a limit that macOS does not have.
        let is_unix = |prefix: &Prefix| matches!(prefix, Prefix::Set(..) | Prefix::Unset(_));
        match system {
            System::Linux => true,
            System::Macos => self.before.iter().all(is_unix),
            System::Windows => self.after.is_empty() && self.before.iter().all(is_anywhere),
        }
    }

    /// For both of its shells, which set variables in different ways.
    fn render_for_windows(&self) -> String {
        let set = self.before.iter().filter_map(|prefix| match prefix {
            Prefix::Set(name, value) => Some(format!("set {name}={value}&& ")),
            Prefix::Unset(name) => Some(format!("set {name}=&& ")),
            Prefix::Crashlens | Prefix::Words(_) => None,
        });
        let set: String = set.collect();
        let run = ["python", self.flags, SCRIPT];
        let run: Vec<_> = run.into_iter().filter(|it| !it.is_empty()).collect();
        match set.as_str() {
            "" => run.join(" "),
            set => format!("cmd /c \"{set}{}\"", run.join(" ")),
        }
    }

    /// The text, with `program` in it where that is known and takes the flags.
    pub(super) fn render(&self, program: Option<&[String]>) -> String {
        if self.system == System::Windows {
            return self.render_for_windows();
        }
        let mut words = self.prefixes();
        if let Some(own) = program.and_then(|program| self.own(program)) {
            words.extend(own);
        } else {
            let python = self.place.as_ref().map(|place| place.python.clone());
            words.push(python.unwrap_or_else(|| "python".to_owned()));
            words.push(self.flags.to_owned());
            words.push(SCRIPT.to_owned());
        }
        words.push(self.after.to_owned());
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }

    /// Variables are words of the shell itself where they come first, and of `env` elsewhere.
    fn prefixes(&self) -> Vec<String> {
        let is_variable = |it: &Prefix| matches!(it, Prefix::Set(..) | Prefix::Unset(_));
        let is_unset = |it: &Prefix| matches!(it, Prefix::Unset(_));
        let mut words = Vec::new();
        for part in self
            .before
            .chunk_by(|a, b| is_variable(a) && is_variable(b))
        {
            let needs_env = !words.is_empty() || part.iter().any(is_unset);
            if needs_env && part.iter().any(is_variable) {
                words.push("env".to_owned());
            }
            words.extend(part.iter().map(|prefix| match prefix {
                Prefix::Set(name, value) => format!("{name}={value}"),
                Prefix::Unset(name) => format!("-u {name}"),
                Prefix::Crashlens => Crashlens::Run.to_string(),
                Prefix::Words(text) => text.clone(),
            }));
        }
        words
    }

    /// The user's command line with the flags in it; `None` where there are flags and no interpreter to take them.
    fn own(&self, program: &[String]) -> Option<Vec<String>> {
        let (first, rest) = program.split_first()?;
        let name = first.rsplit('/').next().unwrap_or(first);
        let takes_flags = self.flags.is_empty() || name.starts_with("python");
        let words = [first.as_str(), self.flags].into_iter();
        let rest = rest.iter().map(String::as_str);
        takes_flags.then(|| words.chain(rest).map(str::to_owned).collect())
    }
}

/// A value behind `NAME=`, where a leading dash is no option.
fn quoted(value: &str) -> String {
    let whole = shell::word(value);
    whole.unwrap_or_else(|| format!("'{}'", value.replace('\'', r"'\''")))
}

/// Whether a value stands in `set NAME=VALUE` as it is.
fn is_plain_on_windows(value: &str) -> bool {
    shell::quoted_for(System::Windows, value).as_deref() == Some(value)
}
