//! A runtime laid out by hand.

use crashlens_core::{Address, Mapping};
use proptest::prelude::*;

use super::*;
use crate::{ProcessSnapshot, ReadMemory, Unreadable};

const BASE: u64 = 0x1_0000;
const THREAD: u64 = 0x1_0900;
const FUNCTION: u64 = 0x1_0600;
const UNWIND: u64 = 0x1_0560;
const OBJECT: u64 = UNWIND + 32;
const WHAT: u64 = 0x1_0400;
const STACK: u64 = 0x1_0c00;

struct Page(Vec<u8>);

impl ReadMemory for Page {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let start = address
            .checked_sub(BASE)
            .and_then(|start| usize::try_from(start).ok());
        let bytes = start.and_then(|start| self.0.get(start..start.checked_add(buffer.len())?));
        buffer.copy_from_slice(bytes.ok_or(Unreadable { address })?);
        Ok(())
    }
}

impl Page {
    fn put(&mut self, address: u64, bytes: &[u8]) {
        let start = (address - BASE) as usize;
        self.0[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn word(&mut self, address: u64, value: u64) {
        self.put(address, &value.to_le_bytes());
    }

    /// A `std::runtime_error` that the thread has caught.
    fn with_caught_exception() -> Self {
        let mut page = Self(vec![0; 0x1000]);
        for (address, text) in [
            (0x1_0800, "N10__cxxabiv120__si_class_type_infoE"),
            (0x1_0840, "N10__cxxabiv117__class_type_infoE"),
            (0x1_0880, "St9exception"),
            (0x1_08a0, "St13runtime_error"),
            (0x1_0700, "out of luck"),
        ] {
            page.put(address, text.as_bytes());
        }
        for (address, value) in [
            // The types of the types, and their tables.
            (0x1_0108, 0x1_0800),
            (0x1_0148, 0x1_0840),
            (0x1_0208, 0x1_0100),
            (0x1_0228, 0x1_0140),
            // The types.
            (0x1_0300, 0x1_0230),
            (0x1_0308, 0x1_0880),
            (0x1_0320, 0x1_0210),
            (0x1_0328, 0x1_08a0),
            (0x1_0330, 0x1_0300),
            // The object and its header.
            (0x1_0450, WHAT),
            (OBJECT, 0x1_0440),
            (OBJECT + 8, 0x1_0700),
            (UNWIND - 96, 1),
            (UNWIND - 80, 0x1_0320),
            (UNWIND - 40, 1),
            (UNWIND, u64::from_be_bytes(*b"GNUCC++\0")),
            // The thread, its vector and its variables.
            (0x1_0640, 1),
            (0x1_0648, 8),
            (THREAD, THREAD),
            (THREAD + 8, 0x1_0a10),
            (THREAD + 16, THREAD),
            (0x1_0a00, 1),
            (0x1_0a20, 0x1_0b00),
            (0x1_0b08, UNWIND - 80),
        ] {
            page.word(address, value);
        }
        // mov rax, [rdi + 8]; ret
        page.put(
            WHAT,
            &[0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8b, 0x47, 0x08, 0xc3],
        );
        // sub rsp, 8; lea rdi, [0x10640]; call …; add rsp, 8; add rax, 0; ret
        page.put(
            FUNCTION,
            &[
                0x48, 0x83, 0xec, 0x08, 0x48, 0x8d, 0x3d, 0x35, 0, 0, 0, 0xe8, 0, 1, 0, 0,
            ],
        );
        page.put(
            FUNCTION + 16,
            &[0x48, 0x83, 0xc4, 0x08, 0x48, 0x05, 0, 0, 0, 0, 0xc3],
        );
        page
    }

    fn globals(&self) -> Option<globals::Globals> {
        globals::of_thread(self, FUNCTION, &registers())
    }

    fn thrown(&self) -> Option<Thrown> {
        header::thrown(self, UNWIND)
    }

    fn words(&self) -> Option<String> {
        let thrown = self.thrown()?;
        what::words(self, &thrown.type_info, thrown.object)
    }
}

fn registers() -> Registers {
    Registers {
        fs_base: Address(THREAD),
        rsp: Address(STACK),
        ..Registers::default()
    }
}

fn snapshot() -> ProcessSnapshot {
    ProcessSnapshot {
        pid: 1,
        threads: Vec::new(),
        crashed_thread: None,
        maps: vec![Mapping {
            start: Address(BASE),
            end: Address(BASE + 0x1000),
            permissions: "rw-p".to_owned(),
            offset: 0,
            inode: 0,
            path: None,
        }],
        signal: None,
    }
}

#[test]
fn the_list_of_the_thread_leads_to_the_exception() {
    let page = Page::with_caught_exception();
    let globals = page.globals().unwrap();
    assert_eq!((globals.caught, globals.uncaught), (UNWIND - 80, 0));
    let Some(Caught::Cpp(thrown)) = header::caught(&page, globals.caught, THREAD) else {
        panic!("no exception");
    };
    let name = type_info::readable(&thrown.type_info.mangled);
    assert_eq!(name, "std::runtime_error");
    assert_eq!((thrown.object, thrown.handlers), (OBJECT, 1));
    assert_eq!(page.words().as_deref(), Some("out of luck"));
}

#[test]
fn a_thread_that_never_used_the_runtime_has_no_exceptions() {
    let mut page = Page::with_caught_exception();
    page.word(0x1_0a20, u64::MAX);
    assert_eq!(page.globals().unwrap().caught, 0);
    page.word(0x1_0a00, 0);
    assert_eq!(page.globals().unwrap().caught, 0);
}

#[test]
fn a_thread_of_another_c_library_is_not_guessed_at() {
    let mut page = Page::with_caught_exception();
    page.word(THREAD + 16, 0);
    assert_eq!(page.globals(), None);
}

#[test]
fn what_does_not_look_like_an_exception_is_none() {
    for (place, value) in [
        (UNWIND, 0),
        (UNWIND, u64::from_be_bytes(*b"RUST\0MOZ")),
        // Freed: nobody refers to it.
        (UNWIND - 96, 0),
        (UNWIND - 96, 0x7f12_3456_7890),
        (UNWIND - 40, 0x7fff_ffff),
        // Its type is none.
        (UNWIND - 80, OBJECT),
        (0x1_0208, 0x1_0300),
        (0x1_08a0, 0x01),
    ] {
        let mut page = Page::with_caught_exception();
        page.word(place, value);
        assert_eq!(page.thrown(), None, "{place:#x} = {value:#x}");
    }
}

#[test]
fn an_exception_that_was_thrown_again_from_a_pointer_is_the_one_it_refers_to() {
    let mut page = Page::with_caught_exception();
    let dependent = 0x1_0d60;
    page.word(dependent, u64::from_be_bytes(*b"GNUCC++\x01"));
    page.word(dependent - 80, OBJECT);
    let thrown = header::thrown(&page, dependent).unwrap();
    assert_eq!((thrown.object, thrown.handlers), (OBJECT, 0));
}

#[test]
fn the_end_of_a_thread_is_known_by_its_place() {
    let mut page = Page::with_caught_exception();
    let start = THREAD + 0x40;
    assert_eq!(
        header::caught(&page, start, THREAD),
        Some(Caught::ThreadExit)
    );
    assert_eq!(header::caught(&page, start, THREAD + 0x1000), None);
    page.word(start + 80, 7);
    assert_eq!(header::caught(&page, start, THREAD), None);
}

#[test]
fn a_what_that_is_not_short_falls_back_to_what_the_base_keeps() {
    let mut page = Page::with_caught_exception();
    // A conditional jump: which way it goes is not followed.
    page.put(WHAT, &[0x74, 0x02]);
    assert_eq!(page.words(), None);
    // A length and room before the text.
    page.word(0x1_0700 - 24, 11);
    page.word(0x1_0700 - 16, 11);
    assert_eq!(page.words().as_deref(), Some("out of luck"));
    page.word(0x1_0700 - 24, 12);
    assert_eq!(page.words(), None);
}

#[test]
fn an_exception_on_its_way_is_found_on_the_stack_or_in_a_register() {
    let mut page = Page::with_caught_exception();
    let find = |page: &Page, registers: &Registers| {
        scan::nearest(&snapshot(), page, registers, |thrown| thrown.handlers <= 0)
    };
    page.word(STACK + 0x100, UNWIND);
    assert_eq!(find(&page, &registers()), None, "a handler has it");
    page.word(UNWIND - 40, 0);
    assert_eq!(find(&page, &registers()).unwrap().object, OBJECT);
    page.word(STACK + 0x100, 0);
    assert_eq!(find(&page, &registers()), None);
    let held = Registers {
        rbx: Address(OBJECT),
        ..registers()
    };
    assert_eq!(find(&page, &held).unwrap().object, OBJECT);
}

proptest! {
    #[test]
    fn no_memory_is_too_broken(changes in prop::collection::vec((0_usize..0x1000, any::<u8>()), 1..32)) {
        let mut page = Page::with_caught_exception();
        page.word(STACK, UNWIND);
        for (place, value) in changes {
            page.0[place] = value;
        }
        let registers = Registers { rip: Address(FUNCTION), rax: Address(UNWIND - 80), ..registers() };
        ask_everything(&page, &snapshot(), &registers);
    }
}
