//! The order in which the parts of an ELF file are read.

use object::elf;

use super::dynamic::Dynamic;
use super::layout::Layout;
use super::source::Source;
use super::strings::Strings;
use super::symbols::Symbols;
use super::versions::Versions;
use super::{ElfError, ElfFile, arch::x86_64, fingerprint};

/// More libraries or folders than any file names.
const MAX_NAMES: usize = 4096;
const MAX_INTERPRETER: u64 = 4096;

/// Reads a file from wherever its bytes are.
pub(crate) fn from_source<S: Source>(source: &S) -> Result<ElfFile, ElfError> {
    let layout = Layout::read(source)?;
    let mut file = ElfFile {
        architecture: layout.architecture.clone(),
        is_shared: layout.is_shared,
        truncation: layout.truncation,
        ..ElfFile::default()
    };
    if !layout.is_readable {
        return Ok(file);
    }
    file.interpreter = interpreter(source, &layout);
    if file.architecture == x86_64::NAME {
        file.cpu.levels = x86_64::levels(source, &layout);
    }
    match Dynamic::read(source, &layout) {
        Ok(Some(dynamic)) => take_dynamic(&mut file, source, &layout, &dynamic),
        Ok(None) => {}
        Err(error) => file.note("its dynamic segment", &error),
    }
    Ok(file)
}

fn take_dynamic<S: Source>(file: &mut ElfFile, source: &S, layout: &Layout, dynamic: &Dynamic) {
    if dynamic.flags & elf::DF_STATIC_TLS.0 != 0 {
        let storage = layout.segments_of(elf::PT_TLS).next();
        file.static_tls = storage.map(|segment| segment.memory_size);
    }
    let mut strings = match Strings::find(source, layout, dynamic) {
        Ok(strings) => strings,
        Err(error) => return file.note("its strings", &error),
    };
    let folders = |at: Option<u64>| -> Vec<String> {
        let list = at.and_then(|at| strings.word(at)).unwrap_or_default();
        let folders = list.split(':').filter(|folder| !folder.is_empty());
        folders.take(MAX_NAMES).map(str::to_owned).collect()
    };
    file.soname = dynamic.soname.and_then(|at| strings.word(at));
    file.rpath = folders(dynamic.rpath);
    file.runpath = folders(dynamic.runpath);
    let needed = dynamic.needed.iter().take(MAX_NAMES);
    file.needed = needed.filter_map(|at| strings.word(*at)).collect();
    if file.needed.len() != dynamic.needed.len() {
        file.note(
            "the names of libraries that it needs",
            &ElfError::Malformed("a name is nowhere"),
        );
    }
    let versions = Versions::read(source, layout, dynamic, &strings);
    let versions = versions.unwrap_or_else(|error| {
        file.note("its versions", &error);
        Versions::default()
    });
    match Symbols::read(source, layout, dynamic, &mut strings, &versions) {
        Ok(symbols) => take_symbols(file, source, layout, symbols),
        Err(error) => file.note("its symbols", &error),
    }
    file.version_needs = versions.needs;
    file.version_definitions = versions.definitions;
}

fn take_symbols<S: Source>(file: &mut ElfFile, source: &S, layout: &Layout, symbols: Symbols) {
    file.exported = symbols.exported;
    file.undefined = symbols.undefined;
    file.is_python_module = symbols.is_python_module;
    if symbols.uses_python || symbols.is_python_module {
        file.numpy = fingerprint::numpy(source, layout);
    }
    let soname = file.soname.as_deref();
    file.openmp = fingerprint::openmp(&file.exported, soname);
    file.protobuf_runtime = symbols
        .has_protobuf
        .then(|| fingerprint::protobuf_version(soname));
}

fn interpreter(source: &impl Source, layout: &Layout) -> Option<String> {
    let segment = layout.segments_of(elf::PT_INTERP).next()?;
    let bytes = source
        .bytes(segment.offset, segment.file_size.min(MAX_INTERPRETER))
        .ok()?;
    let path = bytes.split(|byte| *byte == 0).next()?;
    String::from_utf8(path.to_vec()).ok()
}

impl ElfFile {
    fn note(&mut self, part: &str, error: &ElfError) {
        self.unread.push(format!("{part}: {error}"));
    }
}
