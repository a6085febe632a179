//! What only the living system can tell of a fault: the file behind the memory, limits, the processor.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crashlens_core::{Ending, Limit, Mapping, Signal};
use crashlens_unwind::{EarlierMapping, MappedFile, Witnessed};
use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};
use nix::sys::statvfs::fstatvfs;

use crate::capture::Sample;
use crate::enquiry::Line;
use crate::live_files::LiveFiles;

/// Descriptors that are looked through for a file that has no name any more.
const MAX_DESCRIPTORS: usize = 4096;

/// Gathers it for a process that stands still.
pub(crate) fn around_fault(
    process: u32,
    ending: &Ending,
    maps: &[Mapping],
    sample: &Sample,
    earlier: Option<EarlierMapping>,
) -> Witnessed {
    let is = |signal| ending.signal == Some(signal);
    let limits = sample.facts.limits.known();
    let mapping = ending
        .address
        .filter(|_| is(Signal::BUS))
        .and_then(|address| maps.iter().find(|mapping| mapping.contains(address.0)));
    Witnessed {
        stack_limit: limits.and_then(|limits| stack_limit(limits)),
        processor: sample
            .host
            .cpu_flags
            .known()
            .filter(|_| is(Signal::ILL))
            .cloned(),
        file: mapping.and_then(|mapping| ask_for_file(process, mapping)),
        earlier,
    }
}

fn stack_limit(limits: &[Limit]) -> Option<u64> {
    let limit = limits.iter().find(|limit| limit.name == "Max stack size")?;
    limit.soft
}

/// The file of a mapping, unless its file system does not answer.
fn ask_for_file(process: u32, mapping: &Mapping) -> Option<MappedFile> {
    static LINE: Line = Line::new();
    let mapping = mapping.clone();
    let found = LINE.ask(move |answers| {
        if let Ok(file) = mapped_file(process, &mapping, &LiveFiles::of(process)) {
            let _ = answers.send(file);
        }
    });
    found.answers().next()
}

/// The file of a mapping: by its name where that still leads to it, by what the kernel keeps of the mapping, or
/// by a descriptor that the process has of it.
fn mapped_file(process: u32, mapping: &Mapping, files: &LiveFiles) -> io::Result<MappedFile> {
    if mapping.inode == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    let path = mapping.path.as_deref().unwrap_or_default();
    let is_it = |file: &File| {
        file.metadata()
            .is_ok_and(|facts| facts.ino() == mapping.inode)
    };
    let by_name = || files.locate(Path::new(path)).ok().filter(is_it);
    let by_mapping = || {
        let range = format!("{:x}-{:x}", mapping.start.0, mapping.end.0);
        open(Path::new(&format!("/proc/{process}/map_files/{range}")))
            .ok()
            .filter(is_it)
    };
    let by_descriptor = || {
        let descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?;
        descriptors
            .take(MAX_DESCRIPTORS)
            .filter_map(|entry| open(&entry.ok()?.path()).ok())
            .find(is_it)
    };
    let file = by_name()
        .or_else(by_mapping)
        .or_else(by_descriptor)
        .ok_or(io::ErrorKind::NotFound)?;
    let space = fstatvfs(file.as_fd()).ok().map(|space| {
        let block = space.fragment_size();
        let bytes = |blocks: u64| blocks.saturating_mul(block);
        (bytes(space.blocks_available()), bytes(space.blocks()))
    });
    Ok(MappedFile {
        size: file.metadata()?.len(),
        space,
        in_memory: fstatfs(file.as_fd())
            .ok()
            .map(|facts| facts.filesystem_type() == TMPFS_MAGIC),
    })
}

/// For the facts of a file only: it is not opened.
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_PATH)
        .open(path)
}
