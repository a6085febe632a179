//! How it is seen that memory was asked for and refused.

use crate::capture::{MessageKind, Resource, ResourceUse};
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};

/// Addresses below this are a null pointer and an offset.
const FIRST_PAGE: u64 = 4096;

/// Memory was refused.
pub(super) struct Refusal {
    pub(super) weight: Weight,
    pub(super) fact: FactRef,
    pub(super) claim: String,
    /// How far behind a null pointer memory was used; 0 where it was not.
    offset: u64,
    /// Whether it was said in words, and not only seen.
    pub(super) is_said: bool,
}

impl Refusal {
    /// What of this death shows that memory was refused.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        thrown(facts)
            .or_else(|| said(facts))
            .or_else(|| unchecked(facts))
            .or_else(|| no_stack(facts))
    }

    /// The limit of the process that leaves too little.
    pub(super) fn tight_limit<'a>(&self, facts: &Facts<'a>) -> Option<&'a ResourceUse> {
        let spaces = facts.limits_of(Resource::AddressSpace);
        let mut limits = spaces.chain(facts.limits_of(Resource::Data));
        limits.find(|entry| {
            let Some((used, limit)) = entry.used.zip(entry.limit) else {
                return false;
            };
            let left = limit.saturating_sub(used);
            left <= limit / 8 || self.offset >= left
        })
    }
}

/// A C++ exception, or the interpreter's or a library's last words about one.
fn thrown(facts: &Facts<'_>) -> Option<Refusal> {
    let exception = facts.capture().testimony.exception.known();
    if let Some(exception) = exception.filter(|it| it.type_name.contains("bad_alloc")) {
        let claim = format!("A C++ allocation was refused ({}).", exception.type_name);
        return Some(in_words(Weight::Strong, FactRef::Exception, claim));
    }
    let (fact, message) = facts.fatal_message(MessageKind::Terminate)?;
    let is_last =
        facts.may_have_said_it() && facts.last_words().is_none_or(|(last, _)| last == fact);
    (is_last && message.text.contains("bad_alloc") && !is_of_device(&message.text)).then(|| {
        let words = excerpt(&message.text);
        in_words(
            Weight::Strong,
            fact,
            format!("A C++ allocation was refused: \"{words}\"."),
        )
    })
}

/// Words of a library or the system.
fn said(facts: &Facts<'_>) -> Option<Refusal> {
    let sights = facts.signs("allocation-refused");
    let sight = sights.filter(|sight| !is_of_device(sight.text)).last()?;
    let last = facts.last_words();
    let said_later = facts.said_after(sight).is_some();
    let is_it = |text: &str| text.contains(sight.text.trim());
    let is_past = facts.worked_on_after(sight).is_some()
        || last.is_some_and(|(_, message)| said_later && !is_it(&message.text));
    let weight = if is_past {
        Weight::Weak
    } else {
        Weight::Strong
    };
    let words = excerpt(sight.text);
    Some(in_words(
        weight,
        sight.fact.clone(),
        format!("An allocation was refused: \"{words}\"."),
    ))
}

/// Whether words about memory are of a GPU's, or of no failure at all.
fn is_of_device(words: &str) -> bool {
    const DEVICE: [&str; 9] = [
        "GPU",
        "gpu",
        "CUDA",
        "cuda",
        "cuMem",
        "hip",
        "HIP",
        "device memory",
        "not a failure",
    ];
    DEVICE.iter().any(|word| words.contains(word))
}

/// A use of the null pointer that a refused allocation gives, by code that does not look.
fn unchecked(facts: &Facts<'_>) -> Option<Refusal> {
    let testimony = &facts.capture().testimony;
    let access = facts.access().filter(|_| !facts.signal_was_sent())?;
    let base = access.base.as_ref().map(|base| base.value.0);
    let is_null = base.map_or(access.address.0, |base| base) < FIRST_PAGE;
    let is_refused = facts.memory_was_refused();
    let is_foreign = testimony.foreign_call.known().is_some();
    (is_null && is_refused && !is_foreign).then(|| Refusal {
        weight: Weight::Strong,
        fact: FactRef::Fault,
        claim: "It used a null pointer, and the last thing the system had refused it was memory (errno ENOMEM)."
            .to_owned(),
        offset: access.address.0,
        is_said: false,
    })
}

/// A thread that could not be started: its stack is memory too, and the C library gives one reason for both.
fn no_stack(facts: &Facts<'_>) -> Option<Refusal> {
    let sight = facts.sign("thread-refused").filter(|_| !facts.is_text())?;
    let words = excerpt(sight.text);
    Some(Refusal {
        weight: Weight::Strong,
        fact: sight.fact.clone(),
        claim: format!("There was no memory for the stack of another thread: \"{words}\"."),
        offset: 0,
        is_said: false,
    })
}

fn in_words(weight: Weight, fact: FactRef, claim: String) -> Refusal {
    Refusal {
        weight,
        fact,
        claim,
        offset: 0,
        is_said: true,
    }
}
