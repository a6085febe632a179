//! A mapped file was shorter than its mapping.

use crate::book::{Judge, Rule};
use crate::capture::{Module, Place};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::shell;

pub(super) static RULE: Rule = Rule {
    id: "LIM006",
    name: "mapped-file-truncated",
    summary: "The process touched a part of a mapped file that lies after the end of the file.",
    causes: &[Cause::MappedFileTruncated],
    since: "0.1.0",
    doc: include_str!("mapped_file_truncated.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let Place::BeyondFile {
        mapping,
        file_size,
        file_offset,
    } = facts.place()?
    else {
        return None;
    };
    let path = mapping.path.as_deref().unwrap_or("a mapped file");
    let name = path.rsplit('/').next().unwrap_or(path);
    let claim =
        format!("Byte {file_offset} of {path} was accessed, and the file has {file_size} bytes.");
    let library = facts.modules().find(|module| module.path == path);
    let is_library = library.is_some() || mapping.is_executable() || is_library_name(name);
    let headline = if is_library {
        format!("The library {name} is incomplete: its file ends at byte {file_size}")
    } else {
        format!("{name} is shorter than the memory that maps it: {file_size} bytes are left")
    };
    let suspicion = Suspicion::new(Cause::MappedFileTruncated, headline);
    let suspicion = suspicion.supported(Weight::Decisive, FactRef::Fault, claim);
    Some(if is_library {
        reinstall(suspicion, library, path)
    } else {
        write_elsewhere(suspicion, path)
    })
}

/// Whether a file name is that of a shared library: `libx.so`, `libx.so.2.1`.
fn is_library_name(name: &str) -> bool {
    let is_version = |rest: &str| {
        rest.strip_prefix('.')
            .is_some_and(|it| it.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    name.rsplit_once(".so")
        .is_some_and(|(_, rest)| rest.is_empty() || is_version(rest))
}

fn write_elsewhere(suspicion: Suspicion, path: &str) -> Suspicion {
    suspicion
        .remedy(Remedy::new(format!(
            "Do not write to {path} while it is mapped: write a new file beside it, and rename it over the old one."
        )))
        .remedy(Remedy::new(
            "Or read the file into memory instead of mapping it: `numpy.load(path)` without `mmap_mode`.",
        ))
        .remedy(
            Remedy::new("Make the file again if it was cut off while it was copied or written.")
                .command_if(shell::word(path).map(|path| format!("ls -l {path}"))),
        )
}

fn reinstall(suspicion: Suspicion, library: Option<&Module>, path: &str) -> Suspicion {
    let package = library.and_then(|module| module.package.as_ref());
    let remedy = match package {
        Some(package) => {
            let spec = format!("{}=={}", package.name, package.version);
            Remedy::new(format!(
                "Install {} again: its file was cut off, mostly by a full disk (`df -h`).",
                package.name
            ))
            .command_if(Pip::install([spec]).map(|pip| {
                pip.with("--force-reinstall")
                    .with("--no-deps")
                    .with("--no-cache-dir")
            }))
        }
        None => Remedy::new(format!(
            "Install again what {path} belongs to: the file was cut off."
        )),
    };
    suspicion.remedy(remedy.risk(Risk::Environment))
}

#[cfg(test)]
mod tests {
    use super::is_library_name;

    #[test]
    fn a_library_is_told_by_the_end_of_its_name() {
        let libraries = [
            "libx.so",
            "libx.so.2.1",
            "_m.cpython-311-x86_64-linux-gnu.so",
        ];
        assert!(libraries.iter().all(|name| is_library_name(name)));
        let others = ["data.sorted.npy", "x.sockets", "a.npy", "x.so.bak"];
        assert!(!others.iter().any(|name| is_library_name(name)));
    }
}
