//! Writes core files as Linux lays them out: headers, notes, memory, and the section header that holds
//! the number of program headers when there are too many.

use std::sync::Arc;

use crashlens_core::Gaps;
use crashlens_unwind::{CoreFile, FileBytes};

pub(crate) const READ: u32 = 4;
pub(crate) const WRITE: u32 = 2;
pub(crate) const EXECUTE: u32 = 1;
pub(crate) const PAGE: u64 = 4096;

/// The word of a register in the note of a thread.
pub(crate) const RIP: usize = 16;
pub(crate) const RSP: usize = 19;
pub(crate) const FS_BASE: usize = 21;

/// A core in the making.
#[derive(Default, Clone)]
pub(crate) struct CoreBuilder {
    notes: Vec<u8>,
    segments: Vec<Segment>,
}

#[derive(Clone)]
struct Segment {
    start: u64,
    size: u64,
    access: u32,
    bytes: Vec<u8>,
}

impl CoreBuilder {
    pub(crate) fn note(mut self, kind: u32, descriptor: &[u8]) -> Self {
        for word in [5, descriptor.len() as u32, kind] {
            self.notes.extend(word.to_le_bytes());
        }
        self.notes.extend(b"CORE\0\0\0\0");
        self.notes.extend(descriptor);
        self.notes.resize(self.notes.len().next_multiple_of(4), 0);
        self
    }

    pub(crate) fn thread(self, id: u32, signal: u16, registers: &[(usize, u64)]) -> Self {
        let mut status = vec![0; 336];
        put(&mut status, 12, &signal.to_le_bytes());
        put(&mut status, 32, &id.to_le_bytes());
        for (index, value) in registers {
            put(&mut status, 112 + 8 * index, &value.to_le_bytes());
        }
        self.note(1, &status)
    }

    pub(crate) fn process(self, pid: u32, parent: u32, name: &str, command_line: &str) -> Self {
        let mut record = vec![0; 136];
        put(&mut record, 16, &1000_u32.to_le_bytes());
        put(&mut record, 24, &pid.to_le_bytes());
        put(&mut record, 28, &parent.to_le_bytes());
        put(&mut record, 40, name.as_bytes());
        put(&mut record, 56, command_line.as_bytes());
        self.note(3, &record)
    }

    pub(crate) fn signal(self, number: i32, code: i32, value: u64) -> Self {
        let mut record = vec![0; 128];
        put(&mut record, 0, &number.to_le_bytes());
        put(&mut record, 8, &code.to_le_bytes());
        put(&mut record, 16, &value.to_le_bytes());
        self.note(0x5349_4749, &record)
    }

    pub(crate) fn auxiliary(self, pairs: &[(u64, u64)]) -> Self {
        self.note(
            6,
            &words(
                pairs
                    .iter()
                    .chain(&[(0, 0)])
                    .flat_map(|(kind, value)| [*kind, *value]),
            ),
        )
    }

    /// Files as start, end, offset in pages, path.
    pub(crate) fn files(self, files: &[(u64, u64, u64, &str)]) -> Self {
        let ranges = files
            .iter()
            .flat_map(|(start, end, offset, _)| [*start, *end, *offset]);
        let mut record = words([files.len() as u64, PAGE].into_iter().chain(ranges));
        for (.., path) in files {
            record.extend(path.as_bytes());
            record.push(0);
        }
        self.note(0x4649_4c45, &record)
    }

    /// Memory of `size` bytes of which `bytes` are in the core.
    pub(crate) fn memory(mut self, start: u64, size: u64, access: u32, bytes: &[u8]) -> Self {
        self.segments.push(Segment {
            start,
            size,
            access,
            bytes: bytes.to_vec(),
        });
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let headers = self.segments.len() as u64 + 1;
        let notes_start = 64 + headers * 56;
        let mut data_start = (notes_start + self.notes.len() as u64).next_multiple_of(PAGE);
        let mut table = program_header(4, 0, notes_start, 0, self.notes.len() as u64, 0);
        let mut data = Vec::new();
        let first = data_start;
        for segment in &self.segments {
            let size = segment.bytes.len() as u64;
            let header = program_header(
                1,
                segment.access,
                data_start,
                segment.start,
                size,
                segment.size,
            );
            table.extend(header);
            data.extend(&segment.bytes);
            data.resize(data.len().next_multiple_of(PAGE as usize), 0);
            data_start = first + data.len() as u64;
        }
        let many = headers >= 0xffff;
        let mut core = file_header(
            if many { 0xffff } else { headers as u16 },
            if many { data_start } else { 0 },
        );
        core.extend(table);
        core.extend(&self.notes);
        core.resize(first as usize, 0);
        core.extend(data);
        if many {
            core.resize(core.len() + 64, 0);
            let section = core.len() - 64;
            put(&mut core, section + 44, &(headers as u32).to_le_bytes());
        }
        core
    }

    pub(crate) fn core(&self) -> CoreFile {
        parse(self.bytes())
    }
}

/// A process with one thread that died reading address 0x10, its stack and one library `/lib/it.so` in
/// three parts: header page dumped, code not, variables dumped.
pub(crate) fn ordinary(module: &[u8]) -> CoreBuilder {
    CoreBuilder::default()
        .thread(
            4242,
            11,
            &[(RIP, 0x40_1010), (RSP, 0x7000_0800), (FS_BASE, 0x7777)],
        )
        .process(4242, 17, "python", "python train.py ")
        .signal(11, 1, 0x10)
        .files(&[
            (0x40_0000, 0x40_1000, 0, "/lib/it.so"),
            (0x40_1000, 0x40_3000, 1, "/lib/it.so"),
            (0x40_3000, 0x40_4000, 3, "/lib/it.so"),
        ])
        .memory(0x40_0000, PAGE, READ, &module[..PAGE as usize])
        .memory(0x40_1000, 2 * PAGE, READ | EXECUTE, &[])
        .memory(0x40_3000, PAGE, READ | WRITE, &[0xdd; PAGE as usize])
        .memory(
            0x7000_0000,
            2 * PAGE,
            READ | WRITE,
            &[0x55; 2 * PAGE as usize],
        )
}

pub(crate) fn shared(bytes: Vec<u8>) -> FileBytes {
    Arc::new(bytes)
}

pub(crate) fn parse(bytes: Vec<u8>) -> CoreFile {
    CoreFile::parse(shared(bytes)).expect("a core")
}

/// All gaps in words, one a line.
pub(crate) fn reasons(gaps: &Gaps) -> String {
    let lines: Vec<String> = gaps
        .0
        .iter()
        .map(|gap| format!("{}: {}", gap.part, gap.reason))
        .collect();
    lines.join("\n")
}

pub(crate) fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    bytes[offset..offset + value.len()].copy_from_slice(value);
}

pub(crate) fn words(words: impl IntoIterator<Item = u64>) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

pub(crate) fn program_header(
    kind: u32,
    access: u32,
    offset: u64,
    address: u64,
    size: u64,
    memory: u64,
) -> Vec<u8> {
    let mut header = vec![0; 56];
    put(&mut header, 0, &kind.to_le_bytes());
    put(&mut header, 4, &access.to_le_bytes());
    put(
        &mut header,
        8,
        &words([offset, address, 0, size, memory, 4]),
    );
    header
}

fn file_header(headers: u16, sections: u64) -> Vec<u8> {
    let mut header = vec![0; 64];
    put(&mut header, 0, b"\x7fELF\x02\x01\x01");
    put(&mut header, 16, &[4, 0, 62, 0, 1, 0, 0, 0]);
    put(&mut header, 32, &words([64, sections]));
    put(&mut header, 52, &[64, 0, 56, 0]);
    put(&mut header, 56, &headers.to_le_bytes());
    put(&mut header, 58, &[64, 0]);
    header
}
