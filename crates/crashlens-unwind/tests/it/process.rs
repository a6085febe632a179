//! A running process as the unwinder sees it: memory, modules, threads.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crashlens_core::{Address, Module, Registers};
use crashlens_unwind::{ReadMemory, ThreadState, Unreadable};

use crate::elf::ElfFiles;

/// A child that stops at a known place and says so; ended when dropped.
pub(crate) struct StoppedProcess {
    child: Child,
    output: BufReader<ChildStdout>,
    memory: Option<File>,
}

impl StoppedProcess {
    /// Starts the interpreter `python` with `script`, and `preload` where given.
    pub(crate) fn start(python: &Path, script: &Path, preload: Option<&Path>) -> Self {
        let mut command = Command::new(python);
        command
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("LC_ALL", "C.UTF-8");
        if let Some(preload) = preload {
            command.env("LD_PRELOAD", preload);
        }
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            output,
            memory: None,
        }
    }

    /// The next line the process writes, without its end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        // An open file of this kind stays with the program that ran when it was opened. The interpreter may
        // be started by a script, so that only its own words prove that it is there.
        self.memory = File::open(format!("/proc/{}/mem", self.pid())).ok();
        line.trim_end().to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kernel thread ids, the first thread first.
    pub(crate) fn thread_ids(&self) -> Vec<u32> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
        let mut ids: Vec<u32> = tasks
            .map(|task| task.unwrap().file_name().to_str().unwrap().parse().unwrap())
            .collect();
        // The kernel counts in a circle: a later thread may have a lower id.
        ids.sort_unstable_by_key(|id| (*id != self.pid(), *id));
        ids
    }

    pub(crate) fn modules(&self, files: &ElfFiles) -> Vec<Module> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.pid())).unwrap();
        let mut modules: Vec<Module> = Vec::new();
        for line in maps.lines() {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let [range, _, offset, _, _, path @ ..] = fields.as_slice() else {
                continue;
            };
            let path = path.join(" ");
            let (start, end) = range.split_once('-').unwrap();
            let [start, end]: [Address; 2] = [start, end].map(|address| address.parse().unwrap());
            if let Some(known) = modules.iter_mut().find(|module| module.path == path) {
                known.end = end;
            } else if path.starts_with('/') && *offset == "00000000" {
                let Some(lowest) = files.lowest_address(&path) else {
                    continue;
                };
                modules.push(Module {
                    name: path.rsplit('/').next().unwrap().to_owned(),
                    path,
                    start,
                    end,
                    bias: Address(start.0.wrapping_sub(lowest)),
                    build_id: None,
                    package: None,
                });
            }
        }
        modules
    }
}

impl Drop for StoppedProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ReadMemory for StoppedProcess {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let read = self
            .memory
            .as_ref()
            .map(|memory| memory.read_exact_at(buffer, address));
        read.and_then(Result::ok).ok_or(Unreadable { address })
    }
}

/// A thread of which the kernel's id is known, and its `pthread_t` where given.
pub(crate) fn thread(id: u32, pthread: Option<u64>) -> ThreadState {
    let registers = pthread.map(|pthread| Registers {
        fs_base: Address(pthread),
        ..Registers::default()
    });
    ThreadState {
        id,
        name: String::new(),
        registers,
    }
}
