//! Crash reports of macOS and Windows, and the stacks of Julia and `PaddlePaddle`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Heading, Piece, Writer, compile, native, source_line};
use crate::capture::{Address, Frame};

static MACOS_THREAD: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^Thread (\d+)( Crashed)?:(?:$|[: ].*|\s*$)"));

/// `3   libarrow.1700.dylib   0x000000011e000212 arrow::fs::Register(int) + 82`
static MACOS_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^(\d+)\s+(\S.*?)\s+(0x[0-9a-f]{6,}) (.*?)(?: \+ (\d+))?(?: \(([^()\s]+:\d+)\))?\s*$")
});

/// `3   paddle::framework::Operator::Run()`
static PADDLE_FRAME: LazyLock<Regex> = LazyLock::new(|| compile(r"^(\d+) {1,4}(\S.*?)\s*$"));

/// `uv__io_start at /path/libtorch_cpu.dylib (unknown line)`, `start_reading at ./stream.jl:793`
static JULIA_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^(\S.*?) at (\S+?)(?: \(unknown line\)|:(\d+))(?: \[inlined\])?\s*$")
});

/// Windows' event log.
static WINDOWS_MODULE: LazyLock<Regex> =
    LazyLock::new(|| compile(r"Faulting module (name|path): ([^,]+?)(?:, version.*)?\s*$"));

pub(super) fn read(line: &str, current: Option<Writer>) -> Option<Piece> {
    if line.starts_with("Thread ") {
        return macos_thread(line);
    }
    if line.contains("C++ Traceback (most recent call last)") {
        return Some(Piece::Heading(Heading::new(Writer::Paddle, true)));
    }
    if line.contains("Error Message Summary:") {
        return Some(Piece::End(Writer::Paddle));
    }
    if line.contains("signal (") && line.contains("): ") {
        return Some(Piece::Heading(Heading::new(Writer::Julia, true)));
    }
    if line.contains("Faulting module ") {
        return windows_module(line);
    }
    match current? {
        Writer::MacOs => macos_frame(line),
        Writer::Paddle => paddle_frame(line),
        Writer::Julia => julia_frame(line),
        _ => None,
    }
}

fn macos_thread(line: &str) -> Option<Piece> {
    let groups = MACOS_THREAD.captures(line)?;
    Some(Piece::Heading(Heading {
        label: groups.get(1).and_then(|it| it.as_str().parse().ok()),
        ..Heading::new(Writer::MacOs, groups.get(2).is_some())
    }))
}

fn macos_frame(line: &str) -> Option<Piece> {
    if line.trim().is_empty() || line.starts_with("Binary Images:") {
        return Some(Piece::End(Writer::MacOs));
    }
    let groups = MACOS_FRAME.captures(line)?;
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

fn paddle_frame(line: &str) -> Option<Piece> {
    let groups = PADDLE_FRAME.captures(line)?;
    Some(Piece::Frame {
        writer: Writer::Paddle,
        number: groups.get(1)?.as_str().parse().ok(),
        process: None,
        frame: Frame::Native(native(None, groups.get(2).map(|it| it.as_str()), None)),
    })
}

fn julia_frame(line: &str) -> Option<Piece> {
    if line.trim().is_empty() || line.starts_with("Allocations:") {
        return Some(Piece::End(Writer::Julia));
    }
    if line.starts_with("in expression starting at") {
        return None;
    }
    let groups = JULIA_FRAME.captures(line)?;
    let file = groups.get(2)?.as_str();
    let number = groups.get(3).and_then(|it| it.as_str().parse().ok());
    let library = number.is_none().then_some(file);
    let mut frame = native(None, groups.get(1).map(|it| it.as_str()), library);
    frame.source = number.map(|line| crate::capture::SourceLine {
        file: file.to_owned(),
        line,
    });
    Some(Piece::Frame {
        writer: Writer::Julia,
        number: None,
        process: None,
        frame: Frame::Native(frame),
    })
}

/// The event log names the library and, on another line, the place in it.
fn windows_module(line: &str) -> Option<Piece> {
    let groups = WINDOWS_MODULE.captures(line)?;
    if groups.get(1)?.as_str() == "path" {
        return None;
    }
    let mut frame = native(None, None, groups.get(2).map(|it| it.as_str()));
    frame.address = Address(0);
    Some(Piece::Frame {
        writer: Writer::Windows,
        number: None,
        process: None,
        frame: Frame::Native(frame),
    })
}
