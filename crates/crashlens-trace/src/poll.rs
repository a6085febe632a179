//! Waits for descriptors, also where a seccomp filter refuses the usual way.
//!
//! Allocates nothing: processes that were just forked wait here too (see [`crate::sys::fork_detached`]).

use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};

/// Pause between two looks where the kernel refuses to wait for descriptors.
const PAUSE: Duration = Duration::from_millis(10);

/// A descriptor and what is waited for. Its end is always noticed.
pub(crate) type Stream<'a> = (BorrowedFd<'a>, PollFlags);

/// Waits until one of the streams is ready, and says for each what it is ready for: nothing for one that was not given, and
/// nothing for all when the time is over. Fails only when a signal interrupts it.
///
/// Where the kernel refuses to wait, this says after a short sleep that every stream is ready. Therefore no stream
/// may block when it is read.
pub(crate) fn poll<const N: usize>(
    streams: [Option<Stream<'_>>; N],
    timeout: Option<Duration>,
) -> Result<[PollFlags; N], Errno> {
    let wanted = streams.map(|stream| stream.map_or(PollFlags::empty(), |(_, events)| events));
    let Some(any) = streams.into_iter().flatten().next() else {
        return Ok(by_sleeping(wanted, timeout));
    };
    // Those that were given, without the gaps. The rest of the array is not used.
    let mut entries = [(); N].map(|()| PollFd::new(any.0, any.1));
    let mut count = 0;
    for (fd, events) in streams.into_iter().flatten() {
        entries[count] = PollFd::new(fd, events);
        count += 1;
    }
    let given = &mut entries[..count];
    match by_kernel(given, timeout) {
        Ok(()) => {}
        Err(Errno::EINTR) => return Err(Errno::EINTR),
        Err(_) => return Ok(by_sleeping(wanted, timeout)),
    }
    let mut ready = given.iter().map(PollFd::revents);
    Ok(streams.map(|stream| {
        let found = stream.and_then(|_| ready.next().flatten());
        found.unwrap_or(PollFlags::empty())
    }))
}

fn by_kernel(entries: &mut [PollFd<'_>], timeout: Option<Duration>) -> Result<(), Errno> {
    let milliseconds = timeout.map_or(PollTimeout::NONE, |timeout| {
        // Rounded up, so that the last millisecond is waited for and not spun through.
        PollTimeout::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(PollTimeout::MAX)
    });
    match nix::poll::poll(entries, milliseconds) {
        Ok(_) => Ok(()),
        Err(Errno::EINTR) => Err(Errno::EINTR),
        Err(_) => nix::poll::ppoll(entries, timeout.map(TimeSpec::from), None).map(drop),
    }
}

fn by_sleeping<const N: usize>(
    wanted: [PollFlags; N],
    timeout: Option<Duration>,
) -> [PollFlags; N] {
    if timeout.is_some_and(|timeout| timeout.is_zero()) {
        return [PollFlags::empty(); N];
    }
    sleep(timeout.map_or(PAUSE, |timeout| timeout.min(PAUSE)));
    wanted
}

/// Unlike the sleep of std, it does not panic where it is refused.
fn sleep(pause: Duration) {
    let _ = clock_nanosleep(
        ClockId::CLOCK_MONOTONIC,
        ClockNanosleepFlags::empty(),
        &TimeSpec::from(pause),
    );
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn what_is_ready_stands_at_the_place_of_its_stream() {
        let (near, mut far) = UnixStream::pair().unwrap();
        let (quiet, _open) = UnixStream::pair().unwrap();
        far.write_all(b"x").unwrap();
        let stream = |stream| Some((stream, PollFlags::POLLIN));
        let streams = [None, stream(quiet.as_fd()), None, stream(near.as_fd())];
        let none = PollFlags::empty();
        assert_eq!(
            poll(streams, None),
            Ok([none, none, none, PollFlags::POLLIN])
        );
    }

    #[test]
    fn nothing_is_ready_when_the_time_is_over() {
        let (near, _far) = UnixStream::pair().unwrap();
        let streams = [Some((near.as_fd(), PollFlags::POLLIN))];
        let none = [PollFlags::empty()];
        assert_eq!(poll(streams, Some(Duration::ZERO)), Ok(none));
        assert_eq!(by_sleeping([PollFlags::POLLIN], Some(Duration::ZERO)), none);
    }

    #[test]
    fn without_the_kernel_all_is_said_to_be_ready_before_the_time_is_over() {
        for timeout in [None, Some(Duration::from_hours(1))] {
            let wanted = [PollFlags::POLLIN, PollFlags::empty()];
            assert_eq!(by_sleeping(wanted, timeout), wanted);
        }
    }
}
