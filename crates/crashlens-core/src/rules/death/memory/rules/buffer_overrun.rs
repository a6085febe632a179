//! The C library or the compiler's guard noticed a buffer that was written beyond its end.

use crate::book::{Judge, Rule};
use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::fault::short_name;
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM005",
    name: "buffer-overrun",
    summary: "A function wrote past the end of a buffer, and the compiler's or C library's check caught it.",
    causes: &[Cause::OutOfBounds],
    since: "0.1.0",
    doc: include_str!("buffer_overrun.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let (fact, message) = facts.fatal_message(MessageKind::CLibrary)?;
    let (what, how) = if message.text.contains("stack smashing detected") {
        (
            "a buffer on its stack",
            "the guard value behind the local buffers was changed",
        )
    } else if message.text.contains("buffer overflow detected") {
        (
            "a buffer whose size the compiler knew",
            "the C library refused to copy more than fits",
        )
    } else {
        return None;
    };
    let function = facts.culprit().function.as_deref().map(short_name);
    let who = function.map_or_else(|| "A function".to_owned(), |name| format!("`{name}`"));
    let headline = format!("{who} wrote beyond the end of {what}");
    let claim = format!("It said `{}`: {how}.", excerpt(&message.text));
    let weight = facts.unless_text(Weight::Decisive);
    let check = "Check the lengths that the function is given (names, labels, shapes) against its local buffers.";
    Some(
        Suspicion::new(Cause::OutOfBounds, headline)
            .supported(weight, fact, claim)
            .remedy(Remedy::new(check))
            .remedy(
                Remedy::new("Build the library with checks that name the line, if it is yours.")
                    .command("g++ -g -O1 -fsanitize=address -fno-omit-frame-pointer -shared -fPIC your_module.cc -o your_module.so"),
            ),
    )
}
