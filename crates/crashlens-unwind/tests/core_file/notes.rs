//! Threads, signal, mappings, command line and variables.

use crashlens_core::{Address, Signal};
use crashlens_unwind::{NoFiles, ReadMemory};

use crate::builder::{CoreBuilder, PAGE, READ, RIP, RSP, WRITE, ordinary, words};
use crate::module::module;

#[test]
fn the_first_thread_is_the_crashed_one_and_registers_are_in_place() {
    let core = ordinary(&module(None, 0))
        .thread(4243, 0, &[(RIP, 0x40_2000), (RSP, 0x7000_0900)])
        .core();
    let snapshot = core.snapshot();
    assert_eq!(snapshot.pid, 4242);
    assert_eq!(snapshot.crashed_thread, Some(4242));
    let ids: Vec<u32> = snapshot.threads.iter().map(|thread| thread.id).collect();
    assert_eq!(ids, [4242, 4243]);
    let registers = snapshot.threads[0].registers.unwrap();
    assert_eq!(
        (registers.rip, registers.rsp, registers.fs_base),
        (Address(0x40_1010), Address(0x7000_0800), Address(0x7777))
    );
    assert!(
        snapshot
            .threads
            .iter()
            .all(|thread| thread.name == "python")
    );
    let process = core.process().unwrap();
    assert_eq!((process.parent_pid, process.user_id), (17, 1000));
    assert_eq!(process.command_line, "python train.py");
    assert!(core.gaps().0.is_empty(), "{:?}", core.gaps());
}

#[test]
fn a_fault_has_an_address_and_a_sent_signal_has_a_sender() {
    let of = |number, code, value| {
        let core = CoreBuilder::default()
            .thread(1, number as u16, &[])
            .signal(number, code, value)
            .core();
        core.signal().unwrap()
    };
    let fault = of(11, 1, 0);
    assert_eq!(
        (fault.signal, fault.code, fault.address),
        (Signal::SEGV, Some(1), Some(0))
    );
    assert_eq!(
        of(11, 0x80, 0).address,
        None,
        "a non-canonical address is not given by the kernel"
    );
    let sent = of(6, -6, 4711);
    assert_eq!((sent.address, sent.sender_pid), (None, Some(4711)));
}

#[test]
fn without_a_note_on_the_signal_its_number_is_still_known() {
    let core = CoreBuilder::default().thread(1, 8, &[]).core();
    let signal = core.signal().unwrap();
    assert_eq!((signal.signal, signal.code), (Signal::FPE, None));
}

#[test]
fn a_core_of_a_running_process_has_no_signal_and_no_crashed_thread() {
    for signal in [0, 19] {
        let core = CoreBuilder::default().thread(5, signal, &[]).core();
        assert_eq!(core.signal(), None);
        assert_eq!(core.snapshot().crashed_thread, None);
    }
}

#[test]
fn mappings_have_permissions_from_the_headers_and_paths_from_the_notes() {
    let stack = 0x7000_0100;
    let core = ordinary(&module(None, 0))
        .auxiliary(&[(25, stack), (3, 0x40_0040)])
        .core();
    let shown: Vec<String> = core
        .snapshot()
        .maps
        .iter()
        .map(|map| {
            let path = map.path.as_deref().unwrap_or("");
            format!(
                "{}-{} {} {:x} {path}",
                map.start, map.end, map.permissions, map.offset
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "0x400000-0x401000 r--p 0 /lib/it.so",
            "0x401000-0x403000 r-xp 1000 /lib/it.so",
            "0x403000-0x404000 rw-p 3000 /lib/it.so",
            "0x70000000-0x70002000 rw-p 0 [stack]",
        ]
    );
    assert_eq!(core.executable(), Some("/lib/it.so"));
}

#[test]
fn a_segment_larger_than_its_file_is_split() {
    let core = CoreBuilder::default()
        .files(&[(0x2000, 0x3000, 5, "/a"), (0x8000, 0x9000, 0, "/lost")])
        .memory(0x1000, 3 * PAGE, READ, &[])
        .core();
    let maps = core.snapshot().maps;
    let shown: Vec<_> = maps
        .iter()
        .map(|map| (map.start.0, map.end.0, map.path.as_deref()))
        .collect();
    let expected = [
        (0x1000, 0x2000, None),
        (0x2000, 0x3000, Some("/a")),
        (0x3000, 0x4000, None),
        (0x8000, 0x9000, Some("/lost")),
    ];
    assert_eq!(shown, expected);
    assert_eq!(
        maps[3].permissions, "????",
        "no header tells what was allowed there"
    );
}

#[test]
fn code_without_a_header_in_the_core_has_the_permissions_its_library_asks_for() {
    let library = module(None, 0);
    let core = CoreBuilder::default()
        .files(&[
            (0x40_0000, 0x40_1000, 0, "/lib/it.so"),
            (0x40_1000, 0x40_3000, 1, "/lib/it.so"),
        ])
        .memory(0x40_0000, PAGE, READ, &library[..PAGE as usize])
        .core();
    let permissions: Vec<String> = core
        .snapshot()
        .maps
        .into_iter()
        .map(|map| map.permissions)
        .collect();
    assert_eq!(permissions, ["r--p", "r-xp"]);
}

/// The top of a first stack: argc, pointers, vector, random bytes, strings.
fn first_stack(removed: usize) -> CoreBuilder {
    let base = 0x7f00_0000_u64;
    let strings = b"python\0train.py --epochs 3\0HOME=/root\0A=b=c\0junk\0";
    let text = base + 0x800;
    let variables = [text + 27, text + 38, text + 44];
    let vector = [(6, PAGE), (25, base + 0x400), (31, text)];
    let mut content = words([2, text, text + 7, 0]);
    content.extend(words(variables));
    // Each removed variable leaves one more zero behind.
    content.extend(words(vec![0; 1 + removed]));
    content.extend(words(
        vector.iter().flat_map(|(kind, value)| [*kind, *value]),
    ));
    content.extend(words([0, 0]));
    content.resize(0x400, 0);
    content.extend([0xaa; 16]);
    content.resize(0x800, 0);
    content.extend(strings);
    content.resize(PAGE as usize, 0);
    CoreBuilder::default()
        .auxiliary(&vector)
        .memory(base, PAGE, READ | WRITE, &content)
}

#[test]
fn arguments_and_variables_are_read_from_the_first_stack() {
    for removed in [0, 1, 3] {
        let core = first_stack(removed).core();
        let memory = core.memory(&NoFiles);
        let stack = core.initial_stack(&memory as &dyn ReadMemory).unwrap();
        assert_eq!(stack.arguments, ["python", "train.py --epochs 3"]);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(stack.variables, [pair("HOME", "/root"), pair("A", "b=c")]);
        assert_eq!(stack.skipped, 1, "an entry without `=` is counted");
    }
}

#[test]
fn a_stack_that_is_not_in_the_core_is_said_so() {
    let core = CoreBuilder::default()
        .auxiliary(&[(25, 0x7f00_0400)])
        .core();
    let memory = core.memory(&NoFiles);
    let error = core.initial_stack(&memory as &dyn ReadMemory).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the top of the first thread's stack is not in the core"
    );
    let core = CoreBuilder::default()
        .thread(1, 11, &[(RSP, 0x1000)])
        .core();
    let parts: Vec<&str> = core.gaps().0.iter().map(|gap| gap.part.as_str()).collect();
    assert_eq!(parts, ["stack memory of threads"]);
}
