//! A descriptor of another process, to write where that process would.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;

use rustix::fs::{FileType, OFlags, Stat, fcntl_getfl, fstat, stat};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

/// Which file a descriptor is, whatever its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
    kind: FileType,
}

impl FileId {
    /// The file that descriptor `number` of a process is.
    pub fn of(process: u32, number: i32) -> io::Result<Self> {
        Ok(Self::new(&stat(format!("/proc/{process}/fd/{number}"))?))
    }

    fn new(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            kind: FileType::from_raw_mode(stat.st_mode),
        }
    }

    /// Whether a descriptor is this file, open for writing.
    pub fn is_written_by(&self, descriptor: impl AsFd) -> bool {
        let is_readable_only = |flags: OFlags| flags & OFlags::RWMODE == OFlags::RDONLY;
        fstat(&descriptor).is_ok_and(|stat| Self::new(&stat) == *self)
            && fcntl_getfl(&descriptor).is_ok_and(|flags| !is_readable_only(flags))
    }
}

/// What descriptor `number` of a traced process is, shared with it: the same position in a file, the same terminal, pipe or
/// socket.
///
/// Before Linux 5.6 it is opened again by its name in `/proc`, which works for all but sockets.
pub fn descriptor_of(process: u32, number: i32) -> io::Result<OwnedFd> {
    shared(process, number).or_else(|_| Ok(opened(process, number)?.into()))
}

fn shared(process: u32, number: i32) -> io::Result<OwnedFd> {
    let process = Pid::from_raw(process as i32).ok_or(io::ErrorKind::NotFound)?;
    let process = pidfd_open(process, PidfdFlags::empty())?;
    Ok(pidfd_getfd(process, number, PidfdGetfdFlags::empty())?)
}

/// Appends: the position is another than that of the process.
fn opened(process: u32, number: i32) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .custom_flags(libc::O_NOCTTY)
        .open(format!("/proc/{process}/fd/{number}"))
}
