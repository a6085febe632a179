//! Source lines and inlined functions, where the file has DWARF.

use std::borrow::Cow;

use addr2line::Context;
use crashlens_core::SourceLine;
use gimli::{EndianSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection};

use super::{FrameName, demangle};

/// Larger debug information takes longer to open than a person waits.
const MAX_DEBUG_INFO: u64 = 512 << 20;
/// Compilers nest inlined functions some ten deep.
const MAX_INLINED: usize = 64;

type Slice<'bytes> = EndianSlice<'bytes, LittleEndian>;

/// Functions at each address, innermost first; empty without debug information.
pub(super) fn inlined_frames(bytes: &[u8], addresses: &[u64]) -> Vec<Vec<FrameName>> {
    let nothing = || vec![Vec::new(); addresses.len()];
    let Ok(file) = object::File::parse(bytes) else {
        return nothing();
    };
    let size = file
        .section_by_name(".debug_info")
        .map_or(0, |section| section.size());
    if size == 0 || size > MAX_DEBUG_INFO {
        return nothing();
    }
    let sections = gimli::DwarfSections::load(|id| load(&file, id));
    let Ok(sections) = sections else {
        return nothing();
    };
    let Ok(context) =
        Context::from_dwarf(sections.borrow(|section| EndianSlice::new(section, LittleEndian)))
    else {
        return nothing();
    };
    addresses
        .iter()
        .map(|address| frames_at(&context, *address))
        .collect()
}

fn load<'bytes>(
    file: &object::File<'bytes>,
    id: SectionId,
) -> Result<Cow<'bytes, [u8]>, object::Error> {
    match file.section_by_name(id.name()) {
        Some(section) => section.uncompressed_data(),
        None => Ok(Cow::Borrowed(&[])),
    }
}

fn frames_at(context: &Context<Slice<'_>>, address: u64) -> Vec<FrameName> {
    let mut names = Vec::new();
    let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
        return names;
    };
    while let Ok(Some(frame)) = frames.next() {
        let function = frame
            .function
            .and_then(|name| name.raw_name().map(|name| demangle(&name)).ok());
        let source = frame.location.and_then(|place| {
            Some(SourceLine {
                file: place.file?.to_owned(),
                line: place.line?,
            })
        });
        names.push(FrameName {
            function,
            offset: None,
            source,
            inlined: true,
        });
        if names.len() == MAX_INLINED {
            break;
        }
    }
    if let Some(outermost) = names.last_mut() {
        outermost.inlined = false;
    }
    names
}
