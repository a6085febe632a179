//! A signal of a limit that the kernel did not send.

use crate::evidence::Weight;
use crate::facts::Facts;

/// Evidence against a limit: a process sent its signal. `is_met` says whether the limit is known to be reached; then
/// a handler of the program may have passed the kernel's signal on.
pub(super) fn by_process(facts: &Facts<'_>, is_met: bool) -> Option<(Weight, String)> {
    let ending = &facts.capture().ending;
    if !facts.is_sent() {
        return None;
    }
    if facts.sent_it_itself() {
        let weight = if is_met {
            Weight::Weak
        } else {
            Weight::Decisive
        };
        let claim = "The process sent the signal to itself, not the kernel.".to_owned();
        return Some((weight, claim));
    }
    let sender = ending.sender_pid;
    let sender = sender.map_or_else(|| "A process".to_owned(), |pid| format!("Process {pid}"));
    let claim = format!("{sender} sent the signal, not the kernel.");
    Some((Weight::Decisive, claim))
}
