//! Programs that gain privileges when they are started: setuid, setgid, file capabilities.
//!
//! The kernel withholds the privileges from a process whose tracer could not have them, and `sudo` then
//! fails. When crashlens lacks `CAP_SYS_PTRACE`, new processes are therefore stepped from system call to
//! system call up to their `exec`, and let go before it if the program is such a one.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crashlens_unwind::ReadMemory;

use super::{Aim, Supervisor};
use crate::live_memory::LiveMemory;
use crate::status::ThreadStatus;
use crate::tracee::{STEPS_OF_NEW_PROCESS, STEPS_OF_WRAPPER};
use crate::{arch, calls, sys};

/// Programs that commonly become another program without a new process.
const WRAPPERS: [&str; 14] = [
    "bash", "busybox", "dash", "env", "ionice", "ksh", "nice", "nohup", "numactl", "setsid", "sh",
    "stdbuf", "timeout", "zsh",
];
/// Longest path the kernel takes.
const MAX_PATH: usize = 4096;

/// Whether this process may trace programs that gain privileges without their losing them.
pub(crate) fn may_trace_privileged() -> bool {
    const CAP_SYS_PTRACE: u32 = 19;
    ThreadStatus::read(std::process::id()).is_ok_and(|status| status.is_capable(CAP_SYS_PTRACE))
}

impl Supervisor<'_> {
    /// A thread that is stepped enters or leaves a system call.
    pub(super) fn system_call(&mut self, thread: u32, process: u32) {
        self.tree.count_step(thread);
        match program_about_to_start(thread).filter(|program| gains_privileges(program)) {
            Some(program) => {
                let why =
                    "it gains privileges when it is started, which it would lose if it were traced";
                self.leave_unseen(
                    thread,
                    process,
                    &shown(&program),
                    why,
                    Some("Run crashlens as root."),
                );
            }
            None => self.resume(thread, 0),
        }
    }

    /// Says so when a program was started without the privileges it gains alone: a process that had long been
    /// running became it (`os.execvp("sudo", …)`), which only stepping through all its system calls would foresee.
    pub(super) fn note_withheld_privileges(&mut self, process: u32, executable: &Path) {
        let file = PathBuf::from(format!("/proc/{process}/exe"));
        let withheld = gains_privileges(&file)
            && ThreadStatus::read(process).is_ok_and(|status| !has_privileges_of(&file, &status));
        if withheld {
            self.gaps.add(
                format!(
                    "the privileges of {} (process {process})",
                    executable.display()
                ),
                "the kernel withheld them because the program is traced by a user who has them not",
                Some("Run crashlens as root, or this program without crashlens."),
            );
        }
    }

    /// Decides whether the program that a process became is likely to start another in its place.
    pub(super) fn step_wrapper(&mut self, thread: u32, executable: &Path) {
        let name = executable
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let steps = if WRAPPERS.contains(&name) {
            STEPS_OF_WRAPPER
        } else {
            0
        };
        self.tree.set_steps(thread, steps);
    }

    /// Begins stepping all new processes, the main one included if it is new.
    pub(super) fn step_new_processes(&mut self) {
        self.tree.step_new_processes();
        if self.aim == Aim::Run {
            self.tree.set_steps(self.main, STEPS_OF_NEW_PROCESS);
        }
    }
}

/// The file of the program, as seen from here, if the thread is entering `exec`.
fn program_about_to_start(thread: u32) -> Option<PathBuf> {
    let registers = calls::user_registers(thread).ok()?;
    let call = arch::entered_call(&registers)?;
    let [first, second, ..] = call.arguments;
    match call.number {
        libc::SYS_execve => Some(seen_from_here(thread, "cwd", &read_path(thread, first)?)),
        libc::SYS_execveat if first as i32 == libc::AT_FDCWD => {
            Some(seen_from_here(thread, "cwd", &read_path(thread, second)?))
        }
        libc::SYS_execveat => {
            let folder = format!("fd/{}", first as i32);
            Some(seen_from_here(thread, &folder, &read_path(thread, second)?))
        }
        _ => None,
    }
}

/// A path as the process means it: absolute from its root, relative from one of its folders.
fn seen_from_here(thread: u32, folder: &str, path: &Path) -> PathBuf {
    let start = format!("/proc/{thread}");
    match path.strip_prefix("/") {
        Ok(below_root) => Path::new(&start).join("root").join(below_root),
        // An empty path means the open file itself.
        Err(_) if path.as_os_str().is_empty() => Path::new(&start).join(folder),
        Err(_) => Path::new(&start).join(folder).join(path),
    }
}

/// The path without the detour through `/proc`.
fn shown(program: &Path) -> PathBuf {
    std::fs::canonicalize(program).unwrap_or_else(|_| program.to_owned())
}

fn read_path(thread: u32, address: u64) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;

    let memory = LiveMemory::of(thread);
    let mut path = Vec::new();
    while path.len() < MAX_PATH {
        let mut byte = [0];
        memory
            .read(address.checked_add(path.len() as u64)?, &mut byte)
            .ok()?;
        if byte == [0] {
            return Some(PathBuf::from(std::ffi::OsString::from_vec(path)));
        }
        path.extend(byte);
    }
    None
}

fn gains_privileges(program: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(program) else {
        return false;
    };
    let mode = metadata.mode();
    let sets_group = mode & (libc::S_ISGID | libc::S_IXGRP) == libc::S_ISGID | libc::S_IXGRP;
    metadata.is_file()
        && (mode & libc::S_ISUID != 0 || sets_group || sys::has_file_capabilities(program))
}

/// Whether a process runs as whom the program's set-id bits say, or would not do so alone either.
fn has_privileges_of(program: &Path, status: &ThreadStatus) -> bool {
    let Ok(metadata) = std::fs::metadata(program) else {
        return true;
    };
    let (user, group) = status.effective_ids();
    let of_user = metadata.mode() & libc::S_ISUID == 0 || user == metadata.uid();
    let of_group = metadata.mode() & libc::S_ISGID == 0 || group == metadata.gid();
    status.cannot_gain_privileges() || (of_user && of_group && !sys::has_file_capabilities(program))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn paths_are_seen_as_the_process_means_them() {
        let at = |folder, path: &str| seen_from_here(7, folder, Path::new(path));
        assert_eq!(
            at("cwd", "/usr/bin/sudo"),
            Path::new("/proc/7/root/usr/bin/sudo")
        );
        assert_eq!(at("cwd", "./a"), Path::new("/proc/7/cwd/./a"));
        assert_eq!(at("fd/3", "a"), Path::new("/proc/7/fd/3/a"));
        assert_eq!(at("fd/3", ""), Path::new("/proc/7/fd/3"));
    }

    #[test]
    fn set_id_bits_are_noticed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, gains) in [
            (0o755, false),
            (0o4755, true),
            (0o2755, true),
            (0o2745, false),
        ] {
            std::fs::set_permissions(file.path(), PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(gains_privileges(file.path()), gains, "{mode:o}");
        }
        assert!(!gains_privileges(Path::new("/nonexistent")));
    }
}
