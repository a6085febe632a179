//! Cores that the kernel made of programs that really died.
//!
//! Where the kernel hands cores to a collector (`core_pattern` starts with `|`) there is no file to
//! read; the same questions are then asked of the core the tests build themselves.

use std::fs;
use std::path::Path;
use std::process::Command;

use crashlens_core::Signal;
use crashlens_unwind::{CoreFile, FileBytes, Files, ReadMemory};

use crate::builder::{ordinary, shared};
use crate::module::{Folder, module};

struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> std::io::Result<FileBytes> {
        fs::read(path).map(shared)
    }
}

/// The core a shell command leaves in an empty folder.
fn core_of(script: &str, filter: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let prepared =
        format!("ulimit -c unlimited; echo {filter} > /proc/self/coredump_filter; {script}");
    Command::new("sh")
        .args(["-c", &prepared])
        .current_dir(&folder)
        .env("CRASHLENS_WORD", "mark")
        .output()
        .unwrap();
    let found = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let core = found.filter(|path| is_core(path)).last()?;
    Some(fs::read(core).unwrap())
}

fn is_core(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("core"))
}

fn check(bytes: Vec<u8>, files: &dyn Files, signal: Signal) {
    let core = CoreFile::parse(shared(bytes)).unwrap();
    assert!(core.gaps().0.is_empty(), "{:?}", core.gaps());
    assert_eq!(core.signal().unwrap().signal, signal);
    let snapshot = core.snapshot();
    assert_eq!(snapshot.crashed_thread, Some(snapshot.threads[0].id));
    let memory = core.memory(files);
    let reader: &dyn ReadMemory = &memory;
    for thread in &snapshot.threads {
        let registers = thread.registers.unwrap();
        let map = snapshot
            .mapping_at(registers.rip.0)
            .expect("the instruction is in a mapping");
        assert!(map.is_executable(), "{map:?}");
        assert!(
            reader.u64(registers.rip.0).is_ok(),
            "code of {map:?}: {:?}",
            memory.gaps()
        );
        assert!(reader.u64(registers.rsp.0).is_ok());
    }
    if core.executable().is_some_and(|path| path != "/lib/it.so") {
        let stack = core.initial_stack(reader).unwrap();
        assert!(!stack.arguments.is_empty());
        assert!(
            stack
                .variables
                .contains(&("CRASHLENS_WORD".to_owned(), "mark".to_owned()))
        );
        assert!(core.kernel_version().is_some());
    }
}

/// Checks every core that can be had here, and always the one that needs no kernel.
fn check_all(script: &str, signal: Signal) {
    let library = module(Some([7; 20]), 0xcc);
    let files = Folder::with("/lib/it.so", library.clone());
    check(ordinary(&library).bytes(), &files, Signal::SEGV);
    for filter in ["0x33", "0x3", "0x7f"] {
        if let Some(core) = core_of(script, filter) {
            check(core, &Disk, signal);
        }
    }
}

/// Whether the kernel puts cores beside the program and is allowed to.
fn kernel_writes_cores_here() -> bool {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    let limit = Command::new("sh")
        .args(["-c", "ulimit -H -c"])
        .output()
        .unwrap();
    pattern.starts_with("core") && limit.stdout.trim_ascii() != b"0"
}

#[test]
fn the_core_of_a_shell_that_was_killed_opens() {
    let made = core_of("exec sh -c 'kill -SEGV $$'", "0x33").is_some();
    assert_eq!(made, kernel_writes_cores_here());
    check_all("exec sh -c 'kill -SEGV $$'", Signal::SEGV);
}

#[test]
fn the_core_of_a_c_program_with_threads_opens() {
    let source = r"
        #include <pthread.h>
        #include <unistd.h>
        static void *idle(void *none) { pause(); return none; }
        int main(void) {
            pthread_t thread;
            for (int i = 0; i < 3; i++) pthread_create(&thread, 0, idle, 0);
            *(volatile int *)16 = 3;
        }";
    let script = format!(
        "cat > crash.c <<'END'\n{source}\nEND\ncc -pthread crash.c -o crash && exec ./crash"
    );
    // The program is gone with its folder when the core is read, as on another machine: its code is a gap.
    if let Some(core) = core_of(&script, "0x33") {
        let core = CoreFile::parse(shared(core)).unwrap();
        let snapshot = core.snapshot();
        assert_eq!(snapshot.threads.len(), 4);
        assert_eq!(core.signal().unwrap().address, Some(16));
        let memory = core.memory(&Disk);
        let reader: &dyn ReadMemory = &memory;
        assert!(
            reader
                .u8(snapshot.threads[0].registers.unwrap().rip.0)
                .is_err()
        );
        assert!(
            memory.gaps().0[0].reason.contains("cannot be opened"),
            "{:?}",
            memory.gaps()
        );
    }
    check_all("exec sh -c 'kill -ABRT $$'", Signal::ABRT);
}

#[test]
fn the_core_of_a_python_program_opens() {
    check_all(
        "exec python3 -c 'import ctypes; ctypes.string_at(0)'",
        Signal::SEGV,
    );
}

#[test]
fn a_real_core_with_flipped_bits_never_panics() {
    let core = core_of("exec sh -c 'kill -SEGV $$'", "0x33")
        .unwrap_or_else(|| ordinary(&module(Some([7; 20]), 0xcc)).bytes());
    let headers = core.len().min(12_000);
    for step in 0..3000_usize {
        let mut changed = core.clone();
        let place = step.wrapping_mul(7919) % headers;
        changed[place] ^= 1 << (step % 8);
        if let Ok(core) = CoreFile::parse(shared(changed)) {
            let snapshot = core.snapshot();
            let memory = core.memory(&crashlens_unwind::NoFiles);
            let reader: &dyn ReadMemory = &memory;
            for thread in &snapshot.threads {
                let _ = thread
                    .registers
                    .map(|registers| reader.u64(registers.rsp.0));
            }
            let _ = core.initial_stack(reader);
        }
    }
}
