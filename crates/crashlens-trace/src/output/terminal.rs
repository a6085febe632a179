//! A second terminal, for a program whose last words are to be kept although it writes to one.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use nix::fcntl::{OFlag, open};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::stat::Mode;
use nix::sys::termios::{LocalFlags, OutputFlags, SetArg, tcgetattr, tcsetattr};
use rustix::termios::{tcgetwinsize, tcsetwinsize};

/// Our side of a new terminal, which does not block, and the program's. It has the settings and the size of `terminal`, and is
/// the controlling terminal of no process.
pub(super) fn open_terminal_like(terminal: &impl AsFd) -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let ours = posix_openpt(flags | OFlag::O_NONBLOCK)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let theirs = open(ptsname_r(&ours)?.as_str(), flags, Mode::empty())?;
    let mut settings = tcgetattr(terminal)?;
    // The real terminal turns \n into \r\n. If this one did too, every line would end in \r\r\n.
    settings.output_flags.remove(OutputFlags::OPOST);
    let echo = LocalFlags::ECHO | LocalFlags::ECHONL;
    settings.local_flags.remove(echo);
    tcsetattr(&theirs, SetArg::TCSANOW, &settings)?;
    copy_size(terminal, &ours);
    Ok((ours.into(), theirs))
}

/// Gives a terminal the size of another. Programs that draw ask for it each time, so that it is enough to do this when they write.
pub(super) fn copy_size(from: &impl AsFd, to: &impl AsFd) {
    let (Ok(wanted), Ok(size)) = (tcgetwinsize(from), tcgetwinsize(to)) else {
        return;
    };
    let area = |size: rustix::termios::Winsize| (size.ws_row, size.ws_col);
    if area(wanted) != area(size) {
        let _ = tcsetwinsize(to, wanted);
    }
}
