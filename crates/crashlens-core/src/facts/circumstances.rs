//! Questions about what was around a death: limits, the line that ran, who spoke last.

use super::{Facts, Sighting};
use crate::capture::{
    Limiter, Lineage, Message, MessageKind, Origin, Resource, ResourceUse, Signal,
};
use crate::evidence::FactRef;

/// `SIGXCPU`.
pub(crate) const XCPU: Signal = Signal(24);
/// `SIGXFSZ`.
pub(crate) const XFSZ: Signal = Signal(25);
/// A longer line of source code is cut in a sentence.
const LONGEST_SOURCE: usize = 60;
/// More of what was said is not quoted.
const LONGEST_EXCERPT: usize = 120;

impl<'a> Facts<'a> {
    /// What was used of something that is limited, one entry for each limit.
    pub fn limits_of(&self, resource: Resource) -> impl Iterator<Item = &'a ResourceUse> + use<'a> {
        let uses = self.capture().circumstances.resources.known();
        uses.into_iter()
            .flatten()
            .filter(move |entry| entry.resource == resource)
    }

    /// The user's own line that ran, for a sentence: ``line 5 of train.py (`x = f(y)`)``.
    pub fn own_line(&self) -> Option<String> {
        let python = self.culprit().python.as_ref()?;
        let file = python.file.rsplit('/').next().unwrap_or_default();
        let line = python.line?;
        let source = python.source.as_deref().map(str::trim).unwrap_or_default();
        if source.is_empty() || source.chars().count() > LONGEST_SOURCE {
            return Some(format!("line {line} of {file}"));
        }
        Some(format!("line {line} of {file} (`{source}`)"))
    }

    /// The last message that can be the reason of the death, if it was said after the line of `sight`.
    pub fn said_after(&self, sight: &Sighting<'_>) -> Option<(FactRef, &Message)> {
        let FactRef::StderrLine { line } = sight.fact else {
            return None;
        };
        self.last_words()
            .filter(|(_, message)| message.line.is_none_or(|it| it > line))
    }

    /// The last words of an allocator that found its records damaged. What else the C library says before it gives up
    /// (a smashed stack, a file number that `select` cannot take) is about other memory.
    pub fn heap_words(&self) -> Option<(FactRef, &Message)> {
        let allocator = self
            .fatal_message(MessageKind::CLibrary)
            .filter(|(_, message)| is_of_allocator(&message.text));
        allocator.or_else(|| {
            self.fatal_message(MessageKind::CheckFailure)
                .filter(|(_, message)| is_of_allocator(&message.text))
        })
    }

    /// The line of a text by which somebody ordered the end: a command, a scheduler's word, or Ctrl-C as a terminal
    /// shows it.
    pub fn ordered_end(&self) -> Option<(FactRef, &'a str)> {
        let order = self.sign("ended-by-order");
        let interrupt = || {
            self.lines()
                .rfind(|(_, line)| line.starts_with("^C") || line.trim_end().ends_with("^C"))
        };
        order
            .map(|sight| (sight.fact.clone(), sight.text))
            .or_else(interrupt)
    }

    /// Whether a line is the last one but for what the system says about the end.
    pub fn is_last_but_the_end(&self, sight: &Sighting<'_>) -> bool {
        const LINES_OF_AN_END: usize = 2;
        let after = self.lines().skip_while(|(fact, _)| *fact != sight.fact);
        let after = after.skip(1).filter(|(_, line)| !line.trim().is_empty());
        after.count() <= LINES_OF_AN_END
    }

    /// The line that shows that work went on after the line of `sight`, or that the program took another way: what was
    /// refused there was survived.
    pub fn worked_on_after(&self, sight: &Sighting<'_>) -> Option<FactRef> {
        let after = self.lines().skip_while(|(fact, _)| *fact != sight.fact);
        let goes_on = |fact: &FactRef| self.signs("work-goes-on").any(|it| it.fact == *fact);
        after
            .skip(1)
            .find(|(fact, line)| is_progress(line) || goes_on(fact))
            .map(|(fact, _)| fact)
    }

    /// Whether last words can be the process's own: it gave up by itself, or nothing else is known of it. What is on
    /// standard error may be a child's.
    pub fn may_have_said_it(&self) -> bool {
        self.is_text() || self.died_of(Signal::ABRT)
    }

    /// The other process that sent the signal.
    pub fn sender(&self) -> Option<u32> {
        let ending = &self.capture().ending;
        let sender = ending.sender_pid?;
        (sender != self.capture().process.pid && !ending.raised_again).then_some(sender)
    }

    /// Whether a process sent the signal, and not the kernel. SIGXFSZ of the kernel itself looks as if the process had sent
    /// it with `kill` (seen on Linux 6: `SI_USER` from its own pid), so that says nothing.
    pub fn is_sent(&self) -> bool {
        let ending = &self.capture().ending;
        let may_be_kernels = self.died_of(XFSZ)
            && ending.code.as_deref() == Some("SI_USER")
            && ending.sender_pid == Some(self.capture().process.pid);
        ending.is_sent() && !may_be_kernels
    }

    /// Whether the process sent the signal to itself.
    pub fn sent_it_itself(&self) -> bool {
        let sender = self.capture().ending.sender_pid;
        self.is_sent() && sender == Some(self.capture().process.pid)
    }

    /// The lineage of a process that is a copy of its parent.
    pub fn forked(&self) -> Option<&Lineage> {
        self.lineage()
            .filter(|lineage| lineage.origin == Origin::Forked)
    }

    /// The entry of a limit of processor time that was used up, where the kernel ends the process for it.
    pub fn processor_time_used_up(&self) -> Option<&'a ResourceUse> {
        let is_hard = |entry: &ResourceUse| entry.set_by == Limiter::HardCpuTime;
        let mut entries = self.limits_of(Resource::CpuTime);
        entries.find(|entry| {
            let is_used_up = entry
                .used
                .zip(entry.limit)
                .is_some_and(|(used, limit)| used >= limit);
            // At the soft limit a process is asked to end, at the hard one it is killed. They are told apart where
            // they differ.
            let has_other = self.limits_of(Resource::CpuTime).count() > 1;
            let kills = is_hard(entry) || !has_other;
            match self.signal() {
                Some(Signal::KILL) => is_used_up && kills,
                Some(XCPU) => !is_hard(entry) && (is_used_up || entry.met.unwrap_or(0) > 0),
                _ => false,
            }
        })
    }
}

/// Whether words are those of an allocator.
fn is_of_allocator(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "malloc",
        "free(",
        "realloc(",
        "double free",
        "munmap_chunk",
        "mremap_chunk",
        "corrupted size",
        "corrupted double-linked",
        "fastbin",
        "tcache",
        "invalid pointer",
        "tcmalloc",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether a line counts steps of work: `Epoch 2/10`, `step 300`, `12/100 [====>`, `40%|####`, `3.2it/s`.
pub(crate) fn is_progress(line: &str) -> bool {
    const COUNTED: [&str; 7] = [
        "epoch",
        "step",
        "batch",
        "iter",
        "iteration",
        "fold",
        "round",
    ];
    let line = line.trim().to_ascii_lowercase();
    let words: Vec<&str> = line
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let counts = words.windows(2).any(|pair| match pair {
        [what, number] => COUNTED.contains(what) && is_number(number),
        _ => false,
    });
    let is_part = words.windows(3).any(|three| match three {
        [a, "of", b] => is_number(a) && is_number(b),
        _ => false,
    });
    let is_bar = [
        "%|",
        "it/s",
        "s/it",
        "s/step",
        "[==",
        "% complete",
        "% done",
    ]
    .iter()
    .any(|bar| line.contains(bar));
    counts || is_part || is_bar
}

/// The beginning of what was said, for a claim: without the time and the file of a line of a log.
pub(crate) fn excerpt(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    let line = match line.split_once("] ") {
        Some((place, said)) if place.contains(".cc:") && !said.trim().is_empty() => said.trim(),
        _ => line,
    };
    line.get(..line.floor_char_boundary(LONGEST_EXCERPT))
        .unwrap_or_default()
}
