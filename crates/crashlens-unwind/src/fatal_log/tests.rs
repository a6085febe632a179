//! Loggers laid out by hand.

use crashlens_core::{Address, Mapping};

use super::*;
use crate::Unreadable;

/// A file with tables of classes, a heap, and a stack.
const FILE_AT: u64 = 0x1_0000;
const HEAP: u64 = 0x2_0000;
const STACK: u64 = 0x3_0000;
const END: u64 = 0x4_0000;

struct Memory(Vec<u8>);

impl ReadMemory for Memory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let start = address.checked_sub(FILE_AT).map(|start| start as usize);
        let bytes = start.and_then(|start| self.0.get(start..start.checked_add(buffer.len())?));
        buffer.copy_from_slice(bytes.ok_or(Unreadable { address })?);
        Ok(())
    }
}

impl Memory {
    fn new() -> Self {
        Self(vec![0; (END - FILE_AT) as usize])
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - FILE_AT) as usize;
        self.0[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn words(&mut self, address: u64, words: &[u64]) {
        for (place, word) in (address..).step_by(8).zip(words) {
            self.put(place, &word.to_le_bytes());
        }
    }

    /// What is found from the beginning of the stack on.
    fn line(&self) -> Option<String> {
        let mapping = |start, end, permissions: &str, path: Option<&str>| Mapping {
            start: Address(start),
            end: Address(end),
            permissions: permissions.to_owned(),
            offset: 0,
            inode: 0,
            path: path.map(str::to_owned),
        };
        let snapshot = ProcessSnapshot {
            pid: 1,
            threads: Vec::new(),
            crashed_thread: None,
            maps: vec![
                mapping(FILE_AT, HEAP, "r--p", Some("/lib/libtensorflow.so")),
                mapping(HEAP, STACK, "rw-p", Some("[heap]")),
                mapping(STACK, END, "rw-p", Some("[stack]")),
            ],
            signal: None,
        };
        let registers = Registers {
            rsp: Address(STACK),
            ..Registers::default()
        };
        on_stack(&snapshot, self, &registers)
    }
}

/// A `LogMessageFatal` of the class `name` on the stack, with `written` in its stream.
fn with_stream(name: &str, written: &str) -> Memory {
    let mut memory = Memory::new();
    let (class, table, object, buffer) = (FILE_AT + 64, FILE_AT + 256, STACK + 800, HEAP + 64);
    memory.put(FILE_AT + 512, name.as_bytes());
    memory.put(FILE_AT + 640, b"tensorflow/core/framework/tensor.cc");
    memory.words(class, &[0, FILE_AT + 512]);
    memory.words(table - 8, &[class]);
    memory.put(buffer, written.as_bytes());
    memory.words(object, &[table]);
    memory.words(object + 40, &[buffer, buffer + written.len() as u64]);
    memory.words(object + 112, &[FILE_AT + 640, 1074]);
    memory
}

/// abseil's data on the heap, and a pointer to it on the stack.
fn with_data(severity: u64, line: &str) -> Memory {
    let mut memory = Memory::new();
    let (data, path) = (HEAP + 64, "xla/shape_util.cc");
    memory.put(FILE_AT + 640, path.as_bytes());
    let name = FILE_AT + 640 + 4;
    memory.words(
        data,
        &[17, FILE_AT + 640, 13, name, 251, severity, 0, 0, data + 560],
    );
    memory.words(data + 72, &[line.len() as u64 + 2]);
    memory.put(data + 560, format!("{line}\n").as_bytes());
    memory.words(STACK + 80, &[data]);
    memory
}

const WORDS: &str = "Check failed: dims() >= 1 (1 vs. 0)";
const LINE_OF_ABSEIL: &str =
    "F0000 00:00:1794804768.144599   28695 shape_util.cc:251] Check failed: ok";

#[test]
fn the_line_of_a_stream_is_told_with_its_place() {
    for class in CLASSES {
        let line = format!("F tensorflow/core/framework/tensor.cc:1074] {WORDS}");
        assert_eq!(with_stream(class, WORDS).line(), Some(line));
    }
}

#[test]
fn another_stream_is_not_a_last_line() {
    assert_eq!(
        with_stream("N3tsl8internal10LogMessageE", WORDS).line(),
        None
    );
}

#[test]
fn the_line_that_abseil_wrote_is_told_as_it_was() {
    assert_eq!(
        with_data(3, LINE_OF_ABSEIL).line().as_deref(),
        Some(LINE_OF_ABSEIL)
    );
}

#[test]
fn a_warning_or_a_line_that_names_another_place_is_not_told() {
    assert_eq!(with_data(1, LINE_OF_ABSEIL).line(), None);
    assert_eq!(with_data(3, "F0000 other.cc:7] Check failed").line(), None);
}

#[test]
fn damaged_objects_tell_nothing() {
    let mut stream = with_stream(CLASSES[0], WORDS);
    stream.words(STACK + 840, &[HEAP + 64, HEAP]);
    assert_eq!(stream.line(), None);
    let mut data = with_data(3, LINE_OF_ABSEIL);
    data.words(HEAP + 64, &[u64::MAX]);
    assert_eq!(data.line(), None);
    assert_eq!(Memory::new().line(), None);
}
