//! The stacks of Julia and `PaddlePaddle`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Heading, Piece, Writer, native};
use crate::capture::Frame;
use crate::embedded;

/// `3   paddle::framework::Operator::Run()`
static PADDLE_FRAME: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^(\d+) {1,4}(\S.*?)\s*$"));

/// `uv__io_start at /path/libtorch_cpu.dylib (unknown line)`, `start_reading at ./stream.jl:793`
static JULIA_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"^(\S.*?) at (\S+?)(?: \(unknown line\)|:(\d+))(?: \[inlined\])?\s*$")
});

pub(super) fn read(line: &str, current: Option<Writer>) -> Option<Piece> {
    if line.contains("C++ Traceback (most recent call last)") {
        return Some(Piece::Heading(Heading::new(Writer::Paddle, true)));
    }
    if line.contains("Error Message Summary:") {
        return Some(Piece::End(Writer::Paddle));
    }
    if line.contains("signal (") && line.contains("): ") {
        return Some(Piece::Heading(Heading::new(Writer::Julia, true)));
    }
    match current? {
        Writer::Paddle => paddle_frame(line),
        Writer::Julia => julia_frame(line),
        _ => None,
    }
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
