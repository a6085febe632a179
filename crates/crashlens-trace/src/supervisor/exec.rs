//! A tracee becomes another program.

use std::path::Path;

use super::Supervisor;
use crate::calls;

/// Programs that trace others. A process has one tracer, so under ours they fail with "Operation not
/// permitted" (seen with gdb and strace); they and what they start are let go.
const TRACERS: [&str; 9] = [
    "gdb",
    "gdb-multiarch",
    "gdbserver",
    "lldb",
    "lldb-server",
    "ltrace",
    "py-spy",
    "rr",
    "strace",
];

/// Whether the executable is a tracer, also as `lldb-14`.
fn is_tracer(executable: &Path) -> bool {
    let name = executable
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    TRACERS.contains(&name)
        || plain
            .strip_suffix('-')
            .is_some_and(|plain| TRACERS.contains(&plain))
}

impl Supervisor<'_> {
    /// A thread called `exec`: it is now the only one of its process, under the process's id.
    pub(super) fn became_another_program(&mut self, thread: u32, process: u32) {
        self.tree.became_another_program(process);
        if process == self.main {
            self.began = true;
        }
        let executable = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        if is_tracer(&executable) {
            let why = "it traces processes itself, and a process can have only one tracer";
            self.leave_unseen(thread, process, &executable, why, None);
        } else {
            if self.tree.steps_processes() {
                self.note_withheld_privileges(process, &executable);
                self.step_wrapper(thread, &executable);
            }
            self.resume(thread, 0);
        }
    }

    /// Stops tracing a process, which must have one thread, and says so.
    pub(super) fn leave_unseen(
        &mut self,
        thread: u32,
        process: u32,
        executable: &Path,
        why: &str,
        remedy: Option<&str>,
    ) {
        let part = format!(
            "{} (process {process}) and what it starts",
            executable.display()
        );
        match calls::detach(thread, 0) {
            Ok(()) => {
                self.gaps.add(part, why, remedy);
                self.tree.remove_process(process);
            }
            Err(_) => self.resume(thread, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debuggers_are_known_by_name_and_version() {
        for path in [
            "/usr/bin/gdb",
            "/usr/bin/strace",
            "/opt/bin/lldb-14",
            "/usr/lib/lldb-server-14.0.6",
        ] {
            assert!(is_tracer(Path::new(path)), "{path}");
        }
        for path in [
            "/usr/bin/python3.11",
            "/usr/bin/gdbx",
            "/usr/bin/gdb/python",
            "",
            "/usr/bin/rrd-14",
        ] {
            assert!(!is_tracer(Path::new(path)), "{path}");
        }
    }
}
