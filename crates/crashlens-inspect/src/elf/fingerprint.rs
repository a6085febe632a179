//! What a file's names and words tell beyond linking: which NumPy it speaks to, which runtime it is.

use crashlens_core::survey::{NumpyUse, OpenMp};
use memchr::memmem;
use object::elf;

use super::exports::Exports;
use super::layout::Layout;
use super::source::Source;

/// Bytes looked at in one step. Words that lie across two steps are found by the overlap.
const STEP: usize = 256 << 10;
/// The longest word that is looked for.
const OVERLAP: usize = 64;

/// Words that pybind11 leaves in every module.
const PYBIND11: &[u8] = b"__pybind11_internals_v";

/// Which NumPy a file was built for: NumPy's headers and Cython's put the name of NumPy's own module into whatever is
/// compiled with them. Files of all sizes are looked at; callers leave out those that use no function of Python, which
/// cannot call NumPy either and which TensorFlow's largest libraries are among.
pub(crate) fn numpy(source: &impl Source, layout: &Layout) -> Option<NumpyUse> {
    let mut found = Words::default();
    for (offset, size) in read_only(layout) {
        // What lies beyond the end of the file has been noted as truncation.
        let size = size.min(source.size().saturating_sub(offset));
        if found.search(source, offset, size).is_none() {
            break;
        }
    }
    found.verdict()
}

#[derive(Debug, Default)]
struct Words {
    numpy: NumpyUse,
    /// `numpy.core.multiarray` alone, as pybind11 imports it.
    module: bool,
    pybind11: bool,
}

impl Words {
    fn search(&mut self, source: &impl Source, offset: u64, size: u64) -> Option<()> {
        let numpy = memmem::Finder::new(b"numpy.");
        let pybind11 = memmem::Finder::new(PYBIND11);
        let mut buffer = vec![0; STEP.min(size as usize)];
        let mut done = 0;
        while done < size {
            let length = (size - done).min(STEP as u64) as usize;
            let window = buffer.get_mut(..length)?;
            source.fill(offset.checked_add(done)?, window).ok()?;
            for at in numpy.find_iter(window) {
                self.take(window.get(at + 6..)?);
            }
            self.pybind11 |= !self.pybind11 && pybind11.find(window).is_some();
            done += if length < STEP {
                length
            } else {
                STEP - OVERLAP
            } as u64;
        }
        Some(())
    }

    /// What follows `numpy.`.
    fn take(&mut self, rest: &[u8]) {
        self.numpy.new |= rest.starts_with(b"_core");
        self.numpy.old |= rest.starts_with(b"core._multiarray_umath")
            || rest.starts_with(b"core.multiarray failed to import");
        self.module |= rest.starts_with(b"core.multiarray\0");
    }

    fn verdict(self) -> Option<NumpyUse> {
        // Since 2.12 pybind11 knows both places.
        let old_pybind11 = self.pybind11 && self.module && !self.numpy.new;
        let found = NumpyUse {
            old_pybind11,
            ..self.numpy
        };
        (found != NumpyUse::default()).then_some(found)
    }
}

/// Where words lie that nobody writes to: sections tell it best; without them whole segments do.
fn read_only(layout: &Layout) -> Vec<(u64, u64)> {
    let unwanted = elf::SHF_WRITE.0 | elf::SHF_EXECINSTR.0;
    let sections: Vec<_> = layout
        .sections
        .iter()
        .filter(|section| section.kind == elf::SHT_PROGBITS)
        .filter(|section| section.flags & elf::SHF_ALLOC.0 != 0 && section.flags & unwanted == 0)
        .map(|section| (section.offset, section.size))
        .collect();
    if !sections.is_empty() {
        return sections;
    }
    layout
        .segments_of(elf::PT_LOAD)
        .filter(|segment| segment.flags & elf::PF_W.0 == 0)
        .map(|segment| (segment.offset, segment.file_size))
        .collect()
}

/// Which OpenMP runtime a file is, by what it defines. LLVM's and Intel's have the symbols of GNU's as well, so that
/// theirs decide; which of the two it is their own name says.
pub(crate) fn openmp(exported: &Exports, soname: Option<&str>) -> Option<OpenMp> {
    if exported.contains("__kmpc_fork_call") {
        let is_intel = soname.is_some_and(|soname| soname.starts_with("libiomp"));
        return Some(if is_intel {
            OpenMp::Intel
        } else {
            OpenMp::Llvm
        });
    }
    exported.contains("GOMP_parallel").then_some(OpenMp::Gnu)
}

/// The version of a protocol-buffer runtime, as far as its soname tells: `libprotobuf.so.25.3.0`. Before that the soname
/// had a count of its own.
pub(crate) fn protobuf_version(soname: Option<&str>) -> String {
    let number = soname.and_then(|soname| soname.strip_prefix("libprotobuf.so."));
    match number {
        Some("32") => "3.21".to_owned(),
        Some(version) if version.contains('.') => version.to_owned(),
        _ => String::new(),
    }
}
