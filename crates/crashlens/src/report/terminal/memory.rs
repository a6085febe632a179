//! Memory and other things that are limited, where the process may have died for them.

use std::io;

use crashlens_core::{Death, EndingKind, MemoryGroup, MessageKind, Resource, ResourceUse, Signal};

use super::names::clip;
use super::page::{FAINT, PLAIN, Page};

/// A limit of which so many percent are used is worth telling.
const NEAR: u64 = 95;
/// Disks and shared memory are often nearly full; less than this left is worth telling.
const LITTLE_SPACE: u64 = 16 << 20;

/// Writes the numbers of memory and of limits that were nearly used up, and what the kernel said.
pub(super) fn write(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    write_numbers(page, death)?;
    write_kernel_log(page, death)
}

/// Writes the numbers alone.
pub(super) fn write_numbers(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    write_group(page, death)?;
    write_growth(page, death)?;
    let near =
        death.resources.iter().flatten().filter(|used| {
            concerns(used.resource, death) && is_near(used) && !is_group(used, death)
        });
    for (index, used) in near.enumerate() {
        let label = if index == 0 { "Limits" } else { "" };
        page.fact(
            label,
            &[
                (PLAIN, &describe(used)),
                (FAINT, &format!(" ({})", used.set_by)),
            ],
        )?;
    }
    Ok(())
}

fn write_kernel_log(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    for (index, line) in death.kernel_log.iter().flatten().enumerate().take(3) {
        let label = if index == 0 { "dmesg" } else { "" };
        // Of a line without spaces the terminal's edge would be no end.
        let room = page.width().saturating_sub(10);
        let line = if line.contains(' ') {
            line.clone()
        } else {
            clip(line, room)
        };
        page.fact(label, &[(FAINT, &line)])?;
    }
    Ok(())
}

/// Whether a death may be about what is limited. A group's memory is full of cached files most of the time, which
/// says nothing unless memory was asked for and refused.
fn concerns(resource: Resource, death: &Death) -> bool {
    const ENOMEM: i32 = 12;
    let is_memory = matches!(
        resource,
        Resource::Memory | Resource::MemoryHigh | Resource::Swap | Resource::MemoryAndSwap
    );
    let was_refused = death.errno == Some(ENOMEM)
        || death
            .exception
            .as_ref()
            .is_some_and(|exception| exception.type_name == "std::bad_alloc")
        || death
            .messages
            .iter()
            .any(|message| message.kind == MessageKind::OutOfMemory);
    !is_memory || is_kill(death) || was_refused
}

/// Whether it is the memory of the control group, whose numbers are told already.
fn is_group(used: &ResourceUse, death: &Death) -> bool {
    let memory = death.memory.as_ref().filter(|_| is_kill(death));
    let group = memory.and_then(|memory| memory.group.as_ref());
    used.resource == Resource::Memory
        && group.is_some_and(|group| group.path == used.set_by.as_str())
}

pub(in crate::report) fn is_kill(death: &Death) -> bool {
    death.ending.kind == EndingKind::OomKill || death.ending.signal == Some(Signal::KILL)
}

/// The control group's numbers, where the process may have died for them.
fn write_group(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    let memory = death.memory.as_ref().filter(|_| is_kill(death));
    let Some(group) = memory.and_then(|memory| memory.group.as_ref()) else {
        return Ok(());
    };
    page.fact(
        "Memory",
        &[
            (PLAIN, &describe_group(group)),
            (FAINT, &format!(" (control group {})", group.path)),
        ],
    )
}

/// How memory grew at the end, where the process may have died for it.
fn write_growth(page: &mut Page<'_>, death: &Death) -> io::Result<()> {
    let timeline = death.memory.as_ref().filter(|_| is_kill(death));
    let Some(timeline) = timeline.and_then(|memory| memory.timeline.as_ref()) else {
        return Ok(());
    };
    let Some(last) = timeline.samples.last() else {
        return Ok(());
    };
    let growth = timeline
        .growth_per_second
        .filter(|growth| *growth > 0)
        .map(|growth| format!(", growing by {} a second", size(growth.unsigned_abs())));
    page.fact(
        "Growth",
        &[(
            PLAIN,
            &format!(
                "{} in {} at the end{}",
                size(last.resident),
                match last.processes {
                    1 => "one process".to_owned(),
                    count => format!("{count} processes, what they share counted in each,"),
                },
                growth.unwrap_or_default()
            ),
        )],
    )
}

fn is_near(used: &ResourceUse) -> bool {
    // What is forbidden altogether was not used up.
    if used.limit == Some(0) {
        return used.met.is_some_and(|times| times > 0);
    }
    let most = used.peak.max(used.used);
    if matches!(used.resource, Resource::Disk | Resource::SharedMemory) {
        let left = used
            .limit
            .zip(most)
            .map(|(limit, most)| limit.saturating_sub(most));
        return left.is_some_and(|left| left < LITTLE_SPACE);
    }
    let near = most.zip(used.limit).is_some_and(|(most, limit)| {
        u128::from(most) * 100 >= u128::from(limit) * u128::from(NEAR)
    });
    near || used.met.is_some_and(|times| times > 0)
}

fn describe(used: &ResourceUse) -> String {
    let (name, is_bytes) = match used.resource {
        Resource::Memory => ("memory", true),
        Resource::MemoryHigh => ("memory before slowing down", true),
        Resource::Swap => ("swap space", true),
        Resource::MemoryAndSwap => ("memory and swap space", true),
        Resource::Data => ("private memory", true),
        Resource::AddressSpace => ("address space", true),
        Resource::Threads => ("threads", false),
        Resource::CpuTime => ("seconds of processor time", false),
        Resource::FileSize => ("size of a file", true),
        Resource::OpenFiles => ("open files", false),
        Resource::SharedMemory => ("shared memory", true),
        Resource::Disk => ("disk space", true),
        Resource::Stack => ("stack", true),
        Resource::LockedMemory => ("locked memory", true),
    };
    let amount = |number: Option<u64>| match number {
        None => "?".to_owned(),
        Some(number) if is_bytes => size(number),
        Some(number) => number.to_string(),
    };
    let met = used
        .met
        .filter(|times| *times > 0)
        .map_or_else(String::new, |times| {
            let often = if times == 1 {
                "once".to_owned()
            } else {
                format!("{times} times")
            };
            format!(", the limit was met {often}")
        });
    format!(
        "{name}: {} of {}{met}",
        amount(used.peak.max(used.used)),
        amount(used.limit)
    )
}

fn describe_group(group: &MemoryGroup) -> String {
    let amount =
        |name: &str, bytes: Option<u64>| bytes.map(|bytes| format!("{name} {}", size(bytes)));
    let kills = group.oom_kills.map(|all| match group.oom_kills_before {
        Some(before) => format!(
            "{} killed for memory during the run",
            all.saturating_sub(before)
        ),
        None => format!("{all} killed for memory since the group exists"),
    });
    let limit = amount("limit", group.limit).unwrap_or_else(|| "no limit".to_owned());
    let parts = [
        Some(limit),
        amount("highest use", group.peak),
        amount("in use", group.usage),
        kills,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `1.9 GiB`.
pub(super) fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes} bytes")
    } else {
        format!("{amount:.1} {}", units[unit])
    }
}
