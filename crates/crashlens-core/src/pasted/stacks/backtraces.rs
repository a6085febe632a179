//! Stacks that a process writes of itself with `backtrace_symbols` of the C library or a function like it: glibc until
//! 2.25, TensorFlow, Open MPI, UCX, `MXNet`; and the forms of glog and abseil.

use std::sync::LazyLock;

use regex::Regex;

use super::{Heading, Piece, Writer, hexadecimal, native};
use crate::capture::{Address, Frame, NativeFrame};
use crate::embedded;

/// `path(function+0x1f)[0x7f…]`, `path(+0x777e5) [0x7f…]`, `path[0x7f…]`.
static SYMBOL: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^(?<path>[^\s(\[]+)(?:\((?<function>.*?)(?:\+(?<offset>0x[0-9a-f]+))?\))? ?\[(?<address>0x[0-9a-f]+)\]",
    )
});

/// `[host:4711] [ 0] …`
static OPEN_MPI: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^\[[^\]\s:]+(?::(\d+))?\] \[ ?(\d+)\] ?(.*)$"));

/// ` 2 0x00000000000153c0 function()  ???:0` or ` 1  /path/lib.so(function+0x2e4) [0x7f…]`, below a heading.
static UCX: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"^\s*(\d+) +(?:0x([0-9a-f]+) (\S.*?)(?:\(\))?\s+\S+:\d+|(/.*))\s*$")
});

/// `[bt] (0) …`
static MXNET: LazyLock<Regex> = LazyLock::new(|| embedded::regex(r"\[bt\] \((\d+)\) (.*)$"));

/// `    @     0x7fff91800f1a  1234  function()`; abseil writes the size of the frame too, if it knows it.
static GLOG: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"^(PC: )?\s*@\s+(0x[0-9a-f]+)(?:\s+\d+)?\s+(?:\(unknown\)\s+)?(\S.*?)\s*$")
});

pub(super) fn read(line: &str, current: Option<Writer>) -> Option<Piece> {
    if line.contains("= Backtrace: =") {
        return Some(Piece::Heading(Heading::new(Writer::CLibrary, true)));
    }
    if line.contains("= Memory map: =") {
        return Some(Piece::End(Writer::CLibrary));
    }
    if line.contains("*** BEGIN MANGLED STACK TRACE ***") {
        return Some(Piece::Heading(Heading::new(Writer::Symbols, true)));
    }
    if line.contains("*** END MANGLED STACK TRACE ***") {
        return Some(Piece::End(Writer::Symbols));
    }
    if line.contains("==== backtrace") {
        return Some(Piece::Heading(Heading::new(Writer::Ucx, true)));
    }
    if current == Some(Writer::Ucx) {
        return ucx_frame(line);
    }
    if line.contains("*** Check failure stack trace: ***") {
        return Some(Piece::Heading(Heading::new(Writer::Glog, true)));
    }
    if line.contains('@')
        && let Some(piece) = glog_frame(line)
    {
        return Some(piece);
    }
    if let Some(groups) = line
        .contains("[bt] ")
        .then(|| MXNET.captures(line))
        .flatten()
    {
        return numbered(
            Writer::Mxnet,
            groups.get(1)?.as_str(),
            None,
            groups.get(2)?.as_str(),
        );
    }
    if let Some(groups) = line
        .starts_with('[')
        .then(|| OPEN_MPI.captures(line))
        .flatten()
    {
        let process = groups.get(1).and_then(|it| it.as_str().parse().ok());
        return numbered(
            Writer::OpenMpi,
            groups.get(2)?.as_str(),
            process,
            groups.get(3)?.as_str(),
        );
    }
    let writer = current.filter(|it| matches!(it, Writer::CLibrary | Writer::Symbols));
    if !line.contains("[0x") || (writer.is_none() && !line.starts_with('/')) {
        return None;
    }
    Some(Piece::Frame {
        writer: writer.unwrap_or(Writer::Symbols),
        number: None,
        process: None,
        frame: Frame::Native(symbol(line)?),
    })
}

fn numbered(writer: Writer, number: &str, process: Option<u32>, text: &str) -> Option<Piece> {
    Some(Piece::Frame {
        writer,
        number: number.parse().ok(),
        process,
        frame: Frame::Native(symbol(text)?),
    })
}

/// A frame as `backtrace_symbols` writes it.
fn symbol(text: &str) -> Option<NativeFrame> {
    let groups = SYMBOL.captures(text)?;
    let part = |name: &str| groups.name(name).map(|it| it.as_str());
    let function = part("function").filter(|name| !name.is_empty());
    let mut frame = native(part("address"), function, part("path"));
    let offset = part("offset").and_then(hexadecimal);
    match function {
        Some(_) => frame.function_offset = offset,
        None => frame.module_offset = offset.map(Address),
    }
    Some(frame)
}

fn ucx_frame(line: &str) -> Option<Piece> {
    if line.starts_with("====") {
        return Some(Piece::End(Writer::Ucx));
    }
    let groups = UCX.captures(line)?;
    let number = groups.get(1)?.as_str();
    if let Some(symbol) = groups.get(4) {
        return numbered(Writer::Ucx, number, None, symbol.as_str());
    }
    // The number is a place in a file that is not named.
    let mut frame = native(None, groups.get(3).map(|it| it.as_str()), None);
    frame.module_offset = groups
        .get(2)
        .and_then(|it| hexadecimal(it.as_str()))
        .map(Address);
    Some(Piece::Frame {
        writer: Writer::Ucx,
        number: number.parse().ok(),
        process: None,
        frame: Frame::Native(frame),
    })
}

fn glog_frame(line: &str) -> Option<Piece> {
    let groups = GLOG.captures(line)?;
    let function = groups.get(3)?.as_str();
    let function = Some(function).filter(|name| *name != "(unknown)");
    Some(Piece::Frame {
        writer: Writer::Glog,
        // The place of the fault comes first, and with it another stack begins.
        number: groups.get(1).map(|_| 0),
        process: None,
        frame: Frame::Native(native(groups.get(2).map(|it| it.as_str()), function, None)),
    })
}
