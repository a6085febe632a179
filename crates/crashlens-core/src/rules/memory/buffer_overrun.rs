//! The C library or the compiler's guard noticed a buffer that was written beyond its end.

use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::culprit::plain_name;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM006",
    name: "buffer-overrun",
    causes: &[Cause::OutOfBounds],
    since: "0.1.0",
    doc: include_str!("buffer_overrun.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let (fact, message) = facts.fatal_message(MessageKind::CLibrary)?;
    let is_stack = message.text.contains("stack smashing detected");
    if !is_stack && !message.text.contains("buffer overflow detected") {
        return None;
    }
    let function = facts.culprit().function.as_deref().map(plain_name);
    let who = function.map_or_else(|| "A function".to_owned(), |name| format!("`{name}`"));
    let (what, how) = if is_stack {
        (
            "a buffer on its stack",
            "the compiler's guard value behind the buffers of the function was changed",
        )
    } else {
        (
            "a buffer whose size the compiler knew",
            "the C library refused to copy more than fits",
        )
    };
    let weight = if facts.is_text() {
        Weight::Strong
    } else {
        Weight::Decisive
    };
    Some(
        Suspicion::new(Cause::OutOfBounds, format!("{who} wrote beyond the end of {what}"))
            .supported(weight, fact, format!("It said `{}`: {how}.", message.text.trim()))
            .remedy(Remedy::new(format!("Check the lengths that {who} is given against the size of its local buffers; file names, labels and shapes are usual ones.")))
            .remedy(
                Remedy::new("Build the library again with checks that name the line, if it is yours.")
                    .command("g++ -g -O1 -fsanitize=address -fno-omit-frame-pointer ..."),
            ),
    )
}
