//! Memory of a process that left a core.

use std::cell::{Cell, OnceCell, RefCell};

use crashlens_core::Gaps;

use super::CoreFile;
use super::module_file::{self, Likeness, StandIn};
use super::notes::MappedFile;
use crate::{Files, ReadMemory, Unreadable};

/// A TensorFlow process maps about 200 files; each opened one costs a memory map.
const MAX_OPENED: usize = 4096;
const REMEDY: &str = "Read the core where the program ran, in the same environment or container.";

/// Memory of a process that left a core.
///
/// Bytes come from the core. Code and constants, which Linux leaves out, come from the module's
/// file, once it is known to be the file the process had mapped. Everything else that the core does
/// not hold is unreadable: it is never made up, not as zeros either.
pub struct CoreMemory<'a> {
    core: &'a CoreFile,
    files: &'a dyn Files,
    /// One for each path of the core's list of mapped files.
    modules: Vec<ModuleState>,
    opened: Cell<usize>,
    gaps: RefCell<Gaps>,
}

/// What is known of a mapped file.
#[derive(Default)]
struct ModuleState {
    /// Where its first byte was mapped.
    header_address: Option<u64>,
    /// The highest offset that was mapped.
    extent: u64,
    /// The file, once it was needed; `None` inside when it may not be used.
    stand_in: OnceCell<Option<StandIn>>,
}

impl<'a> CoreMemory<'a> {
    pub(super) fn new(core: &'a CoreFile, files: &'a dyn Files) -> Self {
        let mapped = &core.notes.files;
        let mut modules: Vec<ModuleState> = mapped
            .paths
            .iter()
            .map(|_| ModuleState::default())
            .collect();
        for range in mapped.ranges() {
            let Some(module) = modules.get_mut(range.path) else {
                continue;
            };
            if range.offset == 0 && module.header_address.is_none() {
                module.header_address = Some(range.start);
            }
            // Old linkers leave a hole of up to 2 MiB between code and variables, and the loader keeps it
            // closed with a mapping without access that reaches beyond the file (libgfortran in NumPy's
            // wheel). Nothing was ever read there.
            let segment = core.segments.at(range.start);
            if segment.is_some_and(|segment| segment.access.is_none()) {
                continue;
            }
            module.extent = module
                .extent
                .max(range.offset.saturating_add(range.end - range.start));
        }
        Self {
            core,
            files,
            modules,
            opened: Cell::new(0),
            gaps: RefCell::default(),
        }
    }

    /// Modules whose memory was needed and could not be had, so far.
    pub fn gaps(&self) -> Gaps {
        self.gaps.borrow().clone()
    }

    /// Copies what one source has at `address`; `None` when that is nothing.
    fn copy(&self, address: u64, buffer: &mut [u8]) -> Option<usize> {
        let segment = self.core.segments.at(address);
        if let Some(bytes) =
            segment.and_then(|segment| segment.bytes_from(self.core.bytes(), address))
        {
            return Some(copy_prefix(bytes, buffer));
        }
        let range = self.core.notes.files.at(address)?;
        let file = self.stand_in(range)?;
        let bytes = file.bytes_from(range, segment.map(|segment| segment.access), address)?;
        let end = segment.map_or_else(
            || self.core.segments.next_start(address),
            |segment| Some(segment.end),
        );
        let length = end.map_or(range.end, |end| end.min(range.end)) - address;
        let length = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        Some(copy_prefix(&bytes[..length], buffer))
    }

    fn stand_in(&self, range: &MappedFile) -> Option<&StandIn> {
        let module = self.modules.get(range.path)?;
        module
            .stand_in
            .get_or_init(|| self.open(module, self.core.notes.files.path(range)))
            .as_ref()
    }

    fn open(&self, module: &ModuleState, path: &str) -> Option<StandIn> {
        let part = || format!("memory of {path} that the core left out");
        let mut gaps = self.gaps.borrow_mut();
        if self.opened.get() >= MAX_OPENED {
            gaps.add(
                "memory of mapped files",
                format!("only {MAX_OPENED} of them are opened"),
                None,
            );
            return None;
        }
        self.opened.set(self.opened.get() + 1);
        let bytes = match self.files.open(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                gaps.add(
                    part(),
                    format!("its file cannot be opened: {error}"),
                    Some(REMEDY),
                );
                return None;
            }
        };
        match module_file::compare((*bytes).as_ref(), self.dumped_header(module), module.extent) {
            Likeness::Same => {}
            Likeness::Unverified => {
                gaps.add(
                    part(),
                    "taken from its file on this machine; the core does not tell if it is the same",
                    None,
                );
            }
            Likeness::Other => {
                gaps.add(
                    part(),
                    "its file on this machine is not the one the core was made with",
                    Some(REMEDY),
                );
                return None;
            }
            Likeness::TooShort => {
                gaps.add(
                    part(),
                    "its file on this machine is shorter than what was mapped",
                    Some(REMEDY),
                );
                return None;
            }
        }
        Some(StandIn::new(bytes, module.header_address))
    }

    /// The first bytes of the module as the process had them, as far as the core holds them.
    fn dumped_header(&self, module: &ModuleState) -> &[u8] {
        let bytes = module.header_address.and_then(|address| {
            let segment = self.core.segments.at(address)?;
            segment.bytes_from(self.core.bytes(), address)
        });
        bytes.unwrap_or(&[])
    }
}

fn copy_prefix(bytes: &[u8], buffer: &mut [u8]) -> usize {
    let length = bytes.len().min(buffer.len());
    buffer[..length].copy_from_slice(&bytes[..length]);
    length
}

impl ReadMemory for CoreMemory<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let mut done = 0;
        while done < buffer.len() {
            let at = address
                .checked_add(done as u64)
                .ok_or(Unreadable { address: u64::MAX })?;
            done += self
                .copy(at, &mut buffer[done..])
                .ok_or(Unreadable { address: at })?;
        }
        Ok(())
    }
}
