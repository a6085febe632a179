//! Commands whose flags do not say that a secret follows: `curl -u`, `sshpass -p`.

use std::ops::Range;

use super::MASK;
use super::codes::{is_opaque, is_plain_word};
use super::table::{Command, Joined, TABLE};

/// Reads words of a command line one by one and says which part of a word is a secret.
#[derive(Default)]
pub(super) struct Reader {
    /// The programs met whose flags may follow.
    command: Option<&'static Command>,
    /// Whether the word stands between program and flag that must.
    is_ready: bool,
    /// Whether the word before was such a flag.
    is_announced: bool,
}

impl Reader {
    pub(super) fn secret_in(&mut self, word: &str) -> Option<Range<usize>> {
        if matches!(word, "|" | "||" | "&&" | ";" | "&") {
            *self = Self::default();
            return None;
        }
        if let Some(command) = self.command {
            match self.by(command, word) {
                Says::Nothing => {}
                Says::Word => return None,
                Says::Secret(secret) => return Some(secret),
            }
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        let is_named = |command: &&Command| command.programs.iter().any(|program| program == name);
        if let Some(command) = TABLE.commands.iter().find(is_named) {
            self.command = Some(command);
            self.is_ready = command.after.is_empty();
            self.is_announced = false;
        }
        None
    }

    fn by(&mut self, command: &Command, word: &str) -> Says {
        let in_argument = |start| part(command, word, start).map_or(Says::Word, Says::Secret);
        if command.after.iter().any(|after| after == word) {
            self.is_ready = true;
            return Says::Word;
        }
        if std::mem::take(&mut self.is_announced) {
            return in_argument(0);
        }
        if !self.is_ready {
            return Says::Nothing;
        }
        if command.flags.is_empty() && is_opaque(word) {
            return Says::Secret(0..word.len());
        }
        for flag in &command.flags {
            let Some(value) = word.strip_prefix(flag.as_str()) else {
                continue;
            };
            if value.is_empty() {
                self.is_announced = command.joined != Joined::Only;
                return Says::Word;
            }
            let is_long = flag.starts_with("--");
            if is_long && !value.starts_with('=') || command.joined == Joined::Never {
                continue;
            }
            let start = word.len() - value.len() + usize::from(value.starts_with('='));
            return in_argument(start);
        }
        Says::Nothing
    }
}

/// What a word is to the program before it.
enum Says {
    /// Nothing: it may be another program.
    Nothing,
    /// One of its words.
    Word,
    /// An argument with a secret in it.
    Secret(Range<usize>),
}

/// The secret in an argument that begins at `start`.
fn part(command: &Command, word: &str, start: usize) -> Option<Range<usize>> {
    let value = word.get(start..)?;
    let start = match command.part {
        None => start,
        Some(mark) => start + value.find(mark)? + mark.len_utf8(),
    };
    let secret = word.get(start..)?;
    (!is_plain_word(secret) && !secret.starts_with(MASK)).then_some(start..word.len())
}

/// The same in a text that shows a command: `+ curl -u me:secret https://…`, `['sshpass', '-p', '…']`.
pub(super) fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut reader = Reader::default();
    let mut secrets = Vec::new();
    let mut from = 0;
    while let Some((word, end)) = word_at(text, from, reader.is_announced) {
        from = end;
        if let Some(found) = reader.secret_in(&text[word.clone()]) {
            secrets.push(word.start + found.start..word.start + found.end);
        }
    }
    secrets
}

/// The next word, parted as a shell would, also where the command is in quotes within another text. Only a value may have
/// spaces in it, if it is in quotes of its own.
///
/// With it comes where to look for the next: after what was trimmed, or a line of brackets would be read again and again.
fn word_at(text: &str, from: usize, is_value: bool) -> Option<(Range<usize>, usize)> {
    let is_between = |letter: char| letter.is_whitespace() || "\"'`()\\".contains(letter);
    let rest = text.get(from..)?;
    let word = rest.trim_start_matches(is_between);
    let start = text.len() - word.len();
    let before = text[..start].chars().next_back();
    let quoted = before
        .filter(|quote| is_value && "\"'".contains(*quote))
        .and_then(|quote| word.find(quote));
    let length = quoted.unwrap_or_else(|| word.find(is_between).unwrap_or(word.len()));
    let end = start + length;
    let word = &word[..length];
    // The end of an escape: `\ncurl`.
    let is_escape = before == Some('\\') && word.starts_with(['n', 'r', 't']);
    let start = start + usize::from(is_escape);
    let word = word.get(usize::from(is_escape)..)?;
    let inner = word.trim_start_matches(['[', ',', '{']);
    let start = start + (word.len() - inner.len());
    // A mark of the masking ends with a bracket, too.
    let inner = if inner.ends_with(MASK) {
        inner
    } else {
        inner.trim_end_matches([']', ',', '}', ';'])
    };
    (start < text.len() || end > from).then_some((start..start + inner.len(), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_behind_short_flags_are_found() {
        let cases: &[(&str, &[&str])] = &[
            ("curl -u me:hunter2 https://x", &["hunter2"]),
            ("curl -sS --user 'me:hun ter2' https://x", &["hun ter2"]),
            ("+ /usr/bin/curl -ume:hunter2 x", &["hunter2"]),
            ("sudo sshpass -p hunter2 ssh host", &["hunter2"]),
            ("['sshpass', '-phunter2', 'ssh']", &["hunter2"]),
            ("mysql -uroot -phunter2 db", &["hunter2"]),
            ("mysql -u root -p db", &[]),
            ("docker run -p 8080:80 image", &[]),
            ("docker login -u me -p hunter2", &["hunter2"]),
            ("redis-cli -a hunter2 ping", &["hunter2"]),
            (
                "wandb login 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
                &["0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"],
            ),
            ("python train.py -p 3 -u x:y", &[]),
            ("curl https://x | tar -p -u a:b", &[]),
            ("curl -u me:[masked] x", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = secrets(text)
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
