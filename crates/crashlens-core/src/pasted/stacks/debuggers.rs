//! What gdb and lldb write.

use std::sync::LazyLock;

use regex::Regex;

use super::{Heading, Piece, Writer, native, source_line};
use crate::capture::{Frame, NativeFrame};
use crate::embedded;

static GDB_STOP: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r#"(?:Thread (\d+)(?: "([^"]*)")?|Program) (?:received|terminated with) signal "#,
    )
});

static GDB_SWITCH: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^\[(?:Switching to|Current) [Tt]hread .*\(LWP (\d+)\)"));

/// `Thread 20 (Thread 0x7f… (LWP 123) "python"):`
static GDB_THREAD: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r#"^Thread (\d+) \((?:Thread 0x[0-9a-f]+ )?\(?LWP (\d+)\)?(?: (?:"([^"]*)"|\(([^)]*)\)))?.*\):"#,
    )
});

/// `#3  0x00007f… in function (arguments) at file.c:12`; without a number where gdb says where it stopped.
static GDB_FRAME: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^\s*#(\d+)\s+(?:(0x[0-9a-fA-F]+)(?: <[^>]*>)? in )?(.*)$"));
static GDB_PLACE: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^(?:(0x[0-9a-fA-F]{6,}) in )?([A-Za-z_.?~][^ ].* \(.*)$"));
static GDB_REST: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^\s{2,}(?:from (\S.*?)|at (\S+:\d+))\s*$"));

/// `* thread #1, name = 'python', stop reason = signal SIGABRT`
static LLDB_THREAD: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^\s*(\*)? ?thread #(\d+)(?:: tid = (?:0x)?[0-9a-f]+)?(?:.*?name = '([^']*)')?(?:.*(stop reason = (?:signal SIG(?:SEGV|ABRT|BUS|ILL|FPE)|EXC_)))?",
    )
});

/// `frame #0: 0x0000000199b00388`, then the library, a backtick, and `__pthread_kill + 8 at file.c:12`.
static LLDB_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^\s*\*? ?frame #(\d+): (0x[0-9a-f]+) ([^`]*?)`(.*?)(?: \+ (\d+))?(?: at (\S+:\d+(?::\d+)?))?(?: \[opt\])?\s*$",
    )
});

/// `frame #0: c10::Error::Error(…) + 0x57 (0x7f… in /path/libc10.so)`: PyTorch's own form.
static TORCH_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^\s*frame #(\d+): (.*?)(?: \+ (0x[0-9a-f]+))? \((0x[0-9a-f]+) in ([^)]+)\)\s*$",
    )
});

pub(super) fn read(line: &str, after_stop: bool) -> Option<Piece> {
    let start = line.trim_start();
    if start.starts_with('#') {
        return gdb_frame(line);
    }
    if start.contains("frame #") {
        return lldb_frame(line).or_else(|| torch_frame(line));
    }
    if start.contains(" signal ")
        && let Some(groups) = GDB_STOP.captures(line)
    {
        return Some(Piece::Stop {
            label: groups.get(1).and_then(|it| it.as_str().parse().ok()),
            name: groups.get(2).map(|it| it.as_str().to_owned()),
        });
    }
    if start.starts_with('[') {
        let groups = GDB_SWITCH.captures(line)?;
        return Some(Piece::Switch {
            id: groups.get(1)?.as_str().parse().ok(),
        });
    }
    if start.starts_with("Thread ") {
        return gdb_thread(line);
    }
    if start.starts_with("thread #") || start.starts_with("* thread #") {
        return lldb_thread(line);
    }
    if line.starts_with("  ") {
        return gdb_rest(line);
    }
    (after_stop || start.starts_with("0x")).then(|| gdb_place(line))?
}

fn gdb_thread(line: &str) -> Option<Piece> {
    let groups = GDB_THREAD.captures(line)?;
    let text = |group: usize| groups.get(group).map(|it| it.as_str());
    Some(Piece::Heading(Heading {
        id: text(2).and_then(|id| id.parse().ok()),
        label: text(1).and_then(|label| label.parse().ok()),
        name: text(3).or(text(4)).map(str::to_owned),
        ..Heading::new(Writer::Gdb, false)
    }))
}

fn gdb_frame(line: &str) -> Option<Piece> {
    let groups = GDB_FRAME.captures(line)?;
    let number = groups.get(1)?.as_str().parse().ok()?;
    let address = groups.get(2).map(|it| it.as_str());
    let frame = gdb_function(address, groups.get(3)?.as_str())?;
    Some(gdb_piece(number, frame))
}

/// Where gdb stopped: the innermost frame, which `bt` tells again.
fn gdb_place(line: &str) -> Option<Piece> {
    let groups = GDB_PLACE.captures(line)?;
    let address = groups.get(1).map(|it| it.as_str());
    let frame = gdb_function(address, groups.get(2)?.as_str())?;
    Some(gdb_piece(0, frame))
}

fn gdb_piece(number: u32, frame: NativeFrame) -> Piece {
    Piece::Frame {
        writer: Writer::Gdb,
        number: Some(number),
        process: None,
        frame: Frame::Native(frame),
    }
}

/// `function (arguments) from /path/lib.so`, `function (arguments) at file.c:12`.
fn gdb_function(address: Option<&str>, text: &str) -> Option<NativeFrame> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let (text, path) = match text.rsplit_once(" from ") {
        Some((before, path)) if before.ends_with(')') => (before, Some(path.trim())),
        _ => (text, None),
    };
    let (text, source) = match text.rsplit_once(" at ") {
        Some((before, place)) if before.ends_with(')') => (before, source_line(place)),
        _ => (text, None),
    };
    let function = without_arguments(text).trim();
    let is_known = function != "??" && !function.is_empty();
    // Neither an address nor arguments: a comment that begins with `#1`.
    if address.is_none() && !text.contains(['(', '<']) {
        return None;
    }
    let mut frame = native(address, is_known.then_some(function), path);
    frame.source = source;
    Some(frame)
}

/// The name before ` (arguments)`, which may itself have parentheses: gdb writes `operator() (this=0x0)`.
fn without_arguments(text: &str) -> &str {
    if !text.ends_with(')') {
        // Cut in the middle of the arguments.
        return text.split(" (").next().unwrap_or(text);
    }
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            let before = text.get(..index).unwrap_or(text);
            // `(anonymous namespace)::f(int)` without arguments of its own.
            return if before.ends_with(' ') { before } else { text };
        }
    }
    text
}

fn gdb_rest(line: &str) -> Option<Piece> {
    let groups = GDB_REST.captures(line)?;
    Some(Piece::Rest {
        path: groups.get(1).map(|it| it.as_str().to_owned()),
        source: groups.get(2).and_then(|it| source_line(it.as_str())),
    })
}

fn lldb_thread(line: &str) -> Option<Piece> {
    let groups = LLDB_THREAD.captures(line)?;
    let crashed = groups.get(1).is_some() || groups.get(4).is_some();
    Some(Piece::Heading(Heading {
        label: groups.get(2).and_then(|it| it.as_str().parse().ok()),
        name: groups.get(3).map(|it| it.as_str().to_owned()),
        ..Heading::new(Writer::Lldb, crashed)
    }))
}

fn lldb_frame(line: &str) -> Option<Piece> {
    let groups = LLDB_FRAME.captures(line)?;
    let text = |group: usize| groups.get(group).map(|it| it.as_str());
    let mut frame = native(text(2), text(4), text(3));
    frame.function_offset = text(5).and_then(|offset| offset.parse().ok());
    frame.source = text(6).and_then(source_line);
    Some(Piece::Frame {
        writer: Writer::Lldb,
        number: text(1).and_then(|number| number.parse().ok()),
        process: None,
        frame: Frame::Native(frame),
    })
}

fn torch_frame(line: &str) -> Option<Piece> {
    let groups = TORCH_FRAME.captures(line)?;
    let text = |group: usize| groups.get(group).map(|it| it.as_str());
    let function = text(2).filter(|name| *name != "<unknown function>");
    let mut frame = native(text(4), function, text(5));
    frame.function_offset = text(3)
        .and_then(super::hexadecimal)
        .filter(|_| function.is_some());
    Some(Piece::Frame {
        writer: Writer::Torch,
        number: text(1).and_then(|number| number.parse().ok()),
        process: None,
        frame: Frame::Native(frame),
    })
}
