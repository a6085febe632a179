//! Work that goes on when the command has ended, in a process that no other waits for.

use std::fs::OpenOptions;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsRawFd as _;

use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, setsid};

use crate::sys;

/// Says to the process that started the work that it goes on alone.
#[derive(Debug)]
pub struct Ready(PipeWriter);

impl Ready {
    /// Lets the standard streams go, so that their readers see the end, and says so.
    pub fn announce(mut self) {
        if let Ok(null) = OpenOptions::new().read(true).write(true).open("/dev/null") {
            let _ = dup2_stdin(&null);
            let _ = dup2_stdout(&null);
            let _ = dup2_stderr(&null);
        }
        let _ = self.0.write_all(&[1]);
    }
}

/// Starts `work` in a process of its own: not a child of the caller, in a session of its own, so that no Ctrl-C and no end of a terminal
/// reaches it, and with no descriptor but its standard streams. Returns when it is ready: whether it is, or has ended before.
///
/// Call it from a process that has no other threads.
pub fn detach(work: impl FnOnce(Ready)) -> io::Result<bool> {
    let (reader, writer) = io::pipe()?;
    let keep = [0, 1, 2, writer.as_raw_fd()];
    sys::fork_detached(|| {
        let _ = setsid();
        sys::close_all_except(keep);
        // Until here everything is said that is to be said: the caller waits for that too.
        let said = writer.try_clone();
        work(Ready(writer));
        drop(said);
    })?;
    Ok(is_ready(reader))
}

/// Ends when the other side has written or ended. Our own copy of the writer went with the closure.
fn is_ready(mut reader: PipeReader) -> bool {
    matches!(reader.read(&mut [0]), Ok(1))
}
