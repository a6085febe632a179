//! Input that may not be there yet: a pipe, a terminal, `/proc/kmsg`. A command that waits without a sign looks hung.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Milliseconds of waiting before a line says so.
const UNTOLD: u16 = 1000;

/// A file that says what it waits for.
pub(super) struct Waiting {
    file: File,
    name: String,
    is_told: bool,
}

impl Waiting {
    /// Opens a file without waiting: opening a pipe would, until another process writes to it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(path)?;
        Ok(Self::new(file, path.display().to_string()))
    }

    /// Not by way of `Stdin`, which keeps bytes that the file then seems not to have.
    pub(super) fn stdin() -> io::Result<Self> {
        let file = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Self::new(file.into(), "standard input".to_owned()))
    }

    fn new(file: File, name: String) -> Self {
        Self {
            file,
            name,
            is_told: false,
        }
    }

    pub(super) fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.file.metadata()
    }

    /// Returns when there are bytes to read, or the end.
    fn wait(&mut self) {
        if !self.is_told && !self.is_ready(PollTimeout::from(UNTOLD)) {
            self.is_told = true;
            let name = &self.name;
            // Where standard error is gone there is no one to tell.
            let _ = writeln!(
                io::stderr(),
                "crashlens: waiting for {name}, which is read to its end; Ctrl-C stops crashlens"
            );
        }
        while !self.is_ready(PollTimeout::NONE) {}
    }

    /// What cannot be waited for is read: the error comes from there.
    fn is_ready(&self, timeout: PollTimeout) -> bool {
        let mut polled = [PollFd::new(self.file.as_fd(), PollFlags::POLLIN)];
        match poll(&mut polled, timeout) {
            Ok(ready) => ready > 0,
            // Stopped and resumed by a shell.
            Err(Errno::EINTR) => false,
            Err(_) => true,
        }
    }
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait();
            match self.file.read(buffer) {
                // Another reader of the pipe was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}
