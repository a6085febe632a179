//! A small library, and folders that hold it or do not.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;

use crashlens_unwind::{FileBytes, Files};

use crate::builder::{EXECUTE, PAGE, READ, WRITE, program_header, put, shared};

/// Four pages: headers, two pages of code full of `fill`, one of variables. A build id where given.
pub(crate) fn module(build_id: Option<[u8; 20]>, fill: u8) -> Vec<u8> {
    let mut image = vec![0; 4 * PAGE as usize];
    put(&mut image, 0, b"\x7fELF\x02\x01\x01");
    put(&mut image, 16, &[3, 0, 62, 0, 1, 0, 0, 0]);
    put(&mut image, 32, &64_u64.to_le_bytes());
    put(&mut image, 52, &[64, 0, 56, 0, 4, 0]);
    let headers = [
        program_header(1, READ, 0, 0, PAGE, PAGE),
        program_header(1, READ | EXECUTE, PAGE, PAGE, 2 * PAGE, 2 * PAGE),
        program_header(1, READ | WRITE, 3 * PAGE, 3 * PAGE, PAGE, PAGE),
        program_header(
            if build_id.is_some() { 4 } else { 0 },
            READ,
            512,
            512,
            36,
            36,
        ),
    ];
    put(&mut image, 64, &headers.concat());
    if let Some(build_id) = build_id {
        put(&mut image, 512, &[4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]);
        put(&mut image, 524, b"GNU\0");
        put(&mut image, 528, &build_id);
    }
    image[PAGE as usize..3 * PAGE as usize].fill(fill);
    image[3 * PAGE as usize..].fill(0xee);
    image
}

/// A file system of a few files, which counts how often one is opened.
#[derive(Default)]
pub(crate) struct Folder {
    files: BTreeMap<String, Vec<u8>>,
    pub(crate) opened: Cell<usize>,
}

impl Folder {
    pub(crate) fn with(path: &str, content: Vec<u8>) -> Self {
        Self {
            files: BTreeMap::from([(path.to_owned(), content)]),
            opened: Cell::new(0),
        }
    }
}

impl Files for Folder {
    fn open(&self, path: &str) -> io::Result<FileBytes> {
        self.opened.set(self.opened.get() + 1);
        let content = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(shared(content.clone()))
    }
}
