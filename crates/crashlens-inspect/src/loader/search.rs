//! Where the loader looks for a library, in its order.
//!
//! Not modelled: the folders `tls`, `haswell` and `x86_64` below each place, which glibc had until 2.37, and entries of
//! `LD_LIBRARY_PATH` that are relative to wherever a program is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crashlens_core::Gaps;

use super::cache::LibraryCache;
use super::tree::Tree;
use crate::bounded;

const MOST_CACHE_BYTES: u64 = 64 << 20;
const MOST_PROCESSOR_BYTES: u64 = 1 << 20;
/// Entries of a search path beyond this are not looked at.
const MOST_FOLDERS: usize = 512;

/// Which step of the search led to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// `DT_RPATH` of the file that needs it, or of one that brought that one in.
    Rpath,
    /// `LD_LIBRARY_PATH`.
    LibraryPath,
    /// `DT_RUNPATH` of the file that needs it.
    Runpath,
    /// `/etc/ld.so.cache`, or the folders of the system.
    System,
}

/// The folders that are the same for every file.
#[derive(Debug)]
pub(crate) struct SearchPaths {
    pub(super) library_path: Vec<PathBuf>,
    system: Vec<PathBuf>,
    cache: LibraryCache,
    /// Processor levels that the machine has, best first.
    levels: Vec<&'static str>,
    /// What `$LIB` stands for.
    lib: &'static [&'static str],
}

/// What a file asks of the search: its own folders and those it inherits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a> {
    /// Folders of `DT_RPATH` of the file and of those that brought it in; empty where it has a `DT_RUNPATH`.
    pub(crate) rpath: &'a [PathBuf],
    /// Folders of its `DT_RUNPATH`.
    pub(crate) runpath: &'a [PathBuf],
}

impl SearchPaths {
    /// Reads what a program of this architecture, started by the loader `interpreter` with these variables, would search.
    pub(crate) fn read(
        tree: &Tree,
        executable: &Executable<'_>,
        variables: &BTreeMap<String, String>,
        gaps: &mut Gaps,
    ) -> Self {
        let lib = lib_names(executable.architecture);
        let value = variables.get("LD_LIBRARY_PATH").map(String::as_str);
        let entries = value.unwrap_or_default().split([':', ';']);
        let library_path = expand(entries, executable.origin, lib);
        // A C library outside the system's folders, as Nix and Guix have it, reads no cache of the system.
        let own_folder = executable.interpreter.parent().filter(|folder| {
            !["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64"]
                .iter()
                .any(|system| folder.starts_with(system))
        });
        let (system, cache) = match own_folder {
            Some(folder) => (vec![folder.to_owned()], LibraryCache::default()),
            None => (
                system_folders(executable.architecture),
                read_cache(tree, gaps),
            ),
        };
        Self {
            library_path,
            system,
            cache,
            levels: processor_levels(tree, executable.architecture),
            lib,
        }
    }

    /// The folders of a `DT_RPATH` or `DT_RUNPATH`, with `$ORIGIN` and `$LIB` replaced.
    pub(crate) fn folders(&self, entries: &[String], origin: &Path) -> Vec<PathBuf> {
        expand(entries.iter().map(String::as_str), origin, self.lib)
    }

    /// Paths under which the library may be, in the order in which they are tried. The caller takes the first that is
    /// a file of the right architecture.
    pub(crate) fn candidates<'a>(
        &'a self,
        name: &'a str,
        asking: Asking<'a>,
    ) -> impl Iterator<Item = (PathBuf, Step)> + 'a {
        let places = |folders: &'a [PathBuf], step| {
            folders
                .iter()
                .flat_map(move |folder| self.in_folder(folder, name))
                .map(move |path| (path, step))
        };
        let cached = self
            .cached(name)
            .into_iter()
            .map(|path| (path, Step::System));
        places(asking.rpath, Step::Rpath)
            .chain(places(&self.library_path, Step::LibraryPath))
            .chain(places(asking.runpath, Step::Runpath))
            .chain(cached)
            .chain(places(&self.system, Step::System))
    }

    fn in_folder<'a>(
        &'a self,
        folder: &'a Path,
        name: &'a str,
    ) -> impl Iterator<Item = PathBuf> + 'a {
        let levels = self.levels.iter();
        levels
            .map(move |level| folder.join("glibc-hwcaps").join(level).join(name))
            .chain(std::iter::once_with(move || folder.join(name)))
    }

    /// What the cache has for a name: files for the best processor level first.
    fn cached(&self, name: &str) -> Vec<PathBuf> {
        let mut ranked: Vec<(usize, &str)> = self
            .cache
            .files(name)
            .iter()
            .filter_map(|entry| {
                let rank = match &entry.level {
                    None => self.levels.len(),
                    Some(level) => self.levels.iter().position(|known| known == level)?,
                };
                Some((rank, entry.path.as_str()))
            })
            .collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked
            .into_iter()
            .map(|(_, path)| PathBuf::from(path))
            .collect()
    }
}

/// The program whose loader searches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Executable<'a> {
    /// `x86-64`, `aarch64`.
    pub(crate) architecture: &'a str,
    /// `PT_INTERP`: the loader.
    pub(crate) interpreter: &'a Path,
    /// Its folder, links resolved.
    pub(crate) origin: &'a Path,
}

/// Entries of a search path as folders. An empty or relative one means the folder in which a program is started, which
/// nobody knows here.
fn expand<'a>(entries: impl Iterator<Item = &'a str>, origin: &Path, lib: &[&str]) -> Vec<PathBuf> {
    let origin = origin.to_string_lossy();
    let mut folders = Vec::new();
    for entry in entries.take(MOST_FOLDERS) {
        let entry = entry
            .replace("${ORIGIN}", &origin)
            .replace("$ORIGIN", &origin)
            .replace("${LIB}", "$LIB");
        let names: &[&str] = if entry.contains("$LIB") { lib } else { &[""] };
        for name in names {
            let folder = PathBuf::from(entry.replace("$LIB", name));
            if folder.is_absolute() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// What `$LIB` stands for: Debian's loader and that of others have different answers, of which one leads nowhere.
fn lib_names(architecture: &str) -> &'static [&'static str] {
    match architecture {
        "x86-64" => &["lib/x86_64-linux-gnu", "lib64"],
        "aarch64" => &["lib/aarch64-linux-gnu", "lib64"],
        _ => &["lib", "lib64"],
    }
}

/// The folders that loaders look into by themselves: Debian's first, then those of others.
fn system_folders(architecture: &str) -> Vec<PathBuf> {
    let multiarch: &[&str] = match architecture {
        "x86-64" => &["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"],
        "aarch64" => &["/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"],
        _ => &[],
    };
    multiarch
        .iter()
        .chain(&["/lib64", "/usr/lib64", "/lib", "/usr/lib"])
        .map(PathBuf::from)
        .collect()
}

fn read_cache(tree: &Tree, gaps: &mut Gaps) -> LibraryCache {
    let path = tree.real(Path::new("/etc/ld.so.cache"));
    // Without a cache the loader goes on to its folders.
    let Ok(bytes) = bounded::read(&path, MOST_CACHE_BYTES) else {
        return LibraryCache::default();
    };
    LibraryCache::parse(&bytes).unwrap_or_else(|error| {
        gaps.add("the cache of libraries /etc/ld.so.cache", error, None);
        LibraryCache::default()
    })
}

/// The levels of the x86-64 instruction set that the first processor has, best first.
fn processor_levels(tree: &Tree, architecture: &str) -> Vec<&'static str> {
    const LEVELS: [(&str, &[&str]); 3] = [
        (
            "x86-64-v2",
            &[
                "cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2",
            ],
        ),
        (
            "x86-64-v3",
            &[
                "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave",
            ],
        ),
        (
            "x86-64-v4",
            &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
        ),
    ];
    if architecture != "x86-64" {
        return Vec::new();
    }
    let path = tree.real(Path::new("/proc/cpuinfo"));
    let text = bounded::read_text(&path, MOST_PROCESSOR_BYTES).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("flags"));
    let flags: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    let mut levels: Vec<_> = LEVELS
        .iter()
        .take_while(|(_, needs)| needs.iter().all(|need| flags.contains(need)))
        .map(|(level, _)| *level)
        .collect();
    levels.reverse();
    levels
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn searched(root: &Path, interpreter: &str, library_path: &str) -> SearchPaths {
        let executable = Executable {
            architecture: "x86-64",
            interpreter: Path::new(interpreter),
            origin: Path::new("/opt/python/bin"),
        };
        let variables = BTreeMap::from([("LD_LIBRARY_PATH".into(), library_path.into())]);
        SearchPaths::read(
            &Tree::new(root),
            &executable,
            &variables,
            &mut Gaps::default(),
        )
    }

    fn order(paths: &SearchPaths, asking: Asking<'_>) -> Vec<String> {
        paths
            .candidates("liba.so", asking)
            .map(|(path, _)| path.display().to_string())
            .collect()
    }

    const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";

    #[test]
    fn folders_are_searched_in_the_loaders_order() {
        let root = tempfile::tempdir().unwrap();
        let paths = searched(root.path(), LOADER, "/shadow");
        let asking = Asking {
            rpath: &[PathBuf::from("/rpath")],
            runpath: &[PathBuf::from("/runpath")],
        };
        let order = order(&paths, asking);
        assert_eq!(
            order[..4],
            [
                "/rpath/liba.so",
                "/shadow/liba.so",
                "/runpath/liba.so",
                "/lib/x86_64-linux-gnu/liba.so"
            ]
        );
        assert!(order.contains(&"/usr/lib64/liba.so".to_owned()));
    }

    #[test]
    fn folders_for_the_processors_level_come_before_the_plain_one() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("proc")).unwrap();
        let flags = "flags\t\t: fpu cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2 avx\n";
        fs::write(root.path().join("proc/cpuinfo"), flags).unwrap();
        let paths = searched(root.path(), LOADER, "/shadow");
        let order = order(
            &paths,
            Asking {
                rpath: &[],
                runpath: &[],
            },
        );
        assert_eq!(
            order[..2],
            ["/shadow/glibc-hwcaps/x86-64-v2/liba.so", "/shadow/liba.so"]
        );
    }

    #[test]
    fn a_c_library_of_its_own_folder_searches_there_and_not_in_the_system() {
        let root = tempfile::tempdir().unwrap();
        let loader = "/nix/store/abc-glibc-2.39/lib/ld-linux-x86-64.so.2";
        let paths = searched(root.path(), loader, "");
        assert_eq!(
            order(
                &paths,
                Asking {
                    rpath: &[],
                    runpath: &[]
                }
            ),
            ["/nix/store/abc-glibc-2.39/lib/liba.so"]
        );
    }

    #[test]
    fn the_files_own_folder_stands_in_its_search_path() {
        let root = tempfile::tempdir().unwrap();
        let paths = searched(root.path(), LOADER, "${ORIGIN}/../lib:relative::/plain");
        assert_eq!(
            paths.library_path,
            [Path::new("/opt/python/bin/../lib"), Path::new("/plain")]
        );
        let entries = ["$ORIGIN/../a.libs".to_owned(), "/usr/$LIB/a".to_owned()];
        assert_eq!(
            paths.folders(&entries, Path::new("/site/a")),
            [
                Path::new("/site/a/../a.libs"),
                Path::new("/usr/lib/x86_64-linux-gnu/a"),
                Path::new("/usr/lib64/a")
            ]
        );
    }

    #[test]
    fn a_cache_that_is_none_is_a_gap_and_the_folders_are_still_searched() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("etc")).unwrap();
        fs::write(root.path().join("etc/ld.so.cache"), b"garbage").unwrap();
        let mut gaps = Gaps::default();
        let cache = read_cache(&Tree::new(root.path()), &mut gaps);
        assert!(cache.files("libc.so.6").is_empty());
        assert_eq!(gaps.0.len(), 1);
    }
}
