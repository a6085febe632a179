//! What the instruction at fault did, told of real faults.

use std::process::Command;

use crashlens_core::{AccessKind, Address, FaultSite, Place};

use crate::support::{Finished, python, run, run_python, start_python};

/// Functions the programs of this file start with: a page of machine code to call, and the C library's own calls.
const TOOLS: &str = "\
import ctypes, mmap, os, sys, threading
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
def pages(count): return libc.mmap(None, count * 4096, 3, 0x22, -1, 0)
def call(code):
    page = libc.mmap(None, 4096, 7, 0x22, -1, 0)
    ctypes.memmove(page, bytes.fromhex(code), len(code) // 2)
    ctypes.CFUNCTYPE(None)(page)()
";

fn run_with_tools(program: &str) -> Finished {
    run_python(&format!("{TOOLS}{program}"))
}

fn site(finished: &Finished) -> &FaultSite {
    let death = finished.death();
    let fault = death.testimony.fault.known();
    fault.unwrap_or_else(|| panic!("no fault; gaps: {:?}", death.gaps))
}

fn place(finished: &Finished) -> &Place {
    site(finished).place.as_ref().expect("a place")
}

fn kind(finished: &Finished) -> Option<AccessKind> {
    site(finished).access.as_ref().map(|access| access.kind)
}

#[test]
fn a_field_of_a_null_object_is_read() {
    // xor edi,edi; mov rax,[rdi+138h]
    let finished = run_with_tools("call('31ff488b8738010000')");
    assert_eq!(place(&finished), &Place::NullPage { offset: 0x138 });
    let access = site(&finished).access.as_ref().unwrap();
    assert_eq!((access.kind, access.width), (AccessKind::Read, Some(8)));
    let base = access.base.as_ref().unwrap();
    assert_eq!((base.name.as_str(), base.value), ("rdi", Address(0)));
    let instruction = site(&finished).instruction.as_ref().unwrap();
    assert_eq!(instruction.text, "mov rax,[rdi+138h]");
}

#[test]
fn an_address_that_is_none_is_computed() {
    // mov rax,8000000000000000h; mov eax,[rax]
    let finished = run_with_tools("call('48b800000000000000808b00')");
    assert_eq!(place(&finished), &Place::NonCanonical);
    let access = site(&finished).access.as_ref().unwrap();
    assert_eq!(access.address, Address(1 << 63));
    assert!(!access.confirmed);
}

#[test]
fn an_overrun_into_the_next_mapping_is_told_by_where_it_began() {
    for protection in ["1", "0"] {
        let finished = run_with_tools(&format!(
            "start = pages(4)\n\
             libc.mprotect(start + 8192, 8192, {protection})\n\
             libc.memset(start, 7, 16384)"
        ));
        let Place::PastEnd {
            mapping, distance, ..
        } = place(&finished)
        else {
            panic!("{:?}", site(&finished))
        };
        assert!(*distance < 64 && mapping.is_writable());
        assert_eq!(kind(&finished), Some(AccessKind::Write));
    }
}

#[test]
fn an_overrun_into_nothing_is_an_overrun() {
    let finished = run_with_tools(
        "start = pages(4)\n\
         libc.munmap(start + 8192, 8192)\n\
         ctypes.string_at(start + 4096, 8192)",
    );
    assert!(
        matches!(
            place(&finished),
            Place::PastEnd {
                distance: 0..64,
                ..
            }
        ),
        "{:?}",
        site(&finished)
    );
    assert_eq!(kind(&finished), Some(AccessKind::Read));
}

#[test]
fn endless_recursion_on_the_first_thread_fills_its_stack() {
    let finished = run_python(
        "import ctypes, sys\n\
         sys.setrecursionlimit(10**8)\n\
         callback = ctypes.CFUNCTYPE(None)(lambda: callback())\n\
         callback()",
    );
    assert_eq!(place(&finished), &Place::StackOverflow);
    let stack = site(&finished).stack.as_ref().unwrap();
    assert!(stack.limit.is_none_or(|limit| stack.size.unwrap() <= limit));
    assert!(stack.size.unwrap() > 1 << 20, "{stack:?}");
    assert_eq!(stack.recursion_limit, Some(100_000_000));
    assert!(
        stack.python_frames.unwrap() > 500 && stack.depth.unwrap() > 2000,
        "{stack:?}"
    );
    assert!(stack.repeats >= 10, "{stack:?}");
    assert!(
        stack
            .cycle
            .iter()
            .any(|frame| frame == "<lambda> (<string>:3)"),
        "{stack:?}"
    );
}

#[test]
fn endless_recursion_on_another_thread_hits_its_guard_page() {
    let finished = run_python(
        "import ctypes, sys, threading\n\
         sys.setrecursionlimit(10**8)\n\
         callback = ctypes.CFUNCTYPE(None)(lambda: callback())\n\
         threading.stack_size(1 << 20)\n\
         threading.Thread(target=callback).start()",
    );
    assert_eq!(place(&finished), &Place::StackOverflow);
    let stack = site(&finished).stack.as_ref().unwrap();
    assert_eq!((stack.size, stack.limit), (Some(1 << 20), None));
    assert!(stack.repeats >= 10, "{stack:?}");
}

#[test]
fn a_local_array_larger_than_the_stack_is_an_overflow() {
    // push rbp; mov rbp,rsp; sub rsp,10000000h; mov byte [rsp],0
    let finished = run_with_tools("call('554889e54881ec00000010c6042400')");
    assert_eq!(place(&finished), &Place::StackOverflow);
}

#[test]
fn a_stack_pointer_that_is_garbage_is_no_overflow() {
    // mov rsp,41414140h; push rax
    let finished = run_with_tools("call('48c7c44041414150')");
    assert!(
        matches!(place(&finished), Place::Unmapped { .. }),
        "{:?}",
        site(&finished)
    );
}

#[test]
fn a_write_to_constants_is_a_write_to_read_only_memory() {
    let finished = run_with_tools(
        "start = pages(4); libc.mprotect(start, 16384, 1); ctypes.memset(start + 4104, 0, 1)",
    );
    assert!(
        matches!(place(&finished), Place::ReadOnly { .. }),
        "{:?}",
        site(&finished)
    );
    assert_eq!(kind(&finished), Some(AccessKind::Write));
}

#[test]
fn a_mapped_file_that_became_shorter_is_named_with_its_sizes() {
    // Once with a name, once without: what is left of a file that nobody can open by its path.
    for file in ["tempfile.NamedTemporaryFile()", "tempfile.TemporaryFile()"] {
        let finished = run_python(&format!(
            "import mmap, tempfile\n\
             file = {file}; file.truncate(65536)\n\
             map = mmap.mmap(file.fileno(), 65536); file.truncate(5000); map[0x9010]"
        ));
        let Place::BeyondFile {
            file_size,
            file_offset,
            ..
        } = place(&finished)
        else {
            panic!("{:?}", site(&finished))
        };
        assert_eq!((*file_size, *file_offset), (5000, 0x9010));
    }
}

#[test]
fn a_full_file_system_is_named_with_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let mount = format!(
        "mount -t tmpfs -o size=64k none {}",
        folder.path().display()
    );
    let unshared = |command: &str| {
        let words = ["--mount", "--", "/bin/sh", "-c", command];
        Command::new("unshare").args(words).output()
    };
    // Mounting needs rights that the user of a test rarely has.
    if !unshared(&mount).is_ok_and(|output| output.status.success()) {
        return;
    }
    let program = "import mmap, sys\n\
        file = open(sys.argv[1] + '/batch', 'w+b'); file.truncate(1 << 20)\n\
        mmap.mmap(file.fileno(), 1 << 20)[:] = bytes(1 << 20)";
    let folder = folder.path().to_str().unwrap();
    let script = format!("{mount} && exec \"$@\"");
    let command = ["unshare", "--mount", "--", "/bin/sh", "-c", &script, "sh"];
    let finished = run(&[&command[..], &[python(), "-c", program, folder]].concat());
    let Place::NoSpace {
        free_bytes,
        total_bytes,
        mapping,
        in_memory,
    } = place(&finished)
    else {
        panic!("{:?}", site(&finished))
    };
    assert_eq!((*free_bytes, *total_bytes), (0, 64 << 10));
    assert_eq!(*in_memory, Some(true));
    assert!(
        mapping
            .path
            .as_deref()
            .is_some_and(|path| path.ends_with("/batch"))
    );
}

/// Waits until the supervisor, which has nothing else to read, has read so much: a few times the list of mappings.
fn wait_until_it_has_read(supervisor: u32, bytes: u64) {
    let read = || {
        let counters = std::fs::read_to_string(format!("/proc/{supervisor}/io")).unwrap();
        let count = counters
            .lines()
            .find_map(|line| line.strip_prefix("rchar: "));
        count.unwrap().parse::<u64>().unwrap()
    };
    let before = read();
    while read() < before + bytes {
        std::thread::yield_now();
    }
}

#[test]
fn memory_that_was_mapped_earlier_is_released() {
    let mut running = start_python(&format!(
        "{TOOLS}\
         start = pages(64)\n\
         print(flush=True)\n\
         input()\n\
         libc.munmap(start, 64 * 4096)\n\
         ctypes.string_at(start + 8192, 1)"
    ));
    running.line();
    wait_until_it_has_read(running.child.id(), 64 << 10);
    running.say("go on");
    let finished = running.finish();
    let Place::Released { mapping, .. } = place(&finished) else {
        panic!("{:?}", site(&finished))
    };
    assert!(mapping.is_writable());
}

#[test]
fn a_call_to_where_no_code_is_names_its_caller() {
    let finished = run_python("import ctypes; ctypes.CFUNCTYPE(None)(0x40)()");
    assert_eq!(place(&finished), &Place::NullPage { offset: 0x40 });
    let access = site(&finished).access.as_ref().unwrap();
    assert_eq!(access.kind, AccessKind::Execute);
    let caller = access.called_from.unwrap();
    let maps = finished.death().maps.known().unwrap();
    assert!(
        maps.iter()
            .any(|map| map.contains(caller.0) && map.is_executable())
    );
}

#[test]
fn running_data_is_running_what_is_no_code() {
    let finished = run_with_tools("ctypes.CFUNCTYPE(None)(pages(1))()");
    assert!(matches!(place(&finished), Place::NotExecutable { .. }));
}

#[test]
fn divisions_tell_zero_from_a_result_that_does_not_fit() {
    for (code, value) in [
        // xor ecx,ecx; mov eax,1; cdq; idiv ecx
        ("31c9b80100000099f7f9", 0),
        // mov ecx,-1; mov eax,80000000h; cdq; idiv ecx
        ("b9ffffffffb80000008099f7f9", -1),
    ] {
        let finished = run_with_tools(&format!("call('{code}')"));
        let division = site(&finished).division.as_ref().unwrap();
        let told = (division.divisor.as_str(), division.value, division.bits);
        assert_eq!(told, ("ecx", Some(value), 32));
    }
}

#[test]
fn a_trap_of_the_compiler_is_told_by_its_text() {
    let finished = run_with_tools("call('0f0b')");
    let instruction = site(&finished).instruction.as_ref().unwrap();
    assert_eq!(instruction.text, "ud2");
    assert!(instruction.needs.is_empty());
    assert_eq!(instruction.missing.as_deref(), Some(&[][..]));
}

#[test]
fn a_vector_at_an_odd_address_is_misaligned() {
    // movaps xmm0,[rsp+4]
    let finished = run_with_tools("call('0f28442404')");
    assert!(matches!(
        place(&finished),
        Place::Misaligned { alignment: 16, .. }
    ));
}

#[test]
fn a_handler_that_raises_again_does_not_hide_the_fault() {
    let program = "import ctypes; ctypes.memset(0x138, 0, 1)";
    let finished = run(&[python(), "-X", "faulthandler", "-c", program]);
    assert_eq!(place(&finished), &Place::NullPage { offset: 0x138 });
    assert_eq!(kind(&finished), Some(AccessKind::Write));
}

#[test]
fn an_abort_has_no_instruction_at_fault() {
    let finished = run_python("import os; os.abort()");
    let fault = &finished.death().testimony.fault;
    assert_eq!(fault, &crashlens_core::Observed::Absent);
}
