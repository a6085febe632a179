//! Names and lines for code addresses, from the module's ELF file or its separate debug file.
//!
//! A batch of addresses is named in one pass over the symbol table: an index of a 500 MB TensorFlow
//! library costs a second and 200 MB, and a crash needs fifty names.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crashlens_core::{Gaps, Module, SourceLine, demangle};
use serde::{Deserialize, Serialize};

use crate::python::SymbolLookup;
use crate::{FileBytes, Files};

mod dwarf;
mod elf;

/// What is known of a code address. Several for one address when functions were inlined there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct FrameName {
    /// Demangled function.
    pub function: Option<String>,
    /// Offset of the address in it.
    pub offset: Option<u64>,
    /// Source line.
    pub source: Option<SourceLine>,
    /// Whether the function was expanded into the next one.
    pub inlined: bool,
}

/// Symbols of modules, from files.
pub(crate) struct FileSymbols<'files> {
    files: &'files dyn Files,
    opened: RefCell<HashMap<String, Option<Rc<ModuleFile>>>>,
    gaps: RefCell<Gaps>,
}

/// An opened module, and its separate debug file where there is one.
struct ModuleFile {
    module: FileBytes,
    debug: Option<FileBytes>,
}

impl<'files> FileSymbols<'files> {
    pub(crate) fn new(files: &'files dyn Files) -> Self {
        Self {
            files,
            opened: RefCell::default(),
            gaps: RefCell::default(),
        }
    }

    /// What could not be opened.
    pub(crate) fn into_gaps(self) -> Gaps {
        self.gaps.into_inner()
    }

    /// Names for code addresses of the process, all inside `module`; innermost inlined function first.
    pub(crate) fn names(&self, module: &Module, addresses: &[u64]) -> Vec<Vec<FrameName>> {
        let Some(file) = self.file(module) else {
            return vec![Vec::new(); addresses.len()];
        };
        let in_file: Vec<u64> = addresses
            .iter()
            .map(|address| address.wrapping_sub(module.bias.0))
            .collect();
        let bytes = (*file.module).as_ref();
        let debug = file.debug.as_ref().map(|debug| (**debug).as_ref());
        let symbols = elf::name_addresses(bytes, debug, &in_file);
        let lines = if is_c_library(&module.name) {
            vec![Vec::new(); addresses.len()]
        } else {
            dwarf::inlined_frames(debug.unwrap_or(bytes), &in_file)
        };
        symbols
            .into_iter()
            .zip(lines)
            .map(|(symbol, lines)| join(symbol, lines))
            .collect()
    }

    fn file(&self, module: &Module) -> Option<Rc<ModuleFile>> {
        let mut opened = self.opened.borrow_mut();
        opened
            .entry(module.path.clone())
            .or_insert_with(|| self.open(module).map(Rc::new))
            .clone()
    }

    /// Opens the module's file if it is the one the process had loaded.
    fn open(&self, module: &Module) -> Option<ModuleFile> {
        // `[vdso]` has no file.
        if !module.path.starts_with('/') {
            return None;
        }
        let part = || format!("symbols of {}", module.name);
        let bytes = match self.files.open(&module.path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.gaps.borrow_mut().add(
                    part(),
                    error,
                    Some("run crashlens where the program's files are"),
                );
                return None;
            }
        };
        let found = elf::build_id((*bytes).as_ref());
        if module.build_id.is_some() && found.is_some() && found != module.build_id {
            let reason =
                "the file on disk is not the one the process had loaded (build ids differ)";
            self.gaps.borrow_mut().add(
                part(),
                reason,
                Some("put the original file back, or reproduce the crash"),
            );
            return None;
        }
        let debug = if elf::has_symtab((*bytes).as_ref()) {
            None
        } else {
            self.debug_file(module)
        };
        Some(ModuleFile {
            module: bytes,
            debug,
        })
    }

    /// The separate debug file, where distributions install it: by build id.
    fn debug_file(&self, module: &Module) -> Option<FileBytes> {
        let id = module
            .build_id
            .as_deref()
            .filter(|id| id.is_ascii() && id.len() > 2)?;
        let (folder, rest) = id.split_at(2);
        self.files
            .open(&format!("/usr/lib/debug/.build-id/{folder}/{rest}.debug"))
            .ok()
    }
}

impl SymbolLookup for FileSymbols<'_> {
    fn symbol(&self, module: &Module, name: &str) -> Option<u64> {
        let file = self.file(module)?;
        let address = elf::address_of((*file.module).as_ref(), name).or_else(|| {
            file.debug
                .as_ref()
                .and_then(|debug| elf::address_of((**debug).as_ref(), name))
        })?;
        Some(address.wrapping_add(module.bias.0))
    }

    fn section(&self, module: &Module, name: &str) -> Option<(u64, u64)> {
        let file = self.file(module)?;
        let (address, size) = elf::section((*file.module).as_ref(), name)?;
        Some((address.wrapping_add(module.bias.0), size))
    }

    fn has_symtab(&self, module: &Module) -> bool {
        self.file(module)
            .is_some_and(|file| elf::has_symtab((*file.module).as_ref()))
    }
}

/// Whether lines in this module's source help nobody.
///
/// Debian packs the C library's debug information; unpacking it takes a fifth of the time a whole
/// capture may take, to say which line of `memcpy` it was.
fn is_c_library(name: &str) -> bool {
    ["libc.so", "libc-2", "libm.so", "libpthread", "ld-linux"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Asks a module file everything, at addresses it names itself.
pub(crate) fn ask_everything(bytes: &[u8]) {
    let addresses: Vec<u64> = bytes
        .chunks_exact(8)
        .take(64)
        .map(|word| u64::from(word[0]) << 8)
        .collect();
    elf::name_addresses(bytes, Some(bytes), &addresses);
    elf::address_of(bytes, "_PyRuntime");
    elf::section(bytes, ".PyRuntime");
    elf::build_id(bytes);
    dwarf::inlined_frames(bytes, &addresses);
}

/// One list of frames from what the symbol table and the debug information say.
///
/// The outermost function takes its name from the symbol table: that is what other tools print, and
/// the interpreter's evaluation function is recognised by it.
fn join(symbol: Option<elf::Symbol>, mut lines: Vec<FrameName>) -> Vec<FrameName> {
    let Some(symbol) = symbol else { return lines };
    if lines.is_empty() {
        lines.push(FrameName::default());
    }
    if let Some(outermost) = lines.last_mut() {
        outermost.function = Some(demangle(&symbol.name));
        outermost.offset = Some(symbol.offset);
    }
    lines
}
