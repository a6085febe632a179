//! Questions about what the process, its libraries and the system said.

use super::Facts;
use crate::capture::{CrashCapture, Message, MessageKind, Signal};
use crate::evidence::FactRef;
use crate::signs;

/// A sign that was seen.
#[derive(Debug)]
pub struct Sighting<'a> {
    sign: &'static signs::Sign,
    groups: regex::Captures<'a>,
    /// The line.
    pub text: &'a str,
    /// Where it is.
    pub fact: FactRef,
}

impl Sighting<'_> {
    /// What a named group of the sign's pattern holds.
    pub fn group(&self, name: &str) -> Option<&str> {
        self.groups.name(name).map(|group| group.as_str())
    }
}

/// All signs in what is known of the output, oldest first.
pub(super) fn sightings(capture: &CrashCapture) -> Vec<Sighting<'_>> {
    let stderr = capture.output.stderr.known();
    let stderr = stderr.iter().flat_map(|tail| &tail.lines).enumerate();
    let kernel = capture.circumstances.kernel_log.known();
    let kernel = kernel.into_iter().flatten().enumerate();
    let stderr = stderr.map(|(line, text)| (FactRef::StderrLine { line }, text));
    let kernel = kernel.map(|(line, text)| (FactRef::KernelLog { line }, text));
    let mut found = Vec::new();
    for (fact, text) in stderr.chain(kernel).filter(|(_, text)| !is_prose(text)) {
        for (sign, groups) in signs::in_line(text) {
            let fact = fact.clone();
            found.push(Sighting {
                sign,
                groups,
                text,
                fact,
            });
        }
    }
    found
}

/// Whether a line is about what may happen, and not about what did: a comment, or a list of reasons that there can be.
fn is_prose(line: &str) -> bool {
    const FEWEST_WORDS: usize = 4;
    let line = line.trim_start();
    // What follows the prompt of a superuser is a command.
    let comment = line.strip_prefix("# ").filter(|rest| {
        let first = rest.split(' ').next().unwrap_or_default();
        let is_command = first.contains(['=', '/', '.'])
            || [
                "python", "python3", "kill", "pkill", "killall", "sudo", "docker", "export",
            ]
            .contains(&first);
        !is_command && rest.split_whitespace().count() >= FEWEST_WORDS
    });
    let lists = ["otential root causes", "ossible causes", "ossible reasons"];
    comment.is_some() || lists.iter().any(|words| line.contains(words))
}

impl<'a> Facts<'a> {
    /// Whether what was written to standard error may be the words of a child or of a caught exception: the process was
    /// seen to die of an instruction, not of giving up.
    pub fn words_may_be_anothers(&self) -> bool {
        !self.is_text() && self.signal().is_some_and(Signal::is_fault)
    }

    /// The last sight of a sign.
    pub fn sign(&self, id: &str) -> Option<&Sighting<'a>> {
        debug_assert!(signs::exists(id), "no sign is called {id}");
        self.sightings.iter().rfind(|it| it.sign.id == id)
    }

    /// Every sight of a sign, oldest first.
    pub fn signs<'b>(&'b self, id: &'b str) -> impl Iterator<Item = &'b Sighting<'a>> {
        debug_assert!(signs::exists(id), "no sign is called {id}");
        self.sightings.iter().filter(move |it| it.sign.id == id)
    }

    /// The message of a kind that can be the reason of the death.
    pub fn fatal_message(&self, kind: MessageKind) -> Option<(FactRef, &Message)> {
        let mut messages = self.messages().iter().enumerate();
        messages
            .rfind(|(_, message)| message.kind == kind && message.fatal)
            .map(|(index, message)| (FactRef::Message { index }, message))
    }

    /// The last message that can be the reason of the death: it wins over anything said before it.
    pub fn last_words(&self) -> Option<(FactRef, &Message)> {
        let mut messages = self.messages().iter().enumerate();
        messages
            .rfind(|(_, message)| message.fatal)
            .map(|(index, message)| (FactRef::Message { index }, message))
    }

    /// Lines of standard error, or of the text that was given, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = (FactRef, &'a str)> {
        let tail = self.capture().output.stderr.known();
        let lines = tail.map_or([].as_slice(), |tail| &tail.lines);
        lines
            .iter()
            .enumerate()
            .map(|(line, text)| (FactRef::StderrLine { line }, text.as_str()))
    }
}
