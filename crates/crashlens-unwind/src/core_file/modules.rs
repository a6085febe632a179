//! The programs and libraries of a core, and which of their files on this machine may be used.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::io;

use crashlens_core::Gaps;

use super::CoreFile;
use super::module_file::{self, Likeness, StandIn};
use super::segments::Access;
use crate::{FileBytes, Files};

/// A TensorFlow process maps about 200 files; each opened one costs a memory map.
const MAX_OPENED: usize = 4096;
/// On another machine every file is missing: so many are named one by one, the others counted.
const NAMED_EACH: usize = 8;
const REMEDY: &str = "Read the core where the program ran, in the same environment or container.";

/// All files that were mapped, by the index of their path. Each is opened when it is first needed.
pub(super) struct Modules<'a> {
    core: &'a CoreFile,
    files: &'a dyn Files,
    list: Vec<Module>,
    by_path: HashMap<&'a str, usize>,
    opened: Cell<usize>,
}

/// What is known of a mapped file.
#[derive(Default)]
struct Module {
    /// Where its first byte was mapped.
    header_address: Option<u64>,
    /// The highest offset that was mapped.
    extent: u64,
    /// Whether code of it was mapped, or may have been. Other files are data: nothing of a stack is in
    /// them, and they may have changed since.
    has_code: bool,
    verdict: OnceCell<Verdict>,
}

/// Whether a module's file may be used.
#[derive(Default)]
struct Verdict {
    stand_in: Option<StandIn>,
    trouble: Option<Trouble>,
}

/// What is wrong with a module's file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Trouble {
    Unverified,
    OtherBuild,
    TooShort,
    CannotOpen(String),
    NotTried,
}

impl Trouble {
    fn reason(&self) -> String {
        match self {
            Self::Unverified => {
                "taken from its file on this machine; the core does not tell if it is the same"
                    .into()
            }
            Self::OtherBuild => {
                "its file on this machine is not the one the core was made with".into()
            }
            Self::TooShort => "its file on this machine is shorter than what was mapped".into(),
            Self::CannotOpen(error) => format!("its file cannot be opened: {error}"),
            Self::NotTried => format!("not more than {MAX_OPENED} files are opened"),
        }
    }

    fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Unverified | Self::NotTried => None,
            Self::OtherBuild | Self::TooShort | Self::CannotOpen(_) => Some(REMEDY),
        }
    }
}

impl<'a> Modules<'a> {
    pub(super) fn new(core: &'a CoreFile, files: &'a dyn Files) -> Self {
        let mapped = &core.notes.files;
        let mut list: Vec<Module> = mapped.paths.iter().map(|_| Module::default()).collect();
        for range in mapped.ranges() {
            let Some(module) = list.get_mut(range.path) else {
                continue;
            };
            if range.offset == 0 && module.header_address.is_none() {
                module.header_address = Some(range.start);
            }
            let access = core.segments.at(range.start).map(|segment| segment.access);
            module.has_code |= access.is_none_or(Access::may_execute);
            // Old linkers leave a hole of up to 2 MiB between code and variables, and the loader keeps it
            // closed with a mapping without access that reaches beyond the file (libgfortran in NumPy's
            // wheel). Nothing was ever read there.
            if !access.is_some_and(Access::is_none) {
                let end = range.offset.saturating_add(range.end - range.start);
                module.extent = module.extent.max(end);
            }
        }
        let by_path = mapped
            .paths
            .iter()
            .enumerate()
            .map(|(index, path)| (path.as_str(), index));
        Self {
            core,
            files,
            list,
            by_path: by_path.collect(),
            opened: Cell::new(0),
        }
    }

    /// The file of a path, if it may stand in for memory.
    pub(super) fn stand_in(&self, path: usize) -> Option<&StandIn> {
        self.verdict(path)?.stand_in.as_ref()
    }

    /// Opens a file by its path. Of a module only the file the core was made with is given: frames found by the
    /// tables and symbols of another build would be wrong without a sign of it.
    pub(super) fn open(&self, path: &str) -> io::Result<FileBytes> {
        let verdict = self
            .by_path
            .get(path)
            .and_then(|index| self.verdict(*index));
        match verdict {
            Some(Verdict {
                stand_in: Some(file),
                ..
            }) => Ok(file.bytes()),
            Some(Verdict {
                trouble: Some(trouble),
                ..
            }) => Err(io::Error::other(trouble.reason())),
            _ => self.files.open(path),
        }
    }

    /// The modules that were needed and whose files could not be used, or not with certainty.
    pub(super) fn gaps(&self) -> Gaps {
        let mut gaps = Gaps::default();
        let mut counts: Vec<(&Trouble, usize)> = Vec::new();
        for (module, path) in self.list.iter().zip(&self.core.notes.files.paths) {
            let trouble = module
                .verdict
                .get()
                .and_then(|verdict| verdict.trouble.as_ref());
            let Some(trouble) = trouble else { continue };
            let place = counts.iter().position(|(known, _)| *known == trouble);
            let place = place.unwrap_or_else(|| {
                counts.push((trouble, 0));
                counts.len() - 1
            });
            counts[place].1 += 1;
            if counts[place].1 <= NAMED_EACH {
                let part = format!("memory of {path} that the core left out");
                gaps.add(part, trouble.reason(), trouble.remedy());
            }
        }
        for (trouble, count) in counts.into_iter().filter(|(_, count)| *count > NAMED_EACH) {
            let part = format!(
                "memory of {} more files that the core left out",
                count - NAMED_EACH
            );
            gaps.add(
                part,
                format!("for each of them: {}", trouble.reason()),
                trouble.remedy(),
            );
        }
        gaps
    }

    fn verdict(&self, index: usize) -> Option<&Verdict> {
        let module = self.list.get(index)?;
        let path = self.core.notes.files.paths.get(index)?;
        Some(module.verdict.get_or_init(|| self.judge(module, path)))
    }

    fn judge(&self, module: &Module, path: &str) -> Verdict {
        if !module.has_code {
            return Verdict::default();
        }
        if self.opened.get() >= MAX_OPENED {
            return Verdict {
                stand_in: None,
                trouble: Some(Trouble::NotTried),
            };
        }
        self.opened.set(self.opened.get() + 1);
        let bytes = match self.files.open(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let trouble = Some(Trouble::CannotOpen(error.to_string()));
                return Verdict {
                    stand_in: None,
                    trouble,
                };
            }
        };
        let content = (*bytes).as_ref();
        let dumped = self.dumped_header(module);
        if dumped.is_empty() && !CoreFile::looks_like(content) {
            return Verdict::default();
        }
        let trouble = match module_file::compare(content, dumped, module.extent) {
            Likeness::Same => None,
            Likeness::Unverified => Some(Trouble::Unverified),
            Likeness::Other => Some(Trouble::OtherBuild),
            Likeness::TooShort => Some(Trouble::TooShort),
        };
        let usable = matches!(trouble, None | Some(Trouble::Unverified));
        let stand_in = usable.then(|| StandIn::new(bytes, module.header_address));
        Verdict { stand_in, trouble }
    }

    /// The first bytes of the module as the process had them, as far as the core holds them.
    fn dumped_header(&self, module: &Module) -> &[u8] {
        let bytes = module.header_address.and_then(|address| {
            let segment = self.core.segments.at(address)?;
            segment.bytes_from(self.core.bytes(), address)
        });
        bytes.unwrap_or(&[])
    }
}
