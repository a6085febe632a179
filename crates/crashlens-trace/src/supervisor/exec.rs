//! A tracee becomes another program.

use super::Supervisor;

impl Supervisor<'_> {
    /// A thread called `exec`: it is now the only one of its process, under the process's id.
    pub(super) fn became_another_program(&mut self, thread: u32, process: u32) {
        self.tree.became_another_program(process);
        if process == self.main {
            self.began = true;
        }
        self.resume(thread, 0);
    }

    /// A thread enters or leaves a system call.
    pub(super) fn system_call(&mut self, thread: u32, _process: u32) {
        self.resume(thread, 0);
    }
}
