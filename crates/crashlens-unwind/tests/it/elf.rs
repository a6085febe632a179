//! Symbols and sections of modules, from their files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

use crashlens_core::Module;
use crashlens_unwind::python::SymbolLookup;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

/// Looks into the files of modules, each read once.
#[derive(Default)]
pub(crate) struct ElfFiles(RefCell<BTreeMap<String, Option<Rc<Vec<u8>>>>>);

impl ElfFiles {
    fn with<T>(&self, path: &str, look: impl FnOnce(&object::File<'_>) -> Option<T>) -> Option<T> {
        let bytes = Rc::clone(
            self.0
                .borrow_mut()
                .entry(path.to_owned())
                .or_insert_with(|| fs::read(path).ok().map(Rc::new))
                .as_ref()?,
        );
        look(&object::File::parse(bytes.as_slice()).ok()?)
    }

    /// The lowest address in the file, where the mapping of its beginning stands.
    pub(crate) fn lowest_address(&self, path: &str) -> Option<u64> {
        self.with(path, |file| {
            file.segments()
                .map(|segment| segment.address() & !0xfff)
                .min()
        })
    }
}

impl SymbolLookup for ElfFiles {
    fn symbol(&self, module: &Module, name: &str) -> Option<u64> {
        self.with(&module.path, |file| {
            let mut all = file.dynamic_symbols().chain(file.symbols());
            let symbol = all.find(|symbol| symbol.is_definition() && symbol.name() == Ok(name))?;
            Some(symbol.address().wrapping_add(module.bias.0))
        })
    }

    fn section(&self, module: &Module, name: &str) -> Option<(u64, u64)> {
        self.with(&module.path, |file| {
            let section = file.section_by_name(name)?;
            Some((
                section.address().wrapping_add(module.bias.0),
                section.size(),
            ))
        })
    }

    fn has_symtab(&self, module: &Module) -> bool {
        self.with(&module.path, |file| file.symbols().next().map(|_| ()))
            .is_some()
    }
}
