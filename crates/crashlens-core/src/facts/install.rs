//! Questions about whose libraries took part in a death, and what was loaded beside them.

use super::{Facts, NativeSight, Sighting};
use crate::capture::Package;
use crate::culprit::is_interpreter;
use crate::evidence::FactRef;

/// File names, up to the first `.`, `-` or `_`, of the C and C++ runtime, of the
/// loader and of allocators.
#[rustfmt::skip]
const RUNTIME: [&str; 15] = [
    "libc", "ld", "libstdc++", "libgcc", "libpthread", "libc++", "libc++abi", "libm", "libdl", "librt", "libsystem",
    "dyld", "libdyld", "libtcmalloc", "libjemalloc",
];

/// Beginnings of the names of TensorFlow's own libraries.
const TENSORFLOW: [&str; 6] = [
    "libtensorflow_framework",
    "libtensorflow_cc",
    "libtensorflow_cpu",
    "libtensorflow.",
    "_pywrap_tensorflow",
    "lib_pywrap_tensorflow",
];

/// Folders that only TensorFlow installs into.
const TENSORFLOW_FOLDERS: [&str; 3] = [
    "-packages/tensorflow/",
    "-packages/tensorflow_core/",
    "/tensorflow/python/",
];

impl<'a> NativeSight<'a> {
    /// Whether it is code of TensorFlow itself.
    pub fn is_of_tensorflow(&self) -> bool {
        let path = self.frame.path.as_deref().unwrap_or_default();
        TENSORFLOW
            .iter()
            .any(|name| self.library().starts_with(name))
            || TENSORFLOW_FOLDERS
                .iter()
                .any(|folder| path.contains(folder))
    }

    /// Whether it is code of the C or C++ runtime or of the loader.
    pub fn is_of_runtime(&self) -> bool {
        let stem = self.library().split(['.', '-', '_']).next();
        stem.is_some_and(|stem| RUNTIME.contains(&stem))
    }

    /// Whether it is known to be in a library of neither TensorFlow, the interpreter nor the runtime.
    pub fn is_foreign(&self) -> bool {
        !self.library().is_empty()
            && !self.is_of_tensorflow()
            && !self.is_of_runtime()
            && !is_interpreter(self.frame)
            && !self.library().starts_with("python")
    }

    /// The folder of the package that its library is in: `horovod`.
    pub fn package_folder(&self) -> Option<&'a str> {
        let (_, inside) = self.frame.path.as_deref()?.rsplit_once("-packages/")?;
        inside.split_once('/').map(|(folder, _)| folder)
    }
}

impl<'a> Facts<'a> {
    /// Native frames of the crashed thread from the fault outwards: without the handler that reported it, and without
    /// the runtime's functions that carried it out.
    pub fn acting_frames(&self) -> Vec<NativeSight<'a>> {
        let frames: Vec<NativeSight<'a>> = self.native_frames().collect();
        let fault = self.capture().registers.known().and_then(|registers| {
            let mut places = frames.iter();
            places.position(|sight| sight.frame.address == registers.pc())
        });
        // In text there are no registers. A handler of TensorFlow has no name there, and the kernel's way into it is
        // a nameless place in the runtime.
        let is_handler = |sight: &NativeSight<'_>| {
            self.is_text() && sight.is_of_tensorflow() && sight.function().is_empty()
        };
        let frames = frames.into_iter().skip(fault.unwrap_or_default());
        frames
            .skip_while(|sight| sight.is_of_runtime() || is_handler(sight))
            .collect()
    }

    /// The package that installed the library of a frame.
    pub fn package_of(&self, sight: &NativeSight<'_>) -> Option<&'a Package> {
        let path = sight.frame.path.as_deref()?;
        let mut modules = self.modules();
        modules.find(|module| module.path == path)?.package.as_ref()
    }

    /// Where it is known from that a Python package was in use: it was loaded, its code ran, or the text names its
    /// version or imports it.
    pub fn involves(&self, name: &str) -> Option<FactRef> {
        let installed = self.package(name).map(|installed| installed.fact);
        let folder = format!("-packages/{}/", name.replace('-', "_"));
        let loaded = || {
            let mut modules = self.modules();
            let module = modules.find(|module| module.path.contains(&folder))?;
            let path = module.path.clone();
            Some(FactRef::Module { path })
        };
        let ran = || {
            let mut frames = self.python_frames();
            let (fact, _) = frames.find(|(_, frame)| frame.file.contains(&folder))?;
            Some(fact)
        };
        let imported = || {
            let statements = self
                .signs("import-statement")
                .chain(self.signs("import-after-semicolon"));
            let name = name.replace('-', "_");
            let mut of_name = statements.filter(|it| it.group("module") == Some(&name));
            of_name.next().map(|it| it.fact.clone())
        };
        let imported = || self.is_text().then(imported).flatten();
        installed.or_else(loaded).or_else(ran).or_else(imported)
    }

    /// Whether native code of `name` is known to have been in the process when `later` was being loaded: it is among
    /// what was loaded, or was imported above. That it is installed tells nothing.
    pub fn was_loaded_before(&self, name: &str, later: &str) -> bool {
        let (folder, dotted) = (format!("-packages/{name}/"), format!("{name}."));
        let is_mapped = self
            .modules()
            .any(|module| module.path.contains(&folder) || module.path.starts_with(&dotted));
        let statement = |name: &str| {
            let mut statements = self
                .signs("import-statement")
                .chain(self.signs("import-after-semicolon"));
            let first = statements.find(|it| it.group("module") == Some(name))?;
            match first.fact {
                FactRef::StderrLine { line } => Some((line, first.text.trim_start())),
                _ => None,
            }
        };
        let is_above = match (statement(name), statement(later)) {
            (Some((first, _)), Some((second, _))) => first < second,
            // What was typed at a prompt has run; what stands in a listing may come later.
            (Some((_, text)), None) => text.starts_with(">>>") || text.starts_with("In ["),
            (None, _) => false,
        };
        is_mapped || (self.is_text() && is_above)
    }

    /// Libraries that `LD_PRELOAD` put into the process, as the variable or the text has it.
    pub fn preloaded(&self) -> Option<(FactRef, String)> {
        let variables = self.capture().environment.variables.known();
        let value = variables.and_then(|variables| variables.get("LD_PRELOAD"));
        let set = value.filter(|value| !value.trim().is_empty()).map(|value| {
            let name = "LD_PRELOAD".to_owned();
            (FactRef::Variable { name }, value.clone())
        });
        set.or_else(|| {
            let sight = self.sign("preload").filter(|_| self.is_text())?;
            Some((sight.fact.clone(), sight.group("libraries")?.to_owned()))
        })
    }
}

/// Exceptions by which Python itself reports that a library could not be loaded.
const OF_LOADING: [&str; 4] = [
    "ImportError",
    "ModuleNotFoundError",
    "OSError",
    "NotFoundError",
];

impl Facts<'_> {
    /// The line that shows that the program lived on after it had said something: work went on, it took another way,
    /// or another exception came later that is no consequence.
    pub fn lived_on_after(&self, sight: &Sighting<'_>) -> Option<FactRef> {
        let FactRef::StderrLine { line: said } = sight.fact else {
            return None;
        };
        let is_later =
            |fact: &FactRef| matches!(fact, FactRef::StderrLine { line } if *line > said);
        if let Some(work) = self.worked_on_after(sight) {
            return Some(work);
        }
        let mut chain = self.signs("exception-in-handling");
        if chain.any(|it| is_later(&it.fact)) {
            return None;
        }
        let exception = self.sign("python-exception")?;
        let kind = exception.group("type")?.rsplit('.').next()?;
        let started = self.sign("python-traceback")?;
        (is_later(&started.fact) && is_later(&exception.fact) && !OF_LOADING.contains(&kind))
            .then(|| exception.fact.clone())
    }

    /// Whether the end came later and of something else than what was said: the program went on, or its last words
    /// are others, and not of `related` matter.
    pub fn outlived(&self, sight: &Sighting<'_>, related: &[&str]) -> bool {
        let other_words = self.said_after(sight).is_some_and(|(_, message)| {
            !message.text.contains(sight.text.trim())
                && !related.iter().any(|word| message.text.contains(word))
        });
        other_words || self.lived_on_after(sight).is_some()
    }
}

/// Longer lines are cut in a claim.
const LONGEST_QUOTE: usize = 120;

impl Sighting<'_> {
    /// What the line says, without the time and place that a logger puts before it, short enough for a claim.
    pub fn said(&self) -> String {
        let text = self.text.trim();
        let has_place = |before: &str| {
            let place = before.rsplit([' ', '[']).next().unwrap_or_default();
            let number = place.rsplit(':').next().unwrap_or_default();
            place.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let said = match text.split_once("] ") {
            Some((before, said)) if has_place(before) => said,
            _ => text,
        };
        if said.len() <= LONGEST_QUOTE {
            return said.to_owned();
        }
        format!("{}…", &said[..said.floor_char_boundary(LONGEST_QUOTE)])
    }
}
