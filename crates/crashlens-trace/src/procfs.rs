//! `/proc/PID` as the types of a capture.
//!
//! Reads facts of other processes and judges nothing. Text becomes values in functions of their own
//! (`parse_…`), which take any bytes: names in `/proc` are chosen by the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crashlens_core::{Address, Gaps, Limit, Mapping, Observed, Process, Role, secrets};
use procfs_core::FromBufRead;
use procfs_core::process::MemoryMaps;

use crashlens_inspect::bounded;

const MAX_MAPS_BYTES: u64 = 64 << 20;
const MAX_MAPS: usize = 200_000;
const MAX_COMMAND_BYTES: u64 = 128 << 10;
const MAX_ENVIRONMENT_BYTES: u64 = 2 << 20;
/// The kernel's default limit is lower.
const MAX_THREADS: usize = 1 << 17;
const MAX_STATUS_BYTES: u64 = 64 << 10;
const MAX_PROCESSES: usize = 500_000;

/// What `/proc` tells of a process that is not its memory.
#[derive(Debug)]
pub(crate) struct ProcessFacts {
    pub(crate) process: Process,
    pub(crate) maps: Observed<Vec<Mapping>>,
    pub(crate) variables: Observed<BTreeMap<String, String>>,
    pub(crate) limits: Observed<Vec<Limit>>,
}

/// Reads what is known of a process; what cannot be read becomes a gap. The role is [`Role::Main`]:
/// the caller knows better.
pub(crate) fn process_facts(pid: u32, gaps: &mut Gaps) -> ProcessFacts {
    let home = home(pid);
    let command = command(pid).unwrap_or_else(|error| {
        gaps.add("command line", error, None);
        Vec::new()
    });
    let process = Process {
        pid,
        parent_pid: parent_pid(pid).unwrap_or(0),
        role: Role::Main,
        command,
        executable: gaps.observe("path of the executable", read_link(&home.join("exe"))),
        working_directory: gaps.observe("working directory", working_directory(pid)),
    };
    let environment = bounded::read(&home.join("environ"), MAX_ENVIRONMENT_BYTES);
    let limits = bounded::read_text(&home.join("limits"), MAX_STATUS_BYTES);
    ProcessFacts {
        process,
        maps: observed_maps(pid, gaps),
        variables: gaps.observe(
            "environment variables",
            environment.map(|bytes| parse_variables(&bytes)),
        ),
        limits: gaps.observe("resource limits", limits.map(|text| parse_limits(&text))),
    }
}

/// The command line of a process, masked.
pub(crate) fn command(pid: u32) -> io::Result<Vec<String>> {
    let bytes = bounded::read(&home(pid).join("cmdline"), MAX_COMMAND_BYTES)?;
    Ok(secrets::mask_command(&parse_strings(&bytes)))
}

/// The working directory of a process, masked.
pub(crate) fn working_directory(pid: u32) -> io::Result<String> {
    read_link(&home(pid).join("cwd"))
}

fn home(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// Where a link leads, masked: names of folders are made from tokens, too.
fn read_link(path: &Path) -> io::Result<String> {
    fs::read_link(path).map(|target| secrets::mask_line(&target.to_string_lossy()).into_owned())
}

fn observed_maps(pid: u32, gaps: &mut Gaps) -> Observed<Vec<Mapping>> {
    match read_maps(pid) {
        Ok((maps, 0)) => Observed::Known(maps),
        Ok((maps, skipped)) => {
            gaps.add(
                "some memory mappings",
                format!("{skipped} lines of the list were not understood or beyond its limit"),
                None,
            );
            Observed::Known(maps)
        }
        Err(error) => Observed::Unknown(gaps.add("memory mappings", error, None)),
    }
}

/// The mappings of a process, as far as they were understood.
pub(crate) fn mappings(pid: u32) -> io::Result<Vec<Mapping>> {
    read_maps(pid).map(|(maps, _)| maps)
}

fn read_maps(pid: u32) -> io::Result<(Vec<Mapping>, usize)> {
    bounded::read(&home(pid).join("maps"), MAX_MAPS_BYTES).map(|bytes| parse_maps(&bytes))
}

/// Mappings, and how many lines were left out.
pub(crate) fn parse_maps(bytes: &[u8]) -> (Vec<Mapping>, usize) {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let mut maps = Vec::new();
    let mut skipped = 0;
    for line in lines {
        match parse_mapping(&String::from_utf8_lossy(line)) {
            Some(mapping) if maps.len() < MAX_MAPS => maps.push(mapping),
            _ => skipped += 1,
        }
    }
    (maps, skipped)
}

/// One line: `7f00-7f01 r-xp 00001000 08:01 4711   /usr/lib/libc.so.6`.
fn parse_mapping(line: &str) -> Option<Mapping> {
    let mut fields = line.splitn(6, ' ');
    let numbers: [&str; 5] = std::array::from_fn(|_| fields.next().unwrap_or_default());
    let path = fields.next().unwrap_or_default().trim_start_matches(' ');
    // The path stays with us: procfs-core 0.18 trims it, gives names such as `[anon:…]` without their
    // brackets, and panics on a mapped file called `/SYSVx`.
    let mut without_path = numbers.join(" ");
    without_path.push(' ');
    let parsed = MemoryMaps::from_buf_read(without_path.as_bytes()).ok()?;
    let parsed = parsed.0.first()?;
    if parsed.address.0 >= parsed.address.1 {
        return None;
    }
    Some(Mapping {
        start: Address(parsed.address.0),
        end: Address(parsed.address.1),
        permissions: numbers[1].to_owned(),
        offset: parsed.offset,
        inode: parsed.inode,
        path: (!path.is_empty()).then(|| path.replace("\\012", "\n")),
    })
}

/// Strings that each end in a zero byte: a command line.
pub(crate) fn parse_strings(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    bytes
        .split(|byte| *byte == 0)
        .map(|string| String::from_utf8_lossy(string).into_owned())
        .collect()
}

/// The variables of an environment block that a capture may keep.
pub(crate) fn parse_variables(bytes: &[u8]) -> BTreeMap<String, String> {
    let strings = parse_strings(bytes);
    secrets::visible_variables(
        strings
            .iter()
            .filter_map(|variable| variable.split_once('=')),
    )
}

/// The table of `/proc/PID/limits`; columns are parted by at least two spaces.
pub(crate) fn parse_limits(text: &str) -> Vec<Limit> {
    let value = |column: &str| match column {
        "unlimited" => Some(None),
        number => number.parse().ok().map(Some),
    };
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let mut columns = line
                .split("  ")
                .map(str::trim)
                .filter(|column| !column.is_empty());
            let (name, soft, hard) = (columns.next()?, columns.next()?, columns.next()?);
            Some(Limit {
                name: name.to_owned(),
                soft: value(soft)?,
                hard: value(hard)?,
            })
        })
        .collect()
}

fn number_of(entry: &fs::DirEntry) -> Option<u32> {
    entry.file_name().to_str()?.parse().ok()
}

/// The threads of a process.
pub(crate) fn thread_ids(pid: u32) -> io::Result<Vec<u32>> {
    let entries = fs::read_dir(home(pid).join("task"))?;
    Ok(entries
        .filter_map(|entry| number_of(&entry.ok()?))
        .take(MAX_THREADS)
        .collect())
}

/// The name of a thread; empty when it is gone.
pub(crate) fn thread_name(pid: u32, thread: u32) -> String {
    bounded::read_text(&home(pid).join(format!("task/{thread}/comm")), 64)
        .map(|name| name.trim_end_matches('\n').to_owned())
        .unwrap_or_default()
}

/// The account of a thread or process in one line.
pub(crate) fn stat(id: u32) -> io::Result<String> {
    bounded::read_text(&home(id).join("stat"), MAX_STATUS_BYTES)
}

fn status(id: u32) -> io::Result<String> {
    bounded::read_text(&home(id).join("status"), MAX_STATUS_BYTES)
}

/// A field of `/proc/PID/status`. Read by name, one by one: sandboxes such as gVisor leave many out.
pub(crate) fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .map(str::trim)
}

fn number_field(id: u32, name: &str) -> io::Result<u32> {
    let number = field(&status(id)?, name).and_then(|value| value.parse().ok());
    number.ok_or_else(|| io::Error::other(format!("the status has no {name}")))
}

/// The parent of a process.
fn parent_pid(pid: u32) -> io::Result<u32> {
    number_field(pid, "PPid")
}

/// All processes below this one, nearest first. Orphans have left the tree and are not found.
pub(crate) fn descendants(pid: u32) -> io::Result<Vec<u32>> {
    Ok(below(pid, &parents()?))
}

/// Every process and its parent. One pass over `/proc`, and not `/proc/PID/task/*/children`: that file
/// is a kernel option and may leave children out when processes end meanwhile.
fn parents() -> io::Result<BTreeMap<u32, u32>> {
    let processes = fs::read_dir("/proc")?
        .filter_map(|entry| number_of(&entry.ok()?))
        .take(MAX_PROCESSES);
    Ok(processes
        .filter_map(|process| Some((process, parent_pid(process).ok()?)))
        .collect())
}

fn below(pid: u32, parents: &BTreeMap<u32, u32>) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (child, parent) in parents {
        children.entry(*parent).or_default().push(*child);
    }
    // Numbers may be reused while we read, so that what we see need not be a tree.
    let mut seen = BTreeSet::from([pid]);
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        let new: Vec<u32> = children
            .get(parent)
            .into_iter()
            .flatten()
            .copied()
            .filter(|child| seen.insert(*child))
            .collect();
        found.extend(new);
        next += 1;
    }
    found.remove(0);
    found
}

#[cfg(test)]
mod tests;
