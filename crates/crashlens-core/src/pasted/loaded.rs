//! Libraries that a text shows to have been in the process: those of its frames, of a memory map, and those that
//! somebody said to have loaded. A library that is only spoken of, as in an error, is not among them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::stacks::file_name;
use super::systems::linux;
use crate::capture::{Address, Frame, Mapping, Module, Package, Thread};
use crate::embedded;

/// Libraries and mappings that are kept.
const MOST: usize = 4096;

/// A line of `/proc/PID/maps`.
static MAPPING: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"^([0-9a-f]{6,16})-([0-9a-f]{6,16}) ([r-][w-][x-][ps]) ([0-9a-f]+) [0-9a-f]+:[0-9a-f]+ (\d+)\s*(\S.*)?$",
    )
});

/// gdb's `info sharedlibrary`.
static SHARED_LIBRARY: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"^(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+Yes(?: \(\*\))?\s+(/\S.*?)\s*$")
});

/// lldb's `image list`: number, identity, address, path. And the images of a report of macOS: from, to, name, identity,
/// path.
static IMAGE: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(concat!(
        r"^\[ *\d+\] [0-9A-F-]{36} (0x[0-9a-f]{9,16}) (/\S.*?)\s*$",
        r"|^(0x[0-9a-f]{6,16}) +- +(?:0x[0-9a-f]{6,16}) +\S.*? <[0-9A-Fa-f-]{32,36}> (/\S.*?)\s*$",
    ))
});

/// What threadpoolctl lists.
static POOL: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r#"^\s*[{"']*filepath["']?: *["']?([^"',]+\.(?:so|dylib|dll)[^"',\s]*)"#)
});

/// TensorFlow's log of what it loaded, and words that tools put before a list.
static OPENED: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"(?:[Ss]uccessfully opened (?:dynamic library|CUDA library)|^\s*[Ll]oaded:?) (\S+\.(?:so|dylib|dll)\S*)",
    )
});

/// `Extension modules: numpy.core._multiarray_umath, … (total: 126)`
static EXTENSIONS: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"Extension modules: (.*?)(?: \(total: \d+\))?\s*$"));

/// What is known of the address space.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) modules: Vec<Module>,
    pub(super) maps: Vec<Mapping>,
}

/// Reads the lines, and takes what the frames tell.
pub(super) fn of(
    lines: &[String],
    threads: &[Thread],
    faults: &[linux::Fault],
    packages: &[Package],
) -> Loaded {
    let mut shelf = Shelf::default();
    let mut maps = Vec::new();
    for line in lines {
        if let Some(mapping) = mapping(line).filter(|_| maps.len() < MOST) {
            if let Some(path) = mapping.path.as_deref().filter(|path| is_library(path)) {
                shelf.put(path, Some((mapping.start.0, mapping.end.0)));
            }
            maps.push(mapping);
        }
        shelf.said(line);
    }
    for frame in threads.iter().flat_map(|thread| &thread.frames) {
        if let Frame::Native(frame) = frame {
            let name = frame.path.as_deref().or(frame.library.as_deref());
            let name = name.filter(|name| is_library(name) || frame.path.is_some());
            let place = frame
                .module_offset
                .and_then(|offset| frame.address.0.checked_sub(offset.0));
            if let Some(name) = name {
                shelf.put(
                    name,
                    place.map(|start| (start, frame.address.0.saturating_add(1))),
                );
            }
        }
    }
    for fault in faults {
        if let Some(file) = fault.file.as_deref().filter(|file| is_library(file)) {
            shelf.put(file, fault.mapping);
        }
    }
    Loaded {
        modules: shelf.modules(packages),
        maps,
    }
}

/// Libraries by path, with the addresses at which they were seen.
#[derive(Debug, Default)]
struct Shelf {
    places: BTreeMap<String, Option<(u64, u64)>>,
}

impl Shelf {
    fn put(&mut self, path: &str, place: Option<(u64, u64)>) {
        if self.places.len() >= MOST && !self.places.contains_key(path) {
            return;
        }
        let known = self.places.entry(path.to_owned()).or_default();
        *known = match (*known, place) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }

    /// What a line says to have been loaded.
    fn said(&mut self, line: &str) {
        if let Some(groups) = IMAGE.captures(line.trim_start()) {
            let path = groups.get(2).or_else(|| groups.get(4));
            self.put(path.map_or("", |it| it.as_str()), None);
        } else if let Some(path) = line
            .contains("filepath")
            .then(|| POOL.captures(line)?.get(1))
            .flatten()
        {
            self.put(path.as_str(), None);
        } else if line.starts_with("0x") {
            if let Some(groups) = SHARED_LIBRARY.captures(line) {
                let number = |group: usize| groups.get(group)?.as_str().parse::<Address>().ok();
                let place = number(1)
                    .zip(number(2))
                    .map(|(start, end)| (start.0, end.0));
                self.put(groups.get(3).map_or("", |it| it.as_str()), place);
            }
        } else if line.contains("pened ") || line.contains("oaded") {
            if let Some(library) = OPENED.captures(line).and_then(|groups| groups.get(1)) {
                self.put(
                    library.as_str().trim_end_matches([',', ';', '\'', '"']),
                    None,
                );
            }
        } else if let Some(list) = line
            .contains("Extension modules: ")
            .then(|| EXTENSIONS.captures(line)?.get(1))
            .flatten()
        {
            for module in list.as_str().split(", ").filter(|name| is_dotted(name)) {
                self.put(module, None);
            }
        }
    }

    fn modules(self, packages: &[Package]) -> Vec<Module> {
        let module = |(path, place): (String, Option<(u64, u64)>)| {
            let (start, end) = place.unwrap_or_default();
            Module {
                name: file_name(&path),
                start: Address(start),
                end: Address(end),
                bias: Address(start),
                build_id: None,
                package: package_of(&path, packages),
                path,
            }
        };
        self.places.into_iter().map(module).collect()
    }
}

fn mapping(line: &str) -> Option<Mapping> {
    if !line.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    let groups = MAPPING.captures(line)?;
    let text = |group: usize| groups.get(group).map(|it| it.as_str());
    let address = |group: usize| text(group).and_then(|it| it.parse::<Address>().ok());
    let (start, end) = (address(1)?, address(2)?);
    (start < end).then_some(Mapping {
        start,
        end,
        permissions: text(3)?.to_owned(),
        offset: address(4)?.0,
        inode: text(5)?.parse().ok()?,
        path: text(6).map(|path| path.trim_end().to_owned()),
    })
}

fn is_library(name: &str) -> bool {
    let name = file_name(name);
    [".so", ".dylib", ".dll", ".pyd"].iter().any(|end| {
        name.find(end).is_some_and(|at| {
            let rest = name.get(at + end.len()..).unwrap_or_default();
            rest.is_empty() || rest.starts_with('.')
        })
    })
}

fn is_dotted(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 128
        && name
            .chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '.'))
}

/// The package whose folder a library is in, where the text tells its version.
fn package_of(path: &str, packages: &[Package]) -> Option<Package> {
    let folders = ["site-packages/", "dist-packages/", "site-packages\\"];
    let inside = folders
        .iter()
        .find_map(|folder| path.split(folder).nth(1))?;
    let folder = inside.split(['/', '\\', '.']).next()?;
    let name = match folder {
        "tensorflow_core" => "tensorflow",
        "grpc" => "grpcio",
        "google" => "protobuf",
        "cv2" => "opencv-python",
        "sklearn" => "scikit-learn",
        other => other,
    };
    let normal = |name: &str| name.to_ascii_lowercase().replace('_', "-");
    let wanted = normal(name);
    let is_it = |package: &&Package| {
        let known = normal(&package.name);
        // TensorFlow is installed under several names into one folder.
        known == wanted || (wanted == "tensorflow" && super::surroundings::is_tensorflow(&known))
    };
    packages.iter().find(is_it).cloned()
}
