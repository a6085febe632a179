//! Why a path cannot be read, where that is no matter of permissions: links that lead nowhere, pipes, devices.

use std::fmt;
use std::fs::{self, FileType};
use std::io;
use std::os::unix::fs::FileTypeExt as _;

use crashlens_core::files::{Flaw, FlawKind, Part};

use crate::names::path_of;

/// What a path is instead of a file.
#[derive(Debug)]
struct NoFile {
    part: Part,
    detail: String,
}

impl fmt::Display for NoFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.detail)
    }
}

impl std::error::Error for NoFile {}

/// Tells a link that leads nowhere from a file that is not there.
pub(crate) fn if_dangling(path: &str, error: io::Error) -> io::Error {
    let Ok(target) = fs::read_link(path_of(path)) else {
        return error;
    };
    let target = target.display();
    let detail = match error.kind() {
        io::ErrorKind::NotFound => format!("the link leads nowhere: {target} is not there"),
        _ if error.raw_os_error() == Some(libc::ELOOP) => {
            format!("the link to {target} leads in a circle")
        }
        _ => return error,
    };
    let part = Part::Link;
    io::Error::new(error.kind(), NoFile { part, detail })
}

/// Something that was opened and is no regular file.
pub(crate) fn special(kind: FileType) -> io::Error {
    let what = if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    let detail = format!("this is {what}, not a file");
    let part = Part::SpecialFile;
    io::Error::new(io::ErrorKind::InvalidInput, NoFile { part, detail })
}

/// The flaw that an error is; `part` is where nothing better is known.
pub(crate) fn flaw(error: &io::Error, part: Part) -> Flaw {
    let known = error.get_ref().and_then(|it| it.downcast_ref::<NoFile>());
    Flaw {
        kind: FlawKind::Unreadable,
        part: known.map_or(part, |it| it.part).into(),
        at: None,
        detail: error.to_string(),
    }
}
