//! Writes to a stream whose reader may be slow, or stopped with Ctrl-S, without waiting for it for ever.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// As much as a pipe takes at once when it takes anything. The stream may be shared with the program, so it is not made
/// one that never blocks.
const PIECE: usize = 4096;

/// Writes `text`, and returns what could not be written within `patience`; without it, waits for as long as it takes.
pub(crate) fn write<'a>(
    stream: &impl AsFd,
    text: &'a [u8],
    patience: Option<Duration>,
) -> io::Result<&'a [u8]> {
    let deadline = patience.map(|patience| Instant::now() + patience);
    let mut rest = text;
    while !rest.is_empty() {
        if !is_ready(stream, deadline)? {
            break;
        }
        match nix::unistd::write(stream, &rest[..rest.len().min(PIECE)]) {
            Ok(count) => rest = &rest[count..],
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(rest)
}

/// Whether the stream takes a piece before the deadline. Where the kernel does not let us ask, it does.
fn is_ready(stream: &impl AsFd, deadline: Option<Instant>) -> io::Result<bool> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = left.map_or(PollTimeout::NONE, |left| {
            PollTimeout::try_from(left.as_millis()).unwrap_or(PollTimeout::MAX)
        });
        let mut streams = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
        match poll(&mut streams, timeout) {
            Ok(0) => return Ok(false),
            Ok(_) | Err(Errno::EPERM | Errno::ENOSYS | Errno::EACCES) => return Ok(true),
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_reader_that_does_not_read_gets_the_rest_later() {
        let (mut reader, writer) = io::pipe().unwrap();
        let text: Vec<u8> = (0..1_000_000_u32).map(|at| (at % 251) as u8).collect();
        let rest = write(&writer, &text, Some(Duration::ZERO)).unwrap();
        assert!(!rest.is_empty() && rest.len() < text.len());
        let rest = rest.to_vec();
        let later = std::thread::spawn(move || write(&writer, &rest, None).unwrap().len());
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert_eq!(later.join().unwrap(), 0);
        assert!(read == text);
    }

    #[test]
    fn a_reader_that_has_gone_is_an_error() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        assert!(write(&writer, b"x", None).is_err());
    }
}
