//! Memory and other limits: what killed, and what only came near.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use crashlens_core::{
    CrashCapture, EndingKind, Frame, Observed, Resource, ResourceUse, Role, Signal,
};

use crate::memory_group::MemoryGroup;
use crate::support::{Finished, Supervised, python, run_python, run_shell, wait_until_traced};

const LIMIT: u64 = 192 << 20;

/// Runs a Python program with the supervisor inside the group, as in a container.
fn run_inside(group: &MemoryGroup, program: &str) -> Finished {
    Supervised::inside(&group.members(), ["run", python(), "-c", program]).finish()
}

/// A program that enters the group and then does what `program` says.
fn entering(group: &MemoryGroup, program: &str) -> String {
    let members = group.members();
    format!("open('{}', 'w').write('0')\n{program}", members.display())
}

fn uses(death: &CrashCapture) -> &[ResourceUse] {
    death.circumstances.resources.known().expect("resources")
}

fn used(death: &CrashCapture, set_by: &str) -> ResourceUse {
    let entry = uses(death)
        .iter()
        .find(|entry| entry.set_by.as_str() == set_by);
    entry
        .unwrap_or_else(|| panic!("{set_by} in {:?}", uses(death)))
        .clone()
}

fn python_lines(death: &CrashCapture) -> Vec<u32> {
    let frames = death.threads.iter().flat_map(|thread| &thread.frames);
    let line = |frame: &Frame| match frame {
        Frame::Python(python) => python.line,
        Frame::Native(_) => None,
    };
    frames.filter_map(line).collect()
}

/// Grows over seconds, as programs that work with what they keep do.
const GROW: &str =
    "keep = []\nwhile True:\n    keep.append(bytearray(4 << 20)); sum(range(1 << 20))\n";

#[test]
fn a_kill_for_memory_is_proven_and_the_line_known_although_crashlens_shares_the_limit() {
    let Some(group) = MemoryGroup::with_limit(LIMIT) else {
        return;
    };
    let finished = run_inside(&group, GROW);
    assert_eq!(finished.code, Some(137));
    let death = finished.death();
    assert_eq!(death.ending.kind, EndingKind::OomKill);
    let oom = death.circumstances.oom.known().unwrap();
    assert_eq!(
        (oom.group_kills, oom.limited_by.as_deref()),
        (Some(1), Some(group.path().as_str()))
    );
    assert_ne!(oom.named_in_log, Some(false));
    let memory = used(death, &group.path());
    assert_eq!(
        (memory.resource, memory.limit),
        (Resource::Memory, Some(LIMIT))
    );
    assert!(
        memory.met > Some(0) && memory.peak >= Some(LIMIT - LIMIT / 50),
        "{memory:?}"
    );
    let timeline = death.circumstances.timeline.known().unwrap();
    assert_eq!(timeline.limit, Some(LIMIT));
    assert!(
        timeline.samples.last().unwrap().resident > LIMIT / 2,
        "{timeline:?}"
    );
    let seen_before = timeline.on_top.iter().flat_map(|line| &line.frames);
    let lines: Vec<u32> = seen_before
        .filter_map(|frame| frame.line)
        .chain(python_lines(death))
        .collect();
    assert!(lines.contains(&3), "{lines:?}");
}

#[test]
fn a_kill_for_memory_of_a_joined_process_is_reported_before_its_parent_sees_it() {
    let Some(group) = MemoryGroup::with_limit(LIMIT) else {
        return;
    };
    let mut program = Command::new(python())
        .args(["-c", &entering(&group, &format!("input()\n{GROW}"))])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = program.id().to_string();
    let running = Supervised::new(["attach", &pid]).start();
    wait_until_traced(&pid);
    program.stdin.take().unwrap().write_all(b"go\n").unwrap();
    assert_eq!(program.wait().unwrap().signal(), Some(libc::SIGKILL));
    let seen = running.seen_so_far();
    assert_eq!(seen.death().ending.kind, EndingKind::OomKill);
    assert_eq!(seen.death().ending.wait_status, Some(libc::SIGKILL));
    assert_eq!(running.finish().deaths.len(), 1);
}

#[test]
fn a_kill_for_memory_is_proven_where_tracing_is_refused() {
    let Some(group) = MemoryGroup::with_limit(LIMIT) else {
        return;
    };
    let words = ["fail", "seize", "1", "1", "run", python(), "-c", GROW];
    let finished = Supervised::inside(&group.members(), words).finish();
    let death = finished.death();
    assert_eq!(death.ending.kind, EndingKind::OomKill);
    let oom = death.circumstances.oom.known().unwrap();
    assert_eq!(oom.group_kills, Some(1));
    let timeline = death.circumstances.timeline.known().unwrap();
    assert!(
        timeline.samples.iter().all(|sample| sample.resident > 0),
        "{timeline:?}"
    );
}

#[test]
fn the_death_of_a_worker_is_told_apart_from_kills_by_hand_beside_it() {
    let Some(group) = MemoryGroup::with_limit(LIMIT) else {
        return;
    };
    let program = entering(
        &group,
        "import os, signal\n\
         def grow():\n\
         \x20   keep = []\n\
         \x20   while True: keep.append(bytearray(4 << 20))\n\
         worker = os.fork()\n\
         if worker == 0: grow()\n\
         print(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), flush=True)\n\
         idle = os.fork()\n\
         if idle == 0: signal.pause()\n\
         os.kill(idle, signal.SIGKILL)\n\
         print(os.waitstatus_to_exitcode(os.waitpid(idle, 0)[1]), flush=True)\n\
         os.kill(os.getpid(), signal.SIGKILL)\n",
    );
    let finished = run_python(&program);
    assert_eq!(finished.stdout, "-9\n-9\n", "{}", finished.stderr);
    let told: Vec<_> = finished
        .deaths
        .iter()
        .map(|death| (death.process.role, death.ending.kind))
        .collect();
    assert_eq!(
        told,
        [
            (Role::Child, EndingKind::OomKill),
            (Role::Main, EndingKind::Signal)
        ]
    );
    let by_hand = finished.deaths[1].circumstances.oom.known().unwrap();
    assert_eq!(by_hand.group_kills, Some(0));
    assert_ne!(by_hand.named_in_log, Some(true));
}

#[test]
fn a_pointer_that_malloc_did_not_give_shows_the_limit_and_the_error() {
    let finished = run_python(
        "import ctypes, resource\n\
         libc = ctypes.CDLL(None)\n\
         libc.malloc.restype = ctypes.c_void_p\n\
         libc.malloc.argtypes = [ctypes.c_size_t]\n\
         libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]\n\
         resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n\
         libc.memset(libc.malloc(2 << 30), 1, 100)\n",
    );
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal::SEGV));
    assert_eq!(death.testimony.errno, Observed::Known(libc::ENOMEM));
    let space = used(death, "RLIMIT_AS");
    assert_eq!(
        (space.resource, space.limit),
        (Resource::AddressSpace, Some(1 << 30))
    );
    assert!(space.peak >= space.used && space.used > Some(1 << 20));
}

#[test]
fn the_limit_of_processor_time_is_told_with_the_time_that_was_used() {
    let finished = run_python(
        "import resource\n\
         resource.setrlimit(resource.RLIMIT_CPU, (1, 5))\n\
         while True: pass\n",
    );
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal(libc::SIGXCPU)));
    let time = used(death, "RLIMIT_CPU");
    assert_eq!((time.used, time.limit), (Some(1), Some(1)));
}

#[test]
fn the_limit_of_a_files_size_is_told_with_the_size_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("full");
    let finished = run_shell(&format!(
        "ulimit -f 16; exec head -c 1000000 /dev/zero > '{}'",
        file.display()
    ));
    let death = finished.death();
    assert_eq!(death.ending.signal, Some(Signal(libc::SIGXFSZ)));
    let size = used(death, "RLIMIT_FSIZE");
    assert!(size.limit.is_some() && size.used == size.limit, "{size:?}");
}

#[test]
fn the_room_on_the_programs_own_file_systems_is_told() {
    let finished = run_python("import os; os.abort()");
    let disk = uses(finished.death())
        .iter()
        .find(|entry| entry.resource == Resource::Disk)
        .expect("a disk");
    assert!(disk.limit > Some(0) && disk.used <= disk.limit);
}

/// Programs that come near a limit, or to it, and end by themselves or by somebody's hand. `N` stands for nine
/// tenths of the memory that is left to them.
const NEAR_LIMITS: [&str; 20] = [
    "b = bytearray(N); b[::4096] = b'x' * len(b[::4096])",
    "b = [bytearray(1 << 20) for _ in range(N >> 20)]",
    "import mmap; m = mmap.mmap(-1, N)\nfor i in range(0, N, 4096): m[i] = 1",
    "import os\nfor _ in range(3):\n if os.fork() == 0:\n  b = bytearray(N // 4); b[::4096] = b'x' * len(b[::4096]); os._exit(0)\nfor _ in range(3): os.wait()",
    "import tempfile\nwith tempfile.TemporaryFile() as f:\n for _ in range(N >> 19): f.write(b'x' * (1 << 20))",
    "b = b'x' * N; del b; b = b'y' * N",
    "try: bytearray(1 << 46)\nexcept MemoryError: pass",
    "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\ntry: b = bytearray(1 << 30)\nexcept MemoryError: b = bytearray(N // 2)",
    "import resource; resource.setrlimit(resource.RLIMIT_DATA, (1 << 28, 1 << 28))\ntry: b = bytearray(1 << 30)\nexcept MemoryError: pass",
    "import resource, os\nresource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))\nfiles = []\ntry:\n while True: files.append(os.open('/dev/null', os.O_RDONLY))\nexcept OSError: pass",
    "import resource, tempfile\nresource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\nwith tempfile.TemporaryFile(buffering=0) as f:\n try:\n  for _ in range(3): f.write(b'x' * 4096)\n except OSError: pass",
    "import resource, signal, sys\nsignal.signal(signal.SIGXCPU, lambda *_: sys.exit(0))\nresource.setrlimit(resource.RLIMIT_CPU, (1, 9))\nwhile True: pass",
    "try: open('/dev/full', 'w').write('x'); raise SystemExit\nexcept OSError: pass",
    "import sys\ndef f(): f()\ntry: f()\nexcept RecursionError: pass",
    "b = b'x' * N\nimport os, signal\nc = os.fork()\nif c == 0: signal.pause()\nos.kill(c, 9); os.wait()",
    "b = b'x' * N\nimport subprocess\ntry: subprocess.run(['sleep', '1000'], timeout=0.1)\nexcept subprocess.TimeoutExpired: pass",
    "b = b'x' * N\nimport os; os._exit(137)",
    "b = b'x' * N\nraise MemoryError",
    "b = b'x' * N\nimport os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "b = b'x' * N\nimport os, signal; os.kill(os.getpid(), signal.SIGKILL)",
];

#[test]
fn programs_that_only_come_near_their_limits_raise_no_alarm() {
    for program in NEAR_LIMITS {
        let group = MemoryGroup::with_limit(LIMIT);
        // What Python and the supervisor need themselves, and what is held back to read a process that dies.
        let left = (LIMIT - (28 << 20)) / 10 * 9;
        let program = format!("N = {left}\n{program}");
        let finished = match &group {
            Some(group) => run_inside(group, &program),
            None => run_python(&program),
        };
        let told: Vec<_> = finished
            .deaths
            .iter()
            .map(|death| (death.ending.kind, death.ending.signal))
            .collect();
        if program.ends_with("signal.SIGKILL)") {
            assert_eq!(
                told,
                [(EndingKind::Signal, Some(Signal::KILL))],
                "{program}"
            );
        } else {
            assert_eq!(told, [], "{program}\n{}", finished.stderr);
        }
    }
}
