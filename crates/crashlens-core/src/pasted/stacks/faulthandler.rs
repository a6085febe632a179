//! What CPython's `faulthandler` writes.

use std::sync::LazyLock;

use regex::Regex;

use super::{Heading, Piece, Writer, hexadecimal, native};
use crate::capture::{Address, Frame, FrameTrust, PythonFrame};
use crate::embedded;

static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"(Current thread|Thread) 0x[0-9a-f]+(?: \[([^\]]*)\])? \(most recent call first\):?",
    )
});

static FRAME: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r#"^\s*File "([^"]*)", line (\d+|\?\?\?) in (.+?)\s*$"#));

/// `  Binary file "/usr/lib/libpython3.14.so.1.0", at _Py_DumpStack+0x5f [0x7f2a]`
static C_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r#"^\s*Binary file "([^"]*)"(?:, at ([^+\s]*)(?:\+(0x[0-9a-f]+))?)? \[(0x[0-9a-f]+)\]"#,
    )
});

pub(super) fn read(line: &str, current: Option<Writer>) -> Option<Piece> {
    if line.contains("C stack trace (most recent call first)") {
        return Some(Piece::Heading(Heading::new(Writer::FaulthandlerC, true)));
    }
    if line.contains("(most recent call first)") {
        return heading(line);
    }
    if line.contains("Binary file \"") {
        return c_frame(line);
    }
    if line.contains("File \"") {
        return frame(line);
    }
    let is_mine = matches!(current, Some(Writer::Faulthandler | Writer::FaulthandlerC));
    let writer = current.filter(|_| is_mine)?;
    match line.trim() {
        "..." | "<truncated rest of calls>" => Some(Piece::Cut(writer)),
        "" => Some(Piece::End(writer)),
        line if line.starts_with("Extension modules:") => Some(Piece::End(writer)),
        _ => None,
    }
}

fn heading(line: &str) -> Option<Piece> {
    if line
        .trim_start()
        .starts_with("Stack (most recent call first)")
    {
        return Some(Piece::Heading(Heading::new(Writer::Faulthandler, true)));
    }
    let groups = HEADING.captures(line)?;
    let is_current = groups.get(1)?.as_str() == "Current thread";
    Some(Piece::Heading(Heading {
        name: groups.get(2).map(|name| name.as_str().to_owned()),
        ..Heading::new(Writer::Faulthandler, is_current)
    }))
}

fn frame(line: &str) -> Option<Piece> {
    let groups = FRAME.captures(line)?;
    let frame = PythonFrame {
        file: groups.get(1)?.as_str().to_owned(),
        line: groups.get(2)?.as_str().parse().ok(),
        function: groups.get(3)?.as_str().to_owned(),
        source: None,
        trust: FrameTrust::Unplaced,
        locals: Vec::new(),
    };
    Some(Piece::Frame {
        writer: Writer::Faulthandler,
        number: None,
        process: None,
        frame: Frame::Python(frame),
    })
}

fn c_frame(line: &str) -> Option<Piece> {
    let groups = C_FRAME.captures(line)?;
    let text = |group: usize| groups.get(group).map(|it| it.as_str());
    let function = text(2).filter(|name| !name.is_empty());
    let mut frame = native(text(4), function, text(1));
    let offset = text(3).and_then(hexadecimal);
    match function {
        Some(_) => frame.function_offset = offset,
        None => frame.module_offset = offset.map(Address),
    }
    Some(Piece::Frame {
        writer: Writer::FaulthandlerC,
        number: None,
        process: None,
        frame: Frame::Native(frame),
    })
}
