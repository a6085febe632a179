//! A made-up machine: a file system whose libraries are a line of text each instead of a section of ELF.

use std::fs;
use std::path::{Path, PathBuf};

use crashlens_core::survey::{Distribution, Interpreter, Link, Truncation};
use crashlens_core::{Gaps, Observed, Package};

use super::super::{LinkEnvironment, LinkFile, link_all};
use crate::Question;
use crate::elf::{Collected, ElfError, ElfFile, Undefined, VersionNeed};

/// Reads a description: `needs liba.so`, `has f`, `has f@V1`, `wants g`, `wants? g`, `asks liba.so V1`, `defines V1`, ….
fn describe(path: &Path) -> Result<ElfFile, ElfError> {
    let text = fs::read_to_string(path)?;
    let mut elf = ElfFile {
        architecture: "x86-64".to_owned(),
        is_shared: true,
        ..ElfFile::default()
    };
    let mut exported = Collected::default();
    for line in text.lines() {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (name, version) = rest.split_once('@').unwrap_or((rest, ""));
        match verb {
            "garbage" => return Err(ElfError::NotElf("it is no ELF file")),
            "cut" => {
                elf.truncation = Some(Truncation {
                    promised: 100,
                    present: 50,
                });
            }
            "architecture" => rest.clone_into(&mut elf.architecture),
            "interpreter" => elf.interpreter = Some(rest.to_owned()),
            "soname" => elf.soname = Some(rest.to_owned()),
            "needs" => elf.needed.push(rest.to_owned()),
            "rpath" => elf.rpath.push(rest.to_owned()),
            "runpath" => elf.runpath.push(rest.to_owned()),
            "has" if version.is_empty() => exported.add(&name.as_bytes().into(), true),
            "has" => exported.add_versioned(&name.as_bytes().into(), version),
            "defines" => elf.version_definitions.push(rest.to_owned()),
            "wants" | "wants?" => elf.undefined.push(Undefined {
                name: name.to_owned(),
                version: (!version.is_empty()).then(|| version.to_owned()),
                is_weak: verb == "wants?",
            }),
            "asks" => {
                let (library, version) = rest.split_once(' ').unwrap();
                elf.version_needs.push(VersionNeed {
                    library: library.to_owned(),
                    version: version.to_owned(),
                    is_weak: false,
                });
            }
            other => panic!("{other} is no verb"),
        }
    }
    elf.exported = exported.finish();
    Ok(elf)
}

/// A file system with an interpreter, a C library, and the packages of a test.
pub(super) struct Machine {
    pub(super) root: tempfile::TempDir,
    pub(super) files: Vec<(PathBuf, Option<Package>)>,
    pub(super) distributions: Vec<Distribution>,
    question: Question,
}

const SITE: &str = "/venv/site";
pub(super) const PYTHON: &str =
    "interpreter /lib64/ld-linux-x86-64.so.2\nneeds libc.so.6\nhas PyList_New";

impl Machine {
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let question = Question {
            root: root.path().to_owned(),
            ..Question::default()
        };
        let machine = Self {
            root,
            files: Vec::new(),
            distributions: Vec::new(),
            question,
        };
        machine.write("/opt/python", PYTHON);
        machine.write("/lib64/libc.so.6", "soname libc.so.6\ndefines GLIBC_2.34\nhas malloc@GLIBC_2.34\nneeds ld-linux-x86-64.so.2");
        machine.write(
            "/lib64/ld-linux-x86-64.so.2",
            "soname ld-linux-x86-64.so.2\nhas __tls_get_addr",
        );
        machine
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A native file in the folder of packages, of the package its first folder is named after.
    pub(super) fn package(&mut self, path: &str, text: &str) {
        let path = format!("{SITE}/{path}");
        self.write(&path, text);
        let name = path[SITE.len() + 1..].split(['/', '.']).next().unwrap();
        let package = Package {
            name: name.to_owned(),
            version: "1.0".to_owned(),
        };
        self.files.push((PathBuf::from(path), Some(package)));
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.question.variables.insert(name.into(), value.into());
    }

    pub(super) fn observe(&self, path: &str) -> (Observed<Link>, Gaps) {
        let real = |path: &Path| self.root.path().join(path.strip_prefix("/").unwrap());
        let elves: Vec<_> = self
            .files
            .iter()
            .filter_map(|(path, package)| Some((path, package, describe(&real(path)).ok()?)))
            .collect();
        let files: Vec<LinkFile<'_>> = elves
            .iter()
            .map(|(path, package, elf)| LinkFile {
                path,
                package: package.as_ref(),
                elf,
            })
            .collect();
        let python = Interpreter {
            real_path: "/opt/python".to_owned(),
            sites: vec![SITE.to_owned()],
            ..Interpreter::default()
        };
        let environment = LinkEnvironment {
            python: &python,
            files: &files,
            native: &self.files,
            distributions: &self.distributions,
            question: &self.question,
            read: describe,
        };
        let wanted = Path::new(SITE).join(path);
        let wanted: Vec<_> = files
            .iter()
            .filter(|file| file.path == wanted)
            .copied()
            .collect();
        let mut gaps = Gaps::default();
        let mut links = link_all(&wanted, &environment, &mut gaps);
        (links.remove(0), gaps)
    }

    pub(super) fn link(&self, path: &str) -> Link {
        match self.observe(path) {
            (Observed::Known(link), _) => link,
            (other, gaps) => panic!("{other:?} {gaps:?}"),
        }
    }
}
