//! What lines of the kernel say of errors of the machine.

use crate::facts::Facts;

/// Seconds after which a program that still ran was not harmed by an error of the machine.
pub(super) const LONG: u64 = 600;

/// Whether the kernel's clock shows that a line was written long before the line about the death.
pub(super) fn is_long_past(facts: &Facts<'_>, line: &str) -> bool {
    let death = facts.sign("kernel-segfault").map(|sight| sight.text);
    let clocks = kernel_clock(line).zip(death.and_then(kernel_clock));
    clocks.is_some_and(|(line, death)| death.saturating_sub(line) > LONG)
}

/// Whole seconds since the start of the machine, from a line that begins with `[  123.456789]`.
pub(super) fn kernel_clock(line: &str) -> Option<u64> {
    let (clock, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    clock.trim().split('.').next()?.parse().ok()
}

/// Whether a line is about an error that was not put right: by its words, or by the bit for it in a bank's status.
pub(super) fn is_uncorrected(line: &str) -> bool {
    let words = [
        "Uncorrected",
        "uncorrected",
        "Machine Check Exception",
        " UE ",
    ];
    let status = line
        .split_once(" Bank ")
        .and_then(|(_, rest)| rest.split_once(": "));
    let first = status.and_then(|(_, status)| status.chars().next()?.to_digit(16));
    words.iter().any(|word| line.contains(word)) || first.is_some_and(|digit| digit & 2 != 0)
}
