//! macOS: its crash reports, and the names that its kernel gives to faults.

use std::sync::LazyLock;

use regex::Regex;

use crate::capture::Frame;
use crate::embedded;
use crate::pasted::stacks::{Heading, Piece, Writer, native, source_line};

static THREAD: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^Thread (\d+)( Crashed)?:(?:$|[: ].*|\s*$)"));

/// `3   libarrow.1700.dylib   0x000000011e000212 arrow::fs::Register(int) + 82`
static FRAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^(\d+)\s+(\S.*?)\s+(0x[0-9a-f]{6,}) (.*?)(?: \+ (\d+))?(?: \(([^()\s]+:\d+)\))?\s*$",
    )
});

/// An access that failed, as the kernel and lldb write it: `EXC_BAD_ACCESS (code=1, address=0xfff0)`
static BAD_ACCESS: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"EXC_BAD_ACCESS \(code=(?:EXC_I386_)?(\w+), address=(0x[0-9a-f]+)\)")
});

/// The piece of a stack that a line of a crash report is; `is_open` while one is being read.
pub(in crate::pasted) fn piece(line: &str, is_open: bool) -> Option<Piece> {
    if line.starts_with("Thread ") {
        return thread(line);
    }
    is_open.then(|| frame_of(line)).flatten()
}

/// The `si_code` and the address of an access that failed. A code that is not known is `None`.
pub(in crate::pasted) fn bad_access(line: &str) -> Option<(Option<&'static str>, &str)> {
    let groups = line
        .contains("EXC_BAD_ACCESS")
        .then(|| BAD_ACCESS.captures(line))
        .flatten()?;
    let code = match groups.get(1).map(|code| code.as_str()) {
        Some("1") => Some("SEGV_MAPERR"),
        Some("2") => Some("SEGV_ACCERR"),
        // A general protection fault comes without a true address.
        Some("GPFLT") => Some("SI_KERNEL"),
        _ => None,
    };
    Some((code, groups.get(2)?.as_str()))
}

/// The `si_code` that a word of the kernel means; other words as they are.
pub(in crate::pasted) fn signal_code(name: &str) -> &str {
    match name {
        "KERN_INVALID_ADDRESS" => "SEGV_MAPERR",
        "KERN_PROTECTION_FAILURE" => "SEGV_ACCERR",
        name => name,
    }
}

fn thread(line: &str) -> Option<Piece> {
    let groups = THREAD.captures(line)?;
    Some(Piece::Heading(Heading {
        label: groups.get(1).and_then(|it| it.as_str().parse().ok()),
        ..Heading::new(Writer::MacOs, groups.get(2).is_some())
    }))
}

fn frame_of(line: &str) -> Option<Piece> {
    if line.trim().is_empty() || line.starts_with("Binary Images:") {
        return Some(Piece::End(Writer::MacOs));
    }
    let groups = FRAME.captures(line)?;
    let text = |group: usize| groups.get(group).map(|it| it.as_str());
    // Without a symbol it is the address at which the file begins.
    let function = text(4).filter(|name| !name.starts_with("0x"));
    let mut frame = native(text(3), function, text(2));
    frame.function_offset = text(5)
        .and_then(|it| it.parse().ok())
        .filter(|_| function.is_some());
    frame.source = text(6).and_then(source_line);
    Some(Piece::Frame {
        writer: Writer::MacOs,
        number: text(1).and_then(|number| number.parse().ok()),
        process: None,
        frame: Frame::Native(frame),
    })
}
