use std::fs;
use std::thread;

use super::*;
use crate::elf::from_source;

const SMALL: &[u8] = include_bytes!("../../fixtures/elf/small.so");

fn identity(inode: u64) -> Identity {
    Identity {
        device: 1,
        inode,
        size: 1 << 20,
        modified: (1_700_000_000, 5),
        changed: (1_700_000_000, 6),
    }
}

fn elf() -> ElfFile {
    from_source(&SMALL).unwrap()
}

#[test]
fn what_is_kept_is_found_for_just_this_file_in_just_this_state() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ElfCache::new(Some(folder.path()));
    cache.keep(&identity(7), &elf());
    assert_eq!(cache.find(&identity(7)), Some(elf()));
    assert_eq!(cache.find(&identity(8)), None);
    let mut later = identity(7);
    later.modified.1 += 1;
    assert_eq!(cache.find(&later), None);
}

#[test]
fn an_entry_under_the_name_of_another_is_not_believed() {
    let bytes = entry::encode(&identity(7), &elf()).unwrap();
    assert_eq!(entry::decode(&bytes, &identity(8)), None);
}

#[test]
fn a_damaged_entry_is_as_if_it_were_not_there() {
    let bytes = entry::encode(&identity(7), &elf()).unwrap();
    assert!(entry::decode(&bytes, &identity(7)).is_some());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert_eq!(entry::decode(&damaged, &identity(7)), None, "at {at}");
        assert_eq!(
            entry::decode(&bytes[..at], &identity(7)),
            None,
            "cut at {at}"
        );
    }
}

#[test]
fn without_a_folder_to_write_to_everything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, SMALL).unwrap();
    // A file where a folder should be cannot be written into by anybody, not even by root.
    for cache in [ElfCache::new(Some(&file)), ElfCache::new(None)] {
        cache.keep(&identity(7), &elf());
        cache.tidy();
        assert_eq!(cache.read(&file, false).unwrap(), elf());
    }
}

#[test]
fn a_file_that_was_just_written_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.so");
    let mut bytes = SMALL.to_vec();
    bytes.resize(100_000, 0);
    fs::write(&file, &bytes).unwrap();
    let cache = ElfCache::new(Some(folder.path()));
    assert!(cache.read(&file, false).unwrap().cpu.vectors.is_none());
    assert!(!folder.path().join("elf").exists());
}

#[test]
fn counts_of_vectors_are_added_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.so");
    fs::write(&file, SMALL).unwrap();
    let cache = ElfCache::new(Some(folder.path()));
    assert!(cache.read(&file, true).unwrap().cpu.vectors.is_some());
}

#[test]
fn several_writers_leave_one_whole_entry() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let cache = ElfCache::new(Some(folder.path()));
                for _ in 0..20 {
                    cache.keep(&identity(7), &elf());
                    assert_eq!(cache.find(&identity(7)), Some(elf()));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(folder.path().join("elf")).unwrap().count(), 1);
}

#[test]
fn tidying_leaves_a_bounded_number_and_what_is_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ElfCache::new(Some(folder.path()));
    for inode in 0..20 {
        cache.keep(&identity(inode), &elf());
    }
    let entries = folder.path().join("elf");
    fs::write(entries.join("notes.txt"), "mine").unwrap();
    housekeeping::tidy_to(&entries, 8, 1 << 30);
    assert!(entries.join("notes.txt").exists());
    assert_eq!(fs::read_dir(&entries).unwrap().count(), 6 + 1);
}
