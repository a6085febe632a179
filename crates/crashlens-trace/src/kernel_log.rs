//! What the kernel wrote to its log about processes since the run began.
//!
//! Read from `/dev/kmsg`, from where its end was at the start. Only lines of the kernel itself count: programs
//! may write there too. Where it may not be read, nothing is concluded from that.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The kernel gives one record for each read, at most this long.
const MAX_RECORD_BYTES: usize = 8 << 10;
/// Records that are looked at at once; a machine whose log grows faster is not read further.
const MAX_RECORDS: usize = 20_000;
/// Lines that are kept.
const MAX_LINES: usize = 256;
/// The first process namespace, in which alone the log's process ids are ours.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// The kernel's log since the run began.
pub(crate) struct KernelLog {
    source: io::Result<File>,
    lines: VecDeque<LogLine>,
    /// Kills for memory that were logged.
    kills: u64,
    /// Whether the log's process ids are ours.
    knows_our_ids: bool,
}

/// A line about the end of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LogLine {
    pid: u32,
    text: String,
}

impl KernelLog {
    /// Begins at the end of the log.
    pub(crate) fn start() -> Self {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NONBLOCK);
        let source = options.open("/dev/kmsg").and_then(|mut file| {
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        });
        let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Self {
            source,
            lines: VecDeque::new(),
            kills: 0,
            knows_our_ids: namespace == Path::new(FIRST_NAMESPACE),
        }
    }

    /// Reads what was logged since the last time.
    fn refresh(&mut self) {
        let Ok(file) = &mut self.source else { return };
        let mut record = vec![0; MAX_RECORD_BYTES];
        for _ in 0..MAX_RECORDS {
            match file.read(&mut record) {
                Ok(0) => return,
                Ok(length) => {
                    let bytes = record.get(..length).unwrap_or_default();
                    let Some(line) = parse_record(bytes).and_then(|text| about_process(&text))
                    else {
                        continue;
                    };
                    self.kills += u64::from(is_kill(&line.text));
                    if self.lines.len() >= MAX_LINES {
                        self.lines.pop_front();
                    }
                    self.lines.push_back(line);
                }
                // Records that were overwritten before we came to them.
                Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
                Err(_) => return,
            }
        }
    }

    /// Lines about the process.
    pub(crate) fn about(&mut self, pid: u32) -> Result<Vec<String>, String> {
        self.refresh();
        if let Err(error) = &self.source {
            return Err(format!("/dev/kmsg: {error}"));
        }
        if !self.knows_our_ids {
            return Err("its process ids are not those of this container".to_owned());
        }
        let own = self.lines.iter().filter(|line| line.pid == pid);
        Ok(own.map(|line| line.text.clone()).collect())
    }

    /// Whether the log names the process as killed for memory. `None` when that cannot be told: it may not be
    /// read, or it does not have all the `kills` that there were.
    pub(crate) fn names_kill_of(&mut self, pid: u32, kills: Option<u64>) -> Option<bool> {
        let lines = self.about(pid).ok()?;
        if lines.iter().any(|line| is_kill(line) || is_choice(line)) {
            return Some(true);
        }
        (self.kills >= kills?).then_some(false)
    }

    /// The control group whose limit led to the kill of the process; empty for the whole machine.
    pub(crate) fn limited_by(&mut self, pid: u32) -> Option<String> {
        let lines = self.about(pid).ok()?;
        lines.iter().rev().find_map(|line| limiting_group(line))
    }
}

fn is_kill(line: &str) -> bool {
    line.contains("Killed process ")
}

/// The line in which the kernel says whom it is going to kill.
fn is_choice(line: &str) -> bool {
    line.starts_with("oom-kill:")
}

/// The text of a record `6,339,5140900,-;text`, if the kernel wrote it.
pub(crate) fn parse_record(record: &[u8]) -> Option<String> {
    let separator = memchr::memchr(b';', record)?;
    let (prefix, rest) = record.split_at(separator);
    let priority = prefix.split(|byte| *byte == b',').next()?;
    let priority: u32 = std::str::from_utf8(priority).ok()?.parse().ok()?;
    // What is left beside the level says who wrote it; 0 is the kernel.
    if priority >> 3 != 0 {
        return None;
    }
    let text = rest.get(1..)?.split(|byte| *byte == b'\n').next()?;
    let text = String::from_utf8_lossy(text).into_owned();
    (!text.is_empty()).then_some(text)
}

/// The line with the process it is about, if it is about the end of one.
fn about_process(text: &str) -> Option<LogLine> {
    let number_after = |marker: &str| {
        let (_, after) = text.split_once(marker)?;
        let digits = after
            .split(|letter: char| !letter.is_ascii_digit())
            .next()?;
        digits.parse().ok()
    };
    let pid = if is_choice(text) {
        // The name of the program comes before it and may have any character in it.
        text.rsplit_once(",pid=")
            .and_then(|(_, after)| after.split(',').next()?.parse().ok())
    } else if text.contains("oom_reaper: reaped process ") {
        number_after("reaped process ")
    } else if is_kill(text) {
        number_after("Killed process ")
    } else if text.contains("due to hardware memory corruption") {
        text.split_once(" due to hardware")
            .and_then(|(before, _)| before.rsplit(':').next()?.parse().ok())
    } else if ["segfault at ", "general protection", "trap ", "traps: "]
        .iter()
        .any(|word| text.contains(word))
    {
        // `python[4711]: segfault at 0 …`, `traps: python[4711] trap invalid opcode …`
        text.split(['[', ']'])
            .nth(1)
            .and_then(|number| number.parse().ok())
    } else {
        None
    };
    Some(LogLine {
        pid: pid?,
        text: text.to_owned(),
    })
}

/// `oom-kill:constraint=CONSTRAINT_MEMCG,…,oom_memcg=/job,task_memcg=/job,task=python,pid=4711,uid=0`
fn limiting_group(line: &str) -> Option<String> {
    let facts = line.strip_prefix("oom-kill:")?;
    if facts.starts_with("constraint=CONSTRAINT_NONE,") {
        return Some(String::new());
    }
    let (_, group) = facts.split_once(",oom_memcg=")?;
    let (group, _) = group.split_once(",task_memcg=")?;
    Some(group.to_owned())
}

/// Reads bytes as a record and asks everything of it.
pub(crate) fn read_any(bytes: &[u8]) {
    if let Some(text) = parse_record(bytes) {
        about_process(&text);
        limiting_group(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOICE: &str = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,\
                          oom_memcg=/job,task_memcg=/job/inner,task=py,pid=1,,pid=4711,uid=0";
    const KILL: &str = "Memory cgroup out of memory: Killed process 4711 (python3) total-vm:321752kB, anon-rss:302240kB";

    fn pid_of(text: &str) -> Option<u32> {
        about_process(text).map(|line| line.pid)
    }

    #[test]
    fn lines_about_the_end_of_a_process_name_it() {
        assert_eq!(pid_of(CHOICE), Some(4711));
        assert_eq!(pid_of(KILL), Some(4711));
        assert_eq!(
            pid_of("Out of memory: Killed process 9 (a) total-vm:1kB"),
            Some(9)
        );
        assert_eq!(
            pid_of("oom_reaper: reaped process 12 (python3), now anon-rss:0kB"),
            Some(12)
        );
        assert_eq!(
            pid_of("python3[77]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so.6[1,2]"),
            Some(77)
        );
        assert_eq!(
            pid_of("traps: python3[78] trap invalid opcode ip:1 sp:2 error:0 in x[1]"),
            Some(78)
        );
        assert_eq!(
            pid_of("Memory failure: 0x1: Killing python:79 due to hardware memory corruption"),
            Some(79)
        );
        for other in [
            "",
            "eth0: link up",
            "Killed process",
            "oom-kill:constraint=",
            "x[y]: segfault at 1",
        ] {
            assert_eq!(pid_of(other), None, "{other}");
        }
    }

    #[test]
    fn the_limit_that_led_to_a_kill_is_named() {
        assert_eq!(limiting_group(CHOICE).as_deref(), Some("/job"));
        let machine = "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/,task=a,pid=1,uid=0";
        assert_eq!(limiting_group(machine).as_deref(), Some(""));
        assert_eq!(limiting_group(KILL), None);
    }

    #[test]
    fn only_the_kernel_is_believed() {
        let record = |priority: &str| format!("{priority},339,5140900,-;{KILL}\n SUBSYSTEM=x\n");
        assert_eq!(parse_record(record("3").as_bytes()).as_deref(), Some(KILL));
        assert_eq!(parse_record(record("11").as_bytes()), None);
        for broken in ["", ";", "3", "3,1,1,-;", "x,1;y", "99999999999,1;y"] {
            assert_eq!(parse_record(broken.as_bytes()), None, "{broken}");
        }
    }

    fn log(lines: &[&str]) -> KernelLog {
        let lines: VecDeque<_> = lines
            .iter()
            .filter_map(|text| about_process(text))
            .collect();
        let kills = lines.iter().filter(|line| is_kill(&line.text)).count() as u64;
        KernelLog {
            source: File::open("/dev/null"),
            lines,
            kills,
            knows_our_ids: true,
        }
    }

    #[test]
    fn a_log_that_has_all_kills_tells_who_was_not_killed() {
        let mut complete = log(&[CHOICE, KILL]);
        assert_eq!(complete.names_kill_of(4711, Some(1)), Some(true));
        assert_eq!(complete.names_kill_of(4712, Some(1)), Some(false));
        assert_eq!(complete.names_kill_of(4712, Some(2)), None);
        assert_eq!(complete.names_kill_of(4712, None), None);
        assert_eq!(complete.about(4711).unwrap().len(), 2);
    }

    #[test]
    fn a_log_that_may_not_be_read_tells_nothing() {
        let mut closed = log(&[KILL]);
        closed.source = Err(io::ErrorKind::PermissionDenied.into());
        assert_eq!(closed.names_kill_of(4711, Some(1)), None);
        let mut foreign = log(&[KILL]);
        foreign.knows_our_ids = false;
        assert_eq!(foreign.names_kill_of(4711, Some(1)), None);
    }
}
