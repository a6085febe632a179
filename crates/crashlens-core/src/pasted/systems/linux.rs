//! Linux: what its kernel logs of a process that a fault ended: where it was, and what it touched.

use std::sync::LazyLock;

use regex::Regex;

use crate::capture::{Address, Frame};
use crate::embedded;
use crate::pasted::stacks::{Heading, Piece, Writer, hexadecimal, native};

/// `python[1234]: segfault at 0 ip 00007fce sp 00007fcc error 4 in x.so[7fce+2a]`; the trap forms have colons. Since
/// 6.8 the offset in the file stands before the start of the mapping.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(concat!(
        r"(?:^|[\s\]])(?<name>[^\s\[\]]+)\[(?<pid>\d+)\]:? ",
        r"(?:segfault at (?<at>[0-9a-f]+)|trap (?:invalid opcode|divide error)|general protection(?: fault)?) ",
        r"ip[: ](?<ip>[0-9a-f]+) sp[: ][0-9a-f]+ error[: ](?<error>[0-9a-f]+)",
        r"(?: in (?<file>[^\s\[]+)(?:\[(?:(?<offset>[0-9a-f]+),)?(?<base>[0-9a-f]+)\+(?<size>[0-9a-f]+)\])?)?",
    ))
});

/// One fault in the kernel's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::pasted) struct Fault {
    pub(in crate::pasted) name: String,
    pub(in crate::pasted) pid: u32,
    /// The address that was touched; `None` where the kernel does not say.
    pub(in crate::pasted) address: Option<u64>,
    pub(in crate::pasted) instruction: u64,
    /// Whether memory was there and forbade the access.
    pub(in crate::pasted) is_forbidden: bool,
    pub(in crate::pasted) file: Option<String>,
    /// Start and end of the mapping.
    pub(in crate::pasted) mapping: Option<(u64, u64)>,
    offset: Option<u64>,
}

pub(in crate::pasted) fn read(line: &str) -> Option<Fault> {
    if !line.contains(" error") || !line.contains(" sp") {
        return None;
    }
    let groups = LINE.captures(line)?;
    let text = |name: &str| groups.name(name).map(|it| it.as_str());
    let number = |name: &str| text(name).and_then(hexadecimal);
    let error = number("error")?;
    let instruction = number("ip")?;
    let base = number("base");
    let mapping = base
        .zip(number("size"))
        .and_then(|(base, size)| Some((base, base.checked_add(size)?)));
    let in_mapping = base.and_then(|base| instruction.checked_sub(base));
    Some(Fault {
        name: text("name")?.to_owned(),
        pid: text("pid")?.parse().ok()?,
        address: number("at"),
        instruction,
        // A bit of the processor's page fault code: memory was there.
        is_forbidden: error & 1 != 0,
        file: text("file").map(str::to_owned),
        mapping,
        offset: number("offset").or(in_mapping),
    })
}

impl Fault {
    pub(in crate::pasted) fn heading(&self) -> Heading {
        Heading {
            // The kernel counts threads; their names are those of the threads, too.
            id: Some(self.pid),
            name: Some(self.name.clone()),
            ..Heading::new(Writer::Kernel, true)
        }
    }

    pub(in crate::pasted) fn piece(&self) -> Piece {
        let mut frame = native(None, None, self.file.as_deref());
        frame.address = Address(self.instruction);
        frame.module_offset = self.offset.map(Address);
        frame.trust = crate::capture::FrameTrust::Registers;
        Piece::Frame {
            writer: Writer::Kernel,
            number: None,
            process: None,
            frame: Frame::Native(frame),
        }
    }
}
