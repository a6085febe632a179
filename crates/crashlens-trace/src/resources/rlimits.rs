//! The limits of the process itself (`getrlimit`), against what it used.

use std::io;
use std::path::Path;

use crashlens_core::{Limit, Limiter, Resource, ResourceUse, Rlimit};

use crate::procfs::field;
use crashlens_inspect::bounded;

const MAX_STATUS_BYTES: u64 = 64 << 10;
/// More open files are not counted.
const MAX_FILES: usize = 1 << 16;
/// A limit of threads that is higher is not compared with what the user has: counting that takes a look at
/// every process of the machine.
const MAX_THREAD_LIMIT: u64 = 1 << 14;
/// Processes that are looked at for it.
const MAX_PROCESSES: usize = 4096;

/// What the process had in use of its own limits.
pub(super) fn uses(root: &Path, pid: u32, limits: &[Limit]) -> Vec<ResourceUse> {
    let home = root.join(format!("proc/{pid}"));
    let status = bounded::read_text(&home.join("status"), MAX_STATUS_BYTES).unwrap_or_default();
    let kilobytes = |name| kilobytes_of(&status, name);
    let limit_of = |name: &str| limits.iter().find(|limit| limit.name == name)?.soft;
    let mut uses = Vec::new();
    let mut add = |resource, set_by, limit: Option<u64>, used: Option<u64>, peak| {
        uses.extend(limit.map(|limit| ResourceUse {
            resource,
            set_by,
            used,
            peak,
            limit: Some(limit),
            met: None,
        }));
    };
    add(
        Resource::AddressSpace,
        Limiter::Process(Rlimit::As),
        limit_of("Max address space"),
        kilobytes("VmSize"),
        kilobytes("VmPeak"),
    );
    let data = limit_of("Max data size");
    add(
        Resource::Data,
        Limiter::Process(Rlimit::Data),
        data,
        kilobytes("VmData"),
        None,
    );
    let stack = limit_of("Max stack size");
    add(
        Resource::Stack,
        Limiter::Process(Rlimit::Stack),
        stack,
        kilobytes("VmStk"),
        None,
    );
    let locked = limit_of("Max locked memory");
    add(
        Resource::LockedMemory,
        Limiter::Process(Rlimit::Memlock),
        locked,
        kilobytes("VmLck"),
        None,
    );
    // At the soft limit the kernel asks to end, at the hard one it kills.
    let time = limits.iter().find(|limit| limit.name == "Max cpu time");
    let seconds = cpu_seconds(&home);
    let (soft, hard) = time.map_or((None, None), |time| (time.soft, time.hard));
    add(
        Resource::CpuTime,
        Limiter::Process(Rlimit::Cpu),
        soft,
        seconds,
        None,
    );
    let hard = hard.filter(|hard| Some(*hard) != soft);
    add(Resource::CpuTime, Limiter::HardCpuTime, hard, seconds, None);
    let size = limit_of("Max file size");
    add(
        Resource::FileSize,
        Limiter::Process(Rlimit::Fsize),
        size,
        None,
        None,
    );
    let files = limit_of("Max open files");
    add(
        Resource::OpenFiles,
        Limiter::Process(Rlimit::Nofile),
        files,
        open_files(&home),
        None,
    );
    if let Some(limit) = limit_of("Max processes")
        && is_bound(&home, &status, limit)
    {
        let threads = user_of(&status).and_then(|user| threads_of_user(root, user));
        add(
            Resource::Threads,
            Limiter::Process(Rlimit::Nproc),
            Some(limit),
            threads,
            None,
        );
    }
    uses
}

/// Threads of the user whose process `pid` is, where a limit of them binds it: `None` for root, and where the limit is
/// so high that nobody counts.
pub(crate) fn tasks_of_user(root: &Path, pid: u32, limit: u64) -> io::Result<Option<u64>> {
    let home = root.join(format!("proc/{pid}"));
    let status = bounded::read_text(&home.join("status"), MAX_STATUS_BYTES)?;
    if !is_bound(&home, &status, limit) {
        return Ok(None);
    }
    let tasks = user_of(&status).and_then(|user| threads_of_user(root, user));
    let too_many = || io::Error::other("there are too many processes to count them");
    tasks.map(Some).ok_or_else(too_many)
}

fn is_bound(home: &Path, status: &str, limit: u64) -> bool {
    limit <= MAX_THREAD_LIMIT && !is_exempt(home, status)
}

fn kilobytes_of(status: &str, name: &str) -> Option<u64> {
    let number = field(status, name)?.strip_suffix("kB")?.trim();
    number.parse::<u64>().ok()?.checked_mul(1024)
}

/// The real user, the first of four.
fn user_of(status: &str) -> Option<u32> {
    field(status, "Uid")?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// Whether the kernel lets the process have more threads than its limit: root of the machine, and who may
/// override resource limits. Neither is so in a container with users of its own.
fn is_exempt(home: &Path, status: &str) -> bool {
    const SYS_ADMIN: u64 = 1 << 21;
    const SYS_RESOURCE: u64 = 1 << 24;
    let users = bounded::read_text(&home.join("uid_map"), 4096).unwrap_or_default();
    let mut numbers = users.split_whitespace();
    let is_first_namespace = numbers.next() == Some("0")
        && numbers.next() == Some("0")
        && numbers.next() == Some("4294967295");
    let capabilities = field(status, "CapEff")
        .and_then(|hex| u64::from_str_radix(hex, 16).ok())
        .unwrap_or(0);
    is_first_namespace
        && (user_of(status) == Some(0) || capabilities & (SYS_ADMIN | SYS_RESOURCE) != 0)
}

/// Threads of all processes of a user; `None` when there are too many processes to look at.
fn threads_of_user(root: &Path, user: u32) -> Option<u64> {
    let mut threads = 0_u64;
    let mut seen = 0;
    for entry in std::fs::read_dir(root.join("proc")).ok()? {
        let entry = entry.ok()?;
        if !entry
            .file_name()
            .as_encoded_bytes()
            .iter()
            .all(u8::is_ascii_digit)
        {
            continue;
        }
        seen += 1;
        if seen > MAX_PROCESSES {
            return None;
        }
        let Ok(status) = bounded::read_text(&entry.path().join("status"), MAX_STATUS_BYTES) else {
            continue;
        };
        if user_of(&status) == Some(user) {
            let own = field(&status, "Threads").and_then(|number| number.parse().ok());
            threads = threads.saturating_add(own.unwrap_or(0));
        }
    }
    Some(threads)
}

/// Seconds of processor time of all threads, ended ones included, rounded: at the limit the clock may still
/// show a hundredth less.
fn cpu_seconds(home: &Path) -> Option<u64> {
    let text = bounded::read_text(&home.join("stat"), 4096).ok()?;
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
    let ticks = u64::try_from(ticks).ok().filter(|ticks| *ticks > 0)?;
    processor_ticks(&text)?
        .checked_add(ticks / 2)?
        .checked_div(ticks)
}

/// Time as user and as system. The name of the program comes before it, in parentheses, and may have any
/// character in it.
pub(crate) fn processor_ticks(stat: &str) -> Option<u64> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    user.checked_add(system)
}

fn open_files(home: &Path) -> Option<u64> {
    let entries = std::fs::read_dir(home.join("fd")).ok()?;
    let count = entries.take(MAX_FILES).count();
    (count > 0).then_some(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(name: &str, soft: u64) -> Limit {
        Limit {
            name: name.to_owned(),
            soft: Some(soft),
            hard: None,
        }
    }

    #[test]
    fn the_programs_name_does_not_hide_its_time() {
        let stat = "7 (a) b ) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0";
        assert_eq!(processor_ticks(stat), Some(200));
        assert_eq!(processor_ticks("7 (a"), None);
        assert_eq!(processor_ticks("7 (a) S 1"), None);
    }

    #[test]
    fn limits_that_are_set_are_compared_with_what_is_used() {
        let limits = [
            limit("Max address space", 4 << 30),
            limit("Max open files", 1024),
            limit("Max cpu time", 9),
            Limit {
                name: "Max data size".to_owned(),
                soft: None,
                hard: None,
            },
        ];
        let uses = uses(Path::new("/"), std::process::id(), &limits);
        let names: Vec<_> = uses.iter().map(|entry| entry.set_by.as_str()).collect();
        assert_eq!(names, ["RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE"]);
        let space = &uses[0];
        assert!(space.peak >= space.used && space.used > Some(1 << 20));
        assert!(uses[1].used < Some(3600));
        assert!(uses[2].used >= Some(3) && uses[2].used < Some(1024));
    }

    #[test]
    fn threads_count_for_a_user_whom_the_limit_binds() {
        let root = tempfile::tempdir().unwrap();
        let processes = [
            (
                7,
                "Uid:\t1000\t1000\t1000\t1000\nThreads:\t30\nCapEff:\t0000000000000000\n",
            ),
            (8, "Uid:\t1000\t0\t0\t0\nThreads:\t12\n"),
            (9, "Uid:\t1001\t1001\t1001\t1001\nThreads:\t500\n"),
            (
                10,
                "Uid:\t0\t0\t0\t0\nThreads:\t1\nCapEff:\t000001ffffffffff\n",
            ),
        ];
        for (pid, status) in processes {
            let home = root.path().join(format!("proc/{pid}"));
            std::fs::create_dir_all(&home).unwrap();
            std::fs::write(home.join("status"), status).unwrap();
            std::fs::write(home.join("uid_map"), "         0          0 4294967295\n").unwrap();
        }
        let limits = [limit("Max processes", 50)];
        let found = uses(root.path(), 7, &limits);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].used, found[0].limit), (Some(42), Some(50)));
        assert!(uses(root.path(), 10, &limits).is_empty());
        assert!(uses(root.path(), 7, &[limit("Max processes", 100_000)]).is_empty());
    }
}
