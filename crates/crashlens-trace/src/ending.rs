//! Our own end, where the program was ended by a signal.

use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};

use crate::sys;

/// Ends crashlens by the signal that ended the program, so that its parent sees from `wait` what it would see without
/// crashlens: a shell leaves a loop at Ctrl-C only for a child that died of SIGINT. There is no core dump of crashlens.
///
/// Returns where the signal does not end the process, as for the first process of a container.
pub fn end_by(signal: u8) {
    // A handler of core dumps that is a program gets them whatever the limit, but not of what is not dumpable.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let _ = prctl::set_dumpable(false);
    sys::raise_default(i32::from(signal));
}
