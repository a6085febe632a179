//! The machine around a process: kernel, C library, processor, memory, control group.
//!
//! States what is there; whether it was enough is judged elsewhere. All files are looked for below a
//! root folder, which is `/` outside tests.

pub(crate) mod control_group;
pub(crate) mod memory_group;

use std::io;
use std::path::Path;

use crashlens_core::capture::System;
use crashlens_core::{Gaps, Host, Observed};

use self::control_group::Controller;
use crashlens_inspect::bounded;

/// The first processor's block; the others differ in clock and number only, and on large machines the
/// kernel takes milliseconds to list them all.
pub(crate) const MAX_CPU_BYTES: u64 = 8 << 10;
pub(crate) const MAX_MEMINFO_BYTES: u64 = 64 << 10;
const MAX_MAPS_BYTES: u64 = 64 << 20;
pub(crate) const MAX_C_LIBRARY_BYTES: u64 = 16 << 20;

/// The machine as the process `pid` meets it now.
pub(crate) fn host_facts(pid: u32, gaps: &mut Gaps) -> Host {
    read_host(Path::new("/"), pid, gaps)
}

pub(crate) fn read_host(root: &Path, pid: u32, gaps: &mut Gaps) -> Host {
    let cpu = bounded::read_text(&root.join("proc/cpuinfo"), MAX_CPU_BYTES);
    let memory = bounded::read_text(&root.join("proc/meminfo"), MAX_MEMINFO_BYTES);
    Host {
        system: Observed::Known(System::Linux),
        kernel: gaps.observe("kernel version", kernel()),
        glibc: present(gaps, "version of the C library", glibc_version(root, pid)),
        cpu_model: present(
            gaps,
            "processor",
            cpu.as_deref()
                .map(|text| value(text, "model name").map(str::to_owned)),
        ),
        cpu_flags: present(gaps, "processor", cpu.as_deref().map(cpu_flags)),
        memory_total: present(
            gaps,
            "memory of the machine",
            memory.as_deref().map(|text| bytes_of(text, "MemTotal")),
        ),
        memory_available: present(
            gaps,
            "memory of the machine",
            memory.as_deref().map(|text| bytes_of(text, "MemAvailable")),
        ),
        memory_group: present(
            gaps,
            "memory control group",
            control_group::find(root, pid, Controller::Memory)
                .map(|found| found.as_ref().map(memory_group::read)),
        ),
    }
}

/// Bytes of memory in the machine.
pub(crate) fn memory_total(root: &Path) -> Option<u64> {
    let text = bounded::read_text(&root.join("proc/meminfo"), MAX_MEMINFO_BYTES).ok()?;
    bytes_of(&text, "MemTotal")
}

/// `Absent` where it was looked for in vain.
pub(crate) fn present<T>(
    gaps: &mut Gaps,
    part: &str,
    result: Result<Option<T>, impl ToString>,
) -> Observed<T> {
    match result {
        Ok(Some(value)) => Observed::Known(value),
        Ok(None) => Observed::Absent,
        Err(error) => Observed::Unknown(gaps.add(part, error, None)),
    }
}

fn kernel() -> io::Result<String> {
    let name = nix::sys::utsname::uname()?;
    let part = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
    Ok([
        part(name.sysname()),
        part(name.release()),
        part(name.machine()),
    ]
    .join(" "))
}

/// The value after `key` and a colon, on the first line that has it.
pub(crate) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let found = text
        .lines()
        .find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?
        .trim();
    (!found.is_empty()).then_some(found)
}

fn cpu_flags(text: &str) -> Option<Vec<String>> {
    // `Features` on aarch64.
    let flags = value(text, "flags").or_else(|| value(text, "Features"))?;
    Some(flags.split_whitespace().map(str::to_owned).collect())
}

/// A line of `/proc/meminfo`, in bytes.
pub(crate) fn bytes_of(meminfo: &str, key: &str) -> Option<u64> {
    value(meminfo, key)?
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// The version of the glibc that the process has mapped; `None` for a static program or another C library.
fn glibc_version(root: &Path, pid: u32) -> io::Result<Option<String>> {
    let maps = bounded::read(&root.join(format!("proc/{pid}/maps")), MAX_MAPS_BYTES)?;
    let Some(path) = glibc_path(&maps) else {
        return Ok(None);
    };
    let relative = path.trim_start_matches('/');
    // As the process sees it, which in a container is another file than ours of the same name.
    let inside = root.join(format!("proc/{pid}/root")).join(relative);
    let library = bounded::read(&inside, MAX_C_LIBRARY_BYTES)
        .or_else(|_| bounded::read(&root.join(relative), MAX_C_LIBRARY_BYTES))?;
    Ok(banner_version(&library))
}

/// `…/libc.so.6`, or `…/libc-2.31.so` as it was called before glibc 2.34.
fn glibc_path(maps: &[u8]) -> Option<String> {
    maps.split(|byte| *byte == b'\n').find_map(|line| {
        let name = memchr::memrchr(b'/', line).map(|slash| &line[slash + 1..])?;
        let path = &line[memchr::memchr(b'/', line)?..];
        is_glibc_name(name).then(|| String::from_utf8_lossy(path).into_owned())
    })
}

fn is_glibc_name(name: &[u8]) -> bool {
    name == b"libc.so.6" || (name.starts_with(b"libc-2.") && name.ends_with(b".so"))
}

/// Whether a mapped file is the C library, by its name.
pub(crate) fn is_glibc(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| is_glibc_name(name.as_bytes()))
}

/// The version in the banner every glibc carries: `… stable release version 2.36.`
pub(crate) fn banner_version(library: &[u8]) -> Option<String> {
    const BEFORE: &[u8] = b"release version ";
    let banner = memchr::memmem::find(library, b"GNU C Library (")?;
    let banner = &library[banner..library.len().min(banner + 512)];
    let version = &banner[memchr::memmem::find(banner, BEFORE)? + BEFORE.len()..];
    let length = version
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    let version = std::str::from_utf8(&version[..length])
        .ok()?
        .trim_end_matches('.');
    (!version.is_empty()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests;
