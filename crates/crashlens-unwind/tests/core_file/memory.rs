//! What can be read of a dead process's memory, and what must not be.

use crashlens_unwind::{Files, NoFiles, ReadMemory, Unreadable};

use crate::builder::{CoreBuilder, EXECUTE, PAGE, READ, WRITE, ordinary, reasons};
use crate::module::{Folder, module};

const ID: Option<[u8; 20]> = Some([7; 20]);
const CODE: u64 = 0x40_1000;

#[test]
fn memory_in_the_core_is_read_from_the_core() {
    let library = module(ID, 0xcc);
    let core = ordinary(&library).core();
    let memory = core.memory(&NoFiles);
    let memory: &dyn ReadMemory = &memory;
    assert_eq!(memory.bytes(0x7000_1ff0, 16), Ok(vec![0x55; 16]));
    assert_eq!(
        memory.bytes(0x7000_1ff0, 17),
        Err(Unreadable {
            address: 0x7000_2000
        })
    );
    assert_eq!(
        memory.u8(0x6fff_ffff),
        Err(Unreadable {
            address: 0x6fff_ffff
        })
    );
    assert_eq!(memory.bytes(u64::MAX, 2).unwrap_err().address, u64::MAX);
    assert_eq!(memory.bytes(0x1234, 0), Ok(Vec::new()));
}

#[test]
fn code_the_core_left_out_is_read_from_the_same_library_and_opened_once() {
    let library = module(ID, 0xcc);
    let core = ordinary(&library).core();
    let files = Folder::with("/lib/it.so", library);
    let memory = core.memory(&files);
    assert_eq!(
        files.opened.get(),
        0,
        "nothing is opened before it is needed"
    );
    let reader: &dyn ReadMemory = &memory;
    assert_eq!(reader.bytes(CODE + 0x10, 4), Ok(vec![0xcc; 4]));
    assert_eq!(
        reader.bytes(CODE - 2, 4),
        Ok(vec![0, 0, 0xcc, 0xcc]),
        "across dumped and left out"
    );
    assert_eq!(
        reader.bytes(CODE + 2 * PAGE - 2, 4),
        Ok(vec![0xcc, 0xcc, 0xdd, 0xdd])
    );
    assert_eq!(files.opened.get(), 1);
    assert_eq!(reasons(&memory.gaps()), "");
}

#[test]
fn a_library_of_another_build_is_not_used_and_named_once() {
    let core = ordinary(&module(ID, 0xcc)).core();
    let files = Folder::with("/lib/it.so", module(Some([8; 20]), 0x90));
    let memory = core.memory(&files);
    let reader: &dyn ReadMemory = &memory;
    assert_eq!(reader.u8(CODE), Err(Unreadable { address: CODE }));
    assert_eq!(
        reader.u8(CODE + PAGE),
        Err(Unreadable {
            address: CODE + PAGE
        })
    );
    let gaps = memory.gaps();
    assert_eq!(gaps.0.len(), 1);
    assert!(reasons(&gaps).contains("/lib/it.so"), "{gaps:?}");
    assert!(
        reasons(&gaps).contains("not the one the core was made with"),
        "{gaps:?}"
    );
}

#[test]
fn a_library_without_build_id_is_compared_by_its_first_page() {
    let core = ordinary(&module(None, 0xcc)).core();
    let same = Folder::with("/lib/it.so", module(None, 0xcc));
    assert_eq!((&core.memory(&same) as &dyn ReadMemory).u8(CODE), Ok(0xcc));
    let mut changed = module(None, 0x90);
    changed[40] = 99;
    let other = Folder::with("/lib/it.so", changed);
    assert!((&core.memory(&other) as &dyn ReadMemory).u8(CODE).is_err());
}

#[test]
fn a_missing_library_leaves_its_code_unreadable_and_the_rest_stands() {
    let core = ordinary(&module(ID, 0xcc)).core();
    let memory = core.memory(&NoFiles);
    let reader: &dyn ReadMemory = &memory;
    assert!(reader.u8(CODE).is_err());
    assert_eq!(reader.u8(0x40_3000), Ok(0xdd));
    assert!(reasons(&memory.gaps()).contains("cannot be opened"));
}

#[test]
fn without_a_dumped_header_page_the_file_is_used_but_marked() {
    let builder = CoreBuilder::default()
        .files(&[(CODE, CODE + 2 * PAGE, 1, "/lib/it.so")])
        .memory(CODE, 2 * PAGE, READ | EXECUTE, &[]);
    let core = builder.core();
    let files = Folder::with("/lib/it.so", module(ID, 0xcc));
    let memory = core.memory(&files);
    assert_eq!((&memory as &dyn ReadMemory).u8(CODE), Ok(0xcc));
    assert!(reasons(&memory.gaps()).contains("does not tell if it is the same"));

    let files = Folder::with("/lib/it.so", module(ID, 0xcc)[..2 * PAGE as usize].to_vec());
    let memory = core.memory(&files);
    assert!((&memory as &dyn ReadMemory).u8(CODE).is_err());
    assert!(reasons(&memory.gaps()).contains("shorter than what was mapped"));
}

#[test]
fn the_loaders_closed_hole_beyond_the_file_does_not_make_it_too_short() {
    let core = CoreBuilder::default()
        .files(&[
            (CODE, CODE + PAGE, 1, "/lib/it.so"),
            (CODE + PAGE, CODE + 900 * PAGE, 2, "/lib/it.so"),
        ])
        .memory(CODE, PAGE, READ | EXECUTE, &[])
        .memory(CODE + PAGE, 899 * PAGE, 0, &[])
        .core();
    let files = Folder::with("/lib/it.so", module(ID, 0xcc));
    assert_eq!((&core.memory(&files) as &dyn ReadMemory).u8(CODE), Ok(0xcc));
}

#[test]
fn what_the_process_could_write_is_never_taken_from_a_file() {
    let library = module(ID, 0xcc);
    let variables = 0x40_3000;
    // Without bit 0 of coredump_filter variables are left out, also those made read-only after relocation.
    for access in [READ | WRITE, READ] {
        let core = CoreBuilder::default()
            .files(&[
                (0x40_0000, 0x40_1000, 0, "/lib/it.so"),
                (variables, variables + PAGE, 3, "/lib/it.so"),
            ])
            .memory(0x40_0000, PAGE, READ, &library[..PAGE as usize])
            .memory(variables, PAGE, access, &[])
            .core();
        let files = Folder::with("/lib/it.so", library.clone());
        let memory = core.memory(&files);
        assert!(
            (&memory as &dyn ReadMemory).u8(variables).is_err(),
            "access {access}"
        );
    }
}

#[test]
fn anonymous_memory_that_was_not_dumped_is_unreadable_not_zero() {
    let core = CoreBuilder::default()
        .memory(0x9000, 2 * PAGE, READ | WRITE, &[1; PAGE as usize])
        .core();
    let memory = core.memory(&NoFiles);
    let memory: &dyn ReadMemory = &memory;
    assert_eq!(memory.u8(0x9fff), Ok(1));
    assert_eq!(memory.u8(0xa000), Err(Unreadable { address: 0xa000 }));
}

#[test]
fn a_library_of_another_build_is_not_opened_for_its_symbols_either() {
    let core = ordinary(&module(ID, 0xcc)).core();
    let other = Folder::with("/lib/it.so", module(Some([8; 20]), 0x90));
    let memory = core.memory(&other);
    assert!(memory.open("/lib/it.so").is_err());
    let same = Folder::with("/lib/it.so", module(ID, 0xcc));
    let memory = core.memory(&same);
    assert_eq!(
        (*memory.open("/lib/it.so").unwrap()).as_ref(),
        module(ID, 0xcc)
    );
    assert!(memory.open("/elsewhere").is_err());
}

#[test]
fn files_that_were_only_data_are_neither_used_nor_missed() {
    let core = CoreBuilder::default()
        .files(&[(0x9000, 0xa000, 0, "/usr/lib/locale/C.utf8/LC_CTYPE")])
        .memory(0x9000, PAGE, READ, &[])
        .core();
    let memory = core.memory(&NoFiles);
    assert!((&memory as &dyn ReadMemory).u8(0x9000).is_err());
    assert_eq!(reasons(&memory.gaps()), "");
}

#[test]
fn on_another_machine_missing_libraries_are_named_up_to_a_point_and_then_counted() {
    let paths: Vec<String> = (0..50).map(|index| format!("/lib/{index}.so")).collect();
    let place = |index: usize| 0x10_0000 + index as u64 * PAGE;
    let files: Vec<(u64, u64, u64, &str)> = paths
        .iter()
        .enumerate()
        .map(|(index, path)| (place(index), place(index + 1), 1, path.as_str()))
        .collect();
    let core = CoreBuilder::default()
        .files(&files)
        .memory(place(0), 50 * PAGE, READ | EXECUTE, &[])
        .core();
    let memory = core.memory(&NoFiles);
    for index in 0..50 {
        assert!((&memory as &dyn ReadMemory).u8(place(index)).is_err());
    }
    let said = reasons(&memory.gaps());
    assert_eq!(said.lines().count(), 9, "{said}");
    assert!(
        said.contains("memory of 42 more files that the core left out"),
        "{said}"
    );
}
