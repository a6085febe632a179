//! Every native file of an environment: read, and held against what the loader would do with it.

mod choice;
mod extension;
mod overlap;
mod reading;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crashlens_core::survey::{Extension, Interpreter, Link, NativeFile, TensorflowTraits};
use crashlens_core::{GapId, Gaps, Observed};

use crate::cache::ElfCache;
use crate::elf::{self, ElfError, ElfFile};
use crate::loader::{self, LinkEnvironment, LinkFile};
use crate::site::Installed;
use crate::{Progress, Question};
use choice::Chosen;

/// Files that could not be read are named one by one up to here; a folder of rubbish must not drown the rest.
const MAX_NAMED: usize = 50;

/// A native file and what came of reading it.
struct Reading {
    file: Chosen,
    elf: Result<ElfFile, ElfError>,
}

/// Reads all native files, on all processors.
pub(crate) fn read(
    python: &Interpreter,
    installed: &Installed,
    tensorflow: &Observed<TensorflowTraits>,
    question: &Question,
    progress: &dyn Progress,
    gaps: &mut Gaps,
) -> Vec<NativeFile> {
    let chosen = choice::files(installed, question, gaps);
    let cache = ElfCache::new(question.cache.as_deref());
    let readings = reading::all(chosen, &cache, question.count_vectors, progress);
    let overlaps = overlap::with_tensorflow(&readings, installed, tensorflow, &cache);
    cache.tidy();
    let links = links(&readings, python, installed, question, gaps);
    let mut trouble = Trouble::new(gaps);
    readings
        .into_iter()
        .zip(links)
        .zip(overlaps)
        .map(|((reading, link), overlap)| describe(reading, link, overlap, python, &mut trouble))
        .collect()
}

/// What the loader would say of each file, in their order; nothing of those that could not be read.
fn links(
    readings: &[Reading],
    python: &Interpreter,
    installed: &Installed,
    question: &Question,
    gaps: &mut Gaps,
) -> Vec<Observed<Link>> {
    let files: Vec<LinkFile<'_>> = readings.iter().filter_map(link_file).collect();
    let environment = LinkEnvironment {
        python,
        files: &files,
        native: &installed.native,
        distributions: &installed.distributions,
        question,
        read: elf::read,
    };
    let mut links = loader::link_all(&files, &environment, gaps).into_iter();
    let next = |reading: &Reading| match &reading.elf {
        Ok(_) => links.next().unwrap_or_default(),
        Err(_) => Observed::Absent,
    };
    readings.iter().map(next).collect()
}

fn link_file(reading: &Reading) -> Option<LinkFile<'_>> {
    Some(LinkFile {
        path: &reading.file.path,
        package: reading.file.package.as_ref(),
        elf: reading.elf.as_ref().ok()?,
    })
}

fn describe(
    reading: Reading,
    link: Observed<Link>,
    shared_with_tensorflow: BTreeMap<String, u64>,
    python: &Interpreter,
    trouble: &mut Trouble<'_>,
) -> NativeFile {
    let Reading { file, elf } = reading;
    let path = file.path.display().to_string();
    let described = NativeFile {
        extension: extension_of(&path, elf.as_ref().ok(), python),
        package: file.package,
        size: file.size,
        link,
        shared_with_tensorflow,
        ..NativeFile::default()
    };
    match elf {
        Ok(elf) => {
            for part in &elf.unread {
                trouble.name(&path, part);
            }
            NativeFile {
                path,
                architecture: Observed::Known(elf.architecture),
                truncation: elf.truncation,
                soname: elf.soname,
                needed: elf.needed,
                numpy: elf.numpy,
                openmp: elf.openmp,
                protobuf_runtime: elf.protobuf_runtime,
                cpu: elf.cpu,
                static_tls: elf.static_tls,
                ..described
            }
        }
        // Linkers' scripts and stubs of build systems have such names by right; modules do not.
        Err(ElfError::NotElf(elf::TEXT)) => NativeFile {
            path,
            architecture: Observed::Absent,
            unsound: described.extension.as_ref().map(|_| elf::TEXT.to_owned()),
            ..described
        },
        Err(error) => NativeFile {
            architecture: Observed::Unknown(trouble.name(&path, &error)),
            truncation: match &error {
                ElfError::CutShort(truncation) => Some(*truncation),
                _ => None,
            },
            unsound: match &error {
                ElfError::NotElf(_) | ElfError::Malformed(_) => Some(error.to_string()),
                ElfError::Unreadable(_) | ElfError::CutShort(_) => None,
            },
            path,
            ..described
        },
    }
}

fn extension_of(path: &str, elf: Option<&ElfFile>, python: &Interpreter) -> Option<Extension> {
    let is_module = elf.is_some_and(|elf| elf.is_python_module);
    extension::of(path.rsplit('/').next()?, is_module, python)
}

/// Names what could not be read, and stops naming when it is too much.
struct Trouble<'a> {
    gaps: &'a mut Gaps,
    named: usize,
}

impl<'a> Trouble<'a> {
    fn new(gaps: &'a mut Gaps) -> Self {
        Self { gaps, named: 0 }
    }

    fn name(&mut self, path: &str, reason: impl ToString) -> GapId {
        self.named += 1;
        if self.named <= MAX_NAMED {
            return self.gaps.add(path, reason, None);
        }
        let reason = format!("they could not be read, as {MAX_NAMED} others that are named");
        self.gaps.add("more native files", reason, None)
    }
}
