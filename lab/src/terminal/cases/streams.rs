//! What programs write on both streams, and the size of the window.

use super::super::case::Step::{Press, Resize, See};
use super::super::case::{CASE, Case, Need};

const UPDATES: &str = "\
import sys
for n in (10, 20, 50):
    sys.stderr.write('\\rloading %3d%%' % n); sys.stderr.flush()
sys.stdin.readline()
for n in (60, 100):
    sys.stderr.write('\\rloading %3d%%' % n); sys.stderr.flush()
sys.stderr.write('\\n')
";

const MIXED: &str = "\
import os
for n in range(300):
    os.write(1, b'out %d ' % n)
    os.write(2, b'err %d\\n' % n)
os.write(1, b'the end\\n')
";

const SIZES: &str = "\
import os, signal
def show(*_):
    print([tuple(os.get_terminal_size(n)) for n in range(3)], flush=True)
signal.signal(signal.SIGWINCH, show)
show()
print('watching', flush=True)
while True: signal.pause()
";

pub const CASES: &[Case] = &[
    Case {
        name: "updates with \\r",
        shows: "a line on standard error that is overwritten, at half and at its end",
        needs: &[Need::Packages],
        files: &[("loads.py", UPDATES)],
        command: "run python3 loads.py",
        steps: &[See("50%"), Press("Enter"), See("100%")],
        ..CASE
    },
    Case {
        name: "order of streams",
        shows: "600 writes in turn to standard output and standard error stay in order",
        needs: &[Need::Packages],
        files: &[("mixed.py", MIXED)],
        command: "run python3 mixed.py",
        steps: &[See("the end")],
        ..CASE
    },
    Case {
        name: "resize",
        shows: "a program that shows its size on `SIGWINCH`, once per change and by each descriptor",
        needs: &[Need::Packages],
        files: &[("sizes.py", SIZES)],
        command: "run python3 sizes.py",
        steps: &[
            See("watching"),
            Resize(100, 30),
            See("(100, 30), (100, 30), (100, 30)"),
            Resize(60, 20),
            See("(60, 20), (60, 20), (60, 20)"),
            Press("C-c"),
            See("KeyboardInterrupt"),
        ],
        ends: "2:130> ",
        ..CASE
    },
];
