//! The address space of a core: program headers and the list of mapped files, put together.

use crashlens_core::{Address, Mapping};

use super::module_file;
use super::notes::{MappedFile, MappedFiles};
use super::segments::{Access, Segment, Segments};
use crate::arch::LEGACY_CALLS;

/// Addresses in mappings that have a name of the kernel's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Landmarks {
    /// In the stack of the first thread.
    pub(super) stack: Option<u64>,
    /// Start of the kernel's own library.
    pub(super) vdso: Option<u64>,
}

/// All mappings, ascending.
pub(super) fn mappings(
    segments: &Segments,
    files: &MappedFiles,
    landmarks: Landmarks,
    core: &[u8],
) -> Vec<Mapping> {
    let mut maps = Vec::new();
    for segment in segments.iter() {
        split(segment, files, landmarks, &mut maps);
    }
    let mut headers = vec![None; files.paths.len()];
    for range in files.ranges() {
        if range.offset == 0 {
            headers[range.path] = headers[range.path].or(Some(range.start));
        }
        if segments.at(range.start).is_some() {
            continue;
        }
        // gdb's `gcore` writes no header for code and constants, and a cut core may have lost some. The
        // first page of the module then tells what the loader allowed there.
        let next = segments.next_start(range.start);
        let end = next.map_or(range.end, |next| next.min(range.end));
        let image = headers[range.path].and_then(|address| {
            segments
                .at(address)
                .and_then(|segment| segment.bytes_from(core, address))
        });
        let access = image.and_then(|image| module_file::access_by_headers(image, range.offset));
        maps.push(file_backed(range, files, range.start, end, access));
    }
    maps.sort_by_key(|mapping| mapping.start);
    maps
}

/// One segment, cut where a file begins or ends in it.
fn split(segment: &Segment, files: &MappedFiles, landmarks: Landmarks, maps: &mut Vec<Mapping>) {
    let ranges = files.ranges();
    let first = ranges.partition_point(|range| range.end <= segment.start);
    let mut done = segment.start;
    for range in ranges[first..]
        .iter()
        .take_while(|range| range.start < segment.end)
    {
        if range.start > done {
            maps.push(anonymous(segment, done, range.start, landmarks));
        }
        let end = range.end.min(segment.end);
        maps.push(file_backed(
            range,
            files,
            done.max(range.start),
            end,
            Some(segment.access),
        ));
        done = end;
    }
    if done < segment.end {
        maps.push(anonymous(segment, done, segment.end, landmarks));
    }
}

fn file_backed(
    range: &MappedFile,
    files: &MappedFiles,
    start: u64,
    end: u64,
    access: Option<Access>,
) -> Mapping {
    Mapping {
        start: Address(start),
        end: Address(end),
        permissions: access.map_or_else(|| "????".to_owned(), Access::permissions),
        offset: range.offset.saturating_add(start - range.start),
        inode: 0,
        path: Some(files.path(range).to_owned()),
    }
}

fn anonymous(segment: &Segment, start: u64, end: u64, landmarks: Landmarks) -> Mapping {
    let holds =
        |landmark: Option<u64>| landmark.is_some_and(|address| (start..end).contains(&address));
    let name = if holds(landmarks.stack) {
        Some("[stack]")
    } else if holds(landmarks.vdso) {
        Some("[vdso]")
    } else if start == LEGACY_CALLS {
        Some("[vsyscall]")
    } else {
        None
    };
    Mapping {
        start: Address(start),
        end: Address(end),
        permissions: segment.access.permissions(),
        offset: 0,
        inode: 0,
        path: name.map(str::to_owned),
    }
}
