//! One crash per signal: the signal, its code and its address are what the kernel said.

use crashlens_core::{Address, CrashCapture, EndingKind, Frame, Observed, Role, Signal};

use crate::support::{Finished, python, run, run_python, run_shell};

/// Runs machine code in Python: the only way to a real fault of each kind that needs no compiler.
fn run_code(bytes: &str) -> Finished {
    run_python(&format!(
        "import ctypes, mmap\n\
         code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n\
         code.write(bytes.fromhex('{bytes}'))\n\
         start = ctypes.addressof(ctypes.c_char.from_buffer(code))\n\
         ctypes.CFUNCTYPE(None)(start)()"
    ))
}

fn summary(capture: &CrashCapture) -> (String, Option<&str>, Option<Address>) {
    let ending = &capture.ending;
    (
        ending.signal.unwrap().name(),
        ending.code.as_deref(),
        ending.address,
    )
}

#[test]
fn a_null_pointer_is_captured_with_its_address_and_registers() {
    let finished = run_python("import ctypes; ctypes.string_at(0x138)");
    assert_eq!(finished.code, Some(139));
    let death = finished.death();
    assert_eq!(
        summary(death),
        (
            "SIGSEGV".to_owned(),
            Some("SEGV_MAPERR"),
            Some(Address(0x138))
        )
    );
    assert_eq!(death.ending.kind, EndingKind::Signal);
    assert_eq!(death.ending.wait_status, Some(libc::SIGSEGV));
    assert_eq!(death.process.role, Role::Main);
    assert_eq!(death.process.command[0], python());
    assert_eq!(death.crashed_thread, Some(death.process.pid));
    assert!(death.threads[0].crashed && !death.threads[0].frames.is_empty());
    assert!(death.maps.known().is_some_and(|maps| maps.len() > 10));
    let Observed::Known(registers) = death.registers else {
        panic!("no registers")
    };
    assert!(
        death
            .maps
            .known()
            .unwrap()
            .iter()
            .any(|map| map.contains(registers.rip.0))
    );
}

#[test]
fn an_address_the_processor_refuses_is_not_called_a_null_pointer() {
    // mov rax, 0x8000000000000000; mov eax, [rax]
    let finished = run_code("48b800000000000000808b00c3");
    assert_eq!(
        summary(finished.death()),
        ("SIGSEGV".to_owned(), Some("SI_KERNEL"), None)
    );
}

#[test]
fn a_division_by_zero_is_captured() {
    // xor ecx, ecx; mov eax, 1; cdq; idiv ecx
    let finished = run_code("31c9b80100000099f7f9c3");
    let (signal, code, address) = summary(finished.death());
    assert_eq!(
        (signal.as_str(), code, finished.code),
        ("SIGFPE", Some("FPE_INTDIV"), Some(136))
    );
    assert!(address.is_some());
}

#[test]
fn an_illegal_instruction_is_captured() {
    let finished = run_code("0f0b");
    let (signal, code, _) = summary(finished.death());
    assert_eq!(
        (signal.as_str(), code, finished.code),
        ("SIGILL", Some("ILL_ILLOPN"), Some(132))
    );
}

#[test]
fn a_breakpoint_without_a_debugger_is_captured() {
    let finished = run_code("ccc3");
    assert_eq!(
        (summary(finished.death()).0.as_str(), finished.code),
        ("SIGTRAP", Some(133))
    );
}

#[test]
fn an_access_past_the_end_of_a_mapped_file_is_captured() {
    let finished = run_python(
        "import mmap, os, tempfile\n\
         file = tempfile.TemporaryFile(); file.truncate(8192)\n\
         map = mmap.mmap(file.fileno(), 8192); file.truncate(0); map[4096]",
    );
    let (signal, code, address) = summary(finished.death());
    assert_eq!(
        (signal.as_str(), code, finished.code),
        ("SIGBUS", Some("BUS_ADRERR"), Some(135))
    );
    assert!(address.is_some());
}

#[test]
fn an_abort_is_captured_with_its_sender() {
    let finished = run_python("import os; os.abort()");
    let death = finished.death();
    assert_eq!(
        summary(death),
        ("SIGABRT".to_owned(), Some("SI_TKILL"), None)
    );
    assert_eq!(death.ending.sender_pid, Some(death.process.pid));
}

#[test]
fn a_kill_is_captured_at_the_exit() {
    let finished = run_shell("kill -KILL $$");
    let death = finished.death();
    assert_eq!(
        (death.ending.signal, finished.code),
        (Some(Signal::KILL), Some(137))
    );
    assert_eq!(death.crashed_thread, None);
    assert!(
        !death.threads[0].frames.is_empty(),
        "stacks are readable until the exit"
    );
}

#[test]
fn signals_that_show_only_at_the_exit_are_captured_with_their_sender() {
    let finished = run_shell("kill -ALRM $$");
    let death = finished.death();
    assert_eq!(
        summary(death),
        ("SIGALRM".to_owned(), Some("SI_USER"), None)
    );
    assert_eq!(death.ending.sender_pid, Some(death.process.pid));
    assert_eq!(finished.code, Some(128 + 14));
}

#[test]
fn a_realtime_signal_is_captured() {
    let finished = run_shell("kill -40 $$");
    assert_eq!(
        (finished.death().ending.signal, finished.code),
        (Some(Signal(40)), Some(168))
    );
}

#[test]
fn a_stack_overflow_is_captured_at_the_faulting_address() {
    let finished = run_python(
        "import ctypes\n\
         callback = ctypes.CFUNCTYPE(None)(lambda: callback())\n\
         import sys; sys.setrecursionlimit(10**8); callback()",
    );
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal::SEGV));
    assert!(
        death
            .ending
            .address
            .is_some_and(|address| address.0 > 0x1000)
    );
}

fn run_filtered(kill: &str) -> Finished {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/scripts/killed_by_filter.py"
    );
    run(&[python(), script, kill])
}

#[test]
fn a_process_killed_by_a_seccomp_filter_is_captured() {
    let finished = run_filtered("process");
    let death = finished.death();
    assert_eq!(
        (death.ending.signal, finished.code),
        (Some(Signal(libc::SIGSYS)), Some(159))
    );
    assert_eq!(
        death.ending.code, None,
        "the kernel gives no stop to read it at"
    );
    assert!(death.threads.iter().any(|thread| !thread.frames.is_empty()));
}

#[test]
fn a_thread_killed_alone_is_no_death_of_its_process() {
    let finished = run_filtered("thread");
    assert_eq!(finished.code, Some(3));
    assert!(finished.deaths.is_empty());
}

#[test]
fn an_end_on_request_is_no_death() {
    for signal in ["HUP", "INT", "TERM", "PIPE", "USR1", "USR2"] {
        let finished = run_shell(&format!("kill -{signal} $$"));
        assert!(finished.deaths.is_empty(), "{signal}");
        assert!(finished.code.is_some_and(|code| code > 128), "{signal}");
    }
}

#[test]
fn an_exception_is_no_death() {
    let finished = run_python("raise ValueError('bad data')");
    assert!(finished.deaths.is_empty());
    assert_eq!(finished.code, Some(1));
    assert!(finished.stderr.contains("ValueError: bad data"));
}

#[test]
fn four_hundred_threads_are_all_captured() {
    let finished = run(&[
        python(),
        "-c",
        "import ctypes, threading\n\
         never = threading.Event(); started = threading.Barrier(401)\n\
         def wait(): started.wait(); never.wait()\n\
         for _ in range(400): threading.Thread(target=wait, daemon=True).start()\n\
         started.wait(); ctypes.string_at(0)",
    ]);
    let death = finished.death();
    assert_eq!(death.threads.len(), 401);
    assert!(death.threads[0].crashed);
    assert!(
        death.threads.iter().all(|thread| !thread.frames.is_empty()),
        "{:?}",
        death.gaps
    );
}

#[test]
fn a_crash_on_another_thread_is_its_own() {
    let finished = run_python(
        "import ctypes, threading\n\
         thread = threading.Thread(target=ctypes.string_at, args=(0,)); thread.start(); thread.join()",
    );
    let death = finished.death();
    assert_ne!(death.crashed_thread, Some(death.process.pid));
    assert_eq!(death.crashed_thread, Some(death.threads[0].id));
    assert_eq!(death.threads.len(), 2);
}

#[test]
fn a_crash_after_the_first_thread_has_left_is_captured() {
    let finished = run_python(
        "import ctypes, os, threading\n\
         libc = ctypes.PyDLL(None)\n\
         def crash():\n\
         \x20   while open(f'/proc/self/task/{os.getpid()}/stat').read().split()[2] != 'Z': pass\n\
         \x20   ctypes.string_at(0)\n\
         threading.Thread(target=crash).start()\n\
         ctypes.CDLL(None).pthread_exit(None)",
    );
    let death = finished.death();
    assert_eq!(
        (death.ending.signal, finished.code),
        (Some(Signal::SEGV), Some(139))
    );
    assert_eq!(death.threads.len(), 1, "the thread that left is not listed");
}

#[test]
fn a_thread_that_outlives_the_first_one_is_captured_with_its_stack() {
    // System call 60 ends the calling thread alone.
    let finished = run_python(
        "import ctypes, threading\n\
         def outlive():\n\
         \x20   while b'State:\\tZ' not in open('/proc/self/status', 'rb').read(): pass\n\
         \x20   ctypes.string_at(0)\n\
         threading.Thread(target=outlive).start()\n\
         ctypes.CDLL(None).syscall(60, 0)",
    );
    let death = finished.death();
    let crashed = &death.threads[0];
    assert!(crashed.crashed && crashed.id != death.process.pid);
    let functions: Vec<_> = crashed
        .frames
        .iter()
        .filter_map(|frame| match frame {
            Frame::Python(python) => Some(python.function.as_str()),
            Frame::Native(_) => None,
        })
        .collect();
    assert!(functions.contains(&"outlive"), "{functions:?}");
    assert!(!death.process.command.is_empty());
}
