//! Faults that a handler of the program receives before it dies, or does not die.

use crashlens_core::{Address, Observed, Signal};

use crate::support::{python, run, run_python};

#[test]
fn faulthandler_raises_again_and_the_first_fault_is_the_ending() {
    let finished = run(&[
        python(),
        "-X",
        "faulthandler",
        "-c",
        "import ctypes; ctypes.string_at(0x20)",
    ]);
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal::SEGV));
    assert_eq!(death.ending.code.as_deref(), Some("SEGV_MAPERR"));
    assert_eq!(death.ending.address, Some(Address(0x20)));
    assert_eq!(death.ending.earlier_faults.len(), 1);
    let Observed::Known(registers) = death.registers else {
        panic!("no registers")
    };
    assert_eq!(
        registers.rip,
        death.ending.earlier_faults[0].instruction_pointer
    );
    assert!(
        finished
            .stderr
            .contains("Fatal Python error: Segmentation fault")
    );
    let tail = death.output.stderr.known().unwrap();
    assert!(
        tail.lines.iter().any(|line| line.contains("in string_at")),
        "{tail:?}"
    );
}

#[test]
fn an_abort_under_faulthandler_is_one_death_with_the_first_stack() {
    let finished = run(&[
        python(),
        "-X",
        "faulthandler",
        "-c",
        "import os; os.abort()",
    ]);
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal::ABRT));
    assert_eq!(death.ending.earlier_faults.len(), 1);
}

#[test]
fn a_fault_that_a_handler_survives_is_no_death() {
    let finished = run_python(
        "import signal, os\n\
         signal.signal(signal.SIGSEGV, lambda *_: print('caught'))\n\
         for _ in range(200): os.kill(os.getpid(), signal.SIGSEGV)\n\
         print('alive')",
    );
    assert!(finished.deaths.is_empty());
    assert_eq!(finished.code, Some(0));
    assert_eq!(
        finished
            .stdout
            .lines()
            .filter(|line| *line == "caught")
            .count(),
        200
    );
    assert!(finished.stdout.ends_with("alive\n"));
}

#[test]
fn a_survived_fault_is_listed_with_a_later_death_of_another_kind() {
    let finished = run_python(
        "import signal, os\n\
         signal.signal(signal.SIGSEGV, lambda *_: None)\n\
         for _ in range(3): os.kill(os.getpid(), signal.SIGSEGV)\n\
         os.abort()",
    );
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal::ABRT));
    let earlier = &death.ending.earlier_faults;
    assert_eq!(
        (earlier.len(), earlier[0].signal, earlier[0].count),
        (1, Signal::SEGV, 3)
    );
}

#[test]
fn an_ignored_fault_signal_is_no_death() {
    let finished = run(&["/bin/sh", "-c", "trap '' ABRT; kill -ABRT $$; exit 6"]);
    assert!(finished.deaths.is_empty());
    assert_eq!(finished.code, Some(6));
}
