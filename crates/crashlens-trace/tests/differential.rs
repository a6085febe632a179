//! The unwinder against framehop, frame by frame, on a live process with several threads.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crashlens_core::{Address, Frame, FrameTrust, Gaps, Mapping, Module, Registers};
use crashlens_unwind::{
    NoFiles, ProcessSnapshot, ReadMemory, Reading, ThreadState, Unreadable, walk,
};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Unwinder};
use nix::sys::ptrace;
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use object::{Object, ObjectSection};

/// Threads that wait in different places, some below Python frames, some below C callbacks.
const PROGRAM: &str = "
import functools, sys, threading
lock = threading.Lock(); lock.acquire()
ready = threading.Semaphore(0)
def wait(_=None):
    ready.release(); lock.acquire(); return 0
def sort(): sorted([3, 1, 2], key=wait)
def reduce(): functools.reduce(lambda a, b: wait(), [1, 2, 3])
for target in (wait, sort, reduce):
    threading.Thread(target=target, daemon=True).start()
for _ in range(3): ready.acquire()
print('ready', flush=True)
sys.stdin.read()
";

struct Memory(File);

impl ReadMemory for Memory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        self.0
            .read_exact_at(buffer, address)
            .map_err(|_| Unreadable { address })
    }
}

/// A program that waits until it is dropped.
struct Waiting(Child);

impl Waiting {
    fn start() -> Self {
        let mut child = Command::new("python3")
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output"))
            .read_line(&mut line)
            .expect("a line");
        assert_eq!(line, "ready\n");
        Self(child)
    }

    fn stop(&self) -> ProcessSnapshot {
        let pid = self.0.id();
        let mut threads = Vec::new();
        for entry in fs::read_dir(format!("/proc/{pid}/task")).expect("its threads") {
            let id: u32 = entry
                .expect("a thread")
                .file_name()
                .to_str()
                .expect("a name")
                .parse()
                .expect("a number");
            let thread = Pid::from_raw(id as i32);
            ptrace::attach(thread).expect("attached");
            waitpid(thread, Some(WaitPidFlag::__WALL)).expect("stopped");
            let registers = Some(registers(&ptrace::getregs(thread).expect("registers")));
            threads.push(ThreadState {
                id,
                name: String::new(),
                registers,
            });
        }
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("its maps");
        ProcessSnapshot {
            pid,
            threads,
            crashed_thread: None,
            maps: maps.lines().map(mapping).collect(),
            signal: None,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Threads that are still traced would wait for their tracer, and the process for them.
        for entry in fs::read_dir(format!("/proc/{}/task", self.0.id()))
            .into_iter()
            .flatten()
            .flatten()
        {
            if let Some(id) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            {
                let _ = ptrace::detach(Pid::from_raw(id), None);
            }
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn registers(from: &libc::user_regs_struct) -> Registers {
    Registers {
        rip: Address(from.rip),
        rsp: Address(from.rsp),
        rbp: Address(from.rbp),
        rbx: Address(from.rbx),
        r12: Address(from.r12),
        r13: Address(from.r13),
        r14: Address(from.r14),
        r15: Address(from.r15),
        fs_base: Address(from.fs_base),
        ..Registers::default()
    }
}

fn mapping(line: &str) -> Mapping {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (start, end) = words[0].split_once('-').expect("a range");
    Mapping {
        start: start.parse().expect("a start"),
        end: end.parse().expect("an end"),
        permissions: words[1].to_owned(),
        offset: u64::from_str_radix(words[2], 16).expect("an offset"),
        inode: words[4].parse().expect("an inode"),
        path: words.get(5).map(|path| (*path).to_owned()),
    }
}

fn framehop_modules(modules: &[Module]) -> UnwinderX86_64<Vec<u8>> {
    let mut unwinder = UnwinderX86_64::new();
    for module in modules {
        let Ok(bytes) = fs::read(&module.path) else {
            continue;
        };
        let file = object::File::parse(bytes.as_slice()).expect("an ELF file");
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            let range: Range<u64> = section.address()..section.address() + section.size();
            Some((range, section.data().ok()?.to_vec()))
        };
        let (text, eh_frame, hdr) = (
            section(".text"),
            section(".eh_frame"),
            section(".eh_frame_hdr"),
        );
        let sections = ExplicitModuleSectionInfo {
            text_svma: text.as_ref().map(|text| text.0.clone()),
            text: text.map(|text| text.1),
            got_svma: section(".got").map(|got| got.0),
            eh_frame_svma: eh_frame.as_ref().map(|frames| frames.0.clone()),
            eh_frame: eh_frame.map(|frames| frames.1),
            eh_frame_hdr_svma: hdr.as_ref().map(|hdr| hdr.0.clone()),
            eh_frame_hdr: hdr.map(|hdr| hdr.1),
            ..ExplicitModuleSectionInfo::default()
        };
        let range = module.start.0..module.end.0;
        unwinder.add_module(framehop::Module::new(
            module.name.clone(),
            range,
            module.bias.0,
            sections,
        ));
    }
    unwinder
}

fn framehop_stack(
    unwinder: &UnwinderX86_64<Vec<u8>>,
    memory: &Memory,
    registers: &Registers,
) -> Vec<u64> {
    let mut cache = CacheX86_64::new();
    let (pc, stack, frame) = (registers.rip.0, registers.rsp.0, registers.rbp.0);
    let mut read = |address| {
        let memory: &dyn ReadMemory = memory;
        memory.u64(address).map_err(|_| ())
    };
    let mut frames = unwinder.iter_frames(
        pc,
        UnwindRegsX86_64::new(pc, stack, frame),
        &mut cache,
        &mut read,
    );
    let mut addresses = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        addresses.push(match frame {
            FrameAddress::InstructionPointer(address) => address,
            FrameAddress::ReturnAddress(address) => address.get(),
        });
    }
    addresses
}

#[test]
fn framehop_finds_the_same_frames() {
    let program = Waiting::start();
    let snapshot = program.stop();
    let memory = Memory(File::open(format!("/proc/{}/mem", snapshot.pid)).expect("its memory"));
    let mut gaps = Gaps::default();
    let reading = Reading {
        deadline: Instant::now() + Duration::from_mins(1),
        locals: false,
    };
    let stacks =
        walk(&snapshot, &memory, &NoFiles, reading, &mut gaps).name_frames(&NoFiles, &mut gaps);
    assert!(stacks.threads.len() >= 4);
    let unwinder = framehop_modules(&stacks.modules);
    for (thread, state) in stacks.threads.iter().zip(&snapshot.threads) {
        let native = thread.frames.iter().filter_map(|frame| match frame {
            Frame::Native(native) => Some(native),
            Frame::Python(_) => None,
        });
        assert!(
            native
                .clone()
                .all(|frame| frame.trust <= FrameTrust::CallFrameInfo),
            "{thread:#?}"
        );
        let ours: Vec<u64> = native.map(|frame| frame.address.0).collect();
        assert!(ours.len() > 5, "{ours:x?}");
        let registers = state.registers.as_ref().expect("registers");
        let theirs = framehop_stack(&unwinder, &memory, registers);
        // framehop also reports the zero that ends a thread's chain.
        let theirs: Vec<u64> = theirs.into_iter().filter(|address| *address != 0).collect();
        assert_eq!(ours, theirs, "thread {}", thread.id);
    }
}
