//! The address and the code of a fault, where the text tells them. What is at the address, text does not tell.

use std::sync::LazyLock;

use regex::Regex;

use super::endings::Told;
use super::systems::{linux, macos};
use crate::capture::{Address, Ending, Signal};
use crate::embedded;

/// Open MPI and those who copied it.
static SIGNAL_CODE: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"Signal code: .*\((-?\d+)\)\s*$"));
static FAILING_AT: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"Failing at address: (0x[0-9a-f]+|\(nil\))"));

/// Names of `si_code`, and macOS's own words for the first two.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"\b(SEGV_(?:MAPERR|ACCERR|BNDERR|PKUERR)|BUS_(?:ADRALN|ADRERR|OBJERR)|FPE_(?:INTDIV|INTOVF|FLT[A-Z]{3})|ILL_(?:ILLOPC|ILLOPN|ILLADR|ILLTRP|PRVOPC)|KERN_(?:INVALID_ADDRESS|PROTECTION_FAILURE))\b",
    )
});
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"(?:\bsi_addr\s*[=:]\s*|\bSegfaultAddr\s*[=:]?\s*|\b(?:fault )?addr(?:ess)?\s?[=:]?\s?|KERN_\w+ at )(0x[0-9a-fA-F]+|\(nil\))",
    )
});
/// UCX: `Caught signal 11 (Segmentation fault: address not mapped to object at address 0x10)`
static CAUGHT: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"Caught signal \d+ \([A-Z][a-z ]+: ([a-z ]+?) at address (0x[0-9a-f]+|\(nil\))\)",
    )
});
/// Puts what the text tells of the fault into the ending.
pub(super) fn read(
    lines: &[String],
    told: Option<&Told>,
    faults: &[linux::Fault],
    ending: &mut Ending,
) {
    let Some(signal) = ending.signal.filter(|signal| signal.is_fault()) else {
        return;
    };
    for line in lines {
        line_tells(line, signal, ending);
    }
    let kernel = of_this_death(told, faults).filter(|_| signal == Signal::SEGV);
    if let Some(fault) = kernel {
        ending.address = ending.address.or(fault.address.map(Address));
        let code = match (fault.address, fault.is_forbidden) {
            (None, _) => "SI_KERNEL",
            (Some(_), true) => "SEGV_ACCERR",
            (Some(_), false) => "SEGV_MAPERR",
        };
        ending.code.get_or_insert_with(|| code.to_owned());
    }
}

/// What one line tells; what was told first stays.
fn line_tells(line: &str, signal: Signal, ending: &mut Ending) {
    if let Some(groups) = line
        .contains("Signal code: ")
        .then(|| SIGNAL_CODE.captures(line))
        .flatten()
    {
        let code = groups.get(1).and_then(|code| code.as_str().parse().ok());
        ending.code = ending.code.take().or_else(|| Some(signal.code_name(code?)));
    }
    if let Some(groups) = line
        .contains("Failing at ")
        .then(|| FAILING_AT.captures(line))
        .flatten()
    {
        ending.address = ending.address.or_else(|| address(groups.get(1)?.as_str()));
    }
    if line.contains("Caught signal ")
        && let Some(groups) = CAUGHT.captures(line)
    {
        let code = match groups.get(1).map(|words| words.as_str()) {
            Some("address not mapped to object") => Some("SEGV_MAPERR"),
            Some("invalid permissions for mapped object") => Some("SEGV_ACCERR"),
            _ => None,
        };
        ending.code = ending.code.take().or_else(|| code.map(str::to_owned));
        ending.address = ending.address.or_else(|| address(groups.get(2)?.as_str()));
    }
    if let Some((code, place)) = macos::bad_access(line) {
        ending.code = ending.code.take().or_else(|| code.map(str::to_owned));
        ending.address = ending.address.or_else(|| address(place));
        return;
    }
    if ["SEGV_", "BUS_", "FPE_", "ILL_", "KERN_"]
        .iter()
        .any(|word| line.contains(word))
    {
        if let Some(groups) = NAMED.captures(line) {
            let name = macos::signal_code(groups.get(1).map_or("", |name| name.as_str()));
            if name.starts_with(signal.name().trim_start_matches("SIG")) {
                ending.code.get_or_insert_with(|| name.to_owned());
            }
            let found = ADDRESS
                .captures(line)
                .and_then(|groups| address(groups.get(1)?.as_str()));
            ending.address = ending.address.or(found);
        }
    } else if line.contains("si_addr") || line.contains("SegfaultAddr") {
        let found = ADDRESS
            .captures(line)
            .and_then(|groups| address(groups.get(1)?.as_str()));
        ending.address = ending.address.or(found);
    }
}

fn address(text: &str) -> Option<Address> {
    match text {
        "(nil)" => Some(Address(0)),
        text => text.to_ascii_lowercase().parse().ok(),
    }
}

/// The fault of the process whose death counts.
fn of_this_death<'a>(told: Option<&Told>, faults: &'a [linux::Fault]) -> Option<&'a linux::Fault> {
    let pid = told.and_then(|told| told.pid);
    match pid {
        // The kernel names the thread, launchers the process: only a lone fault is the same death for sure.
        Some(pid) => faults.iter().find(|fault| fault.pid == pid),
        None if faults.len() == 1 => faults.first(),
        None => None,
    }
}
