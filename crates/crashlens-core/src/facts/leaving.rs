//! Questions about a process that was leaving when it died.

use super::{Facts, NativeSight};
use crate::capture::FrameTrust;
use crate::culprit::{CodeOwner, owner};
use crate::phase::EXIT_FUNCTIONS;

/// Further functions below which only what ends a process runs: of other systems, and such as run for a library too.
const LEAVING: [&str; 20] = [
    "__GI_exit",
    "quick_exit",
    "_dl_call_fini",
    "dl_fini",
    "__call_exit_handlers",
    "call_ll_exitfuncs",
    "atexit_callfuncs",
    "wait_for_thread_shutdown",
    "interpreter_clear",
    "finalize_interp_clear",
    "_PyGILState_Fini",
    "doExitHandlers",
    "RtlExitUserProcess",
    "LdrShutdownProcess",
    "_execute_onexit_table",
    "__cxa_finalize",
    "__cxa_finalize_ranges",
    "_PyImport_Cleanup",
    "PyImport_Cleanup",
    "PyInterpreterState_Delete",
];
/// Methods by which a worker of a framework ends itself on request.
const WORKER_LEAVES: [&str; 4] = [
    "CoreWorker::Disconnect",
    "CoreWorker::ForceExit",
    "CoreWorker::Exit",
    "CoreWorker::Shutdown",
];
/// By these the interpreter ends a thread that comes back to it when it is leaving.
const ENDS_THREAD: [&str; 4] = [
    "PyThread_exit_thread",
    "pthread_exit",
    "__pthread_unwind",
    "unwind_cleanup",
];

impl<'a> Facts<'a> {
    /// Whether the interpreter had begun to take itself apart, as its own records say.
    pub fn is_finalizing(&self) -> bool {
        let python = self.capture().environment.python.known();
        python.and_then(|python| python.finalizing) == Some(true)
    }

    /// The frame of the crashed thread that shows that this thread was leaving.
    pub fn leaving_frame(&self) -> Option<NativeSight<'a>> {
        let named = self
            .native_frames()
            .filter(|sight| sight.frame.trust < FrameTrust::Scan)
            .find(|sight| {
                let name = plain(sight.function());
                EXIT_FUNCTIONS.contains(&name)
                    || LEAVING.contains(&name)
                    || WORKER_LEAVES.iter().any(|it| name.ends_with(it))
            });
        named.or_else(|| self.final_collection())
    }

    /// The frame by which the interpreter ended the crashed thread because it was leaving.
    pub fn ended_thread_frame(&self) -> Option<NativeSight<'a>> {
        self.native_frames()
            .find(|sight| ENDS_THREAD.contains(&plain(sight.function())))
    }

    /// Whether lines of the user's own code run on the crashed thread, other than what Python calls for an object
    /// that goes away.
    pub fn own_code_runs(&self) -> bool {
        let frames: Vec<_> = self.python_frames().collect();
        let goes_away = frames
            .iter()
            .any(|(_, frame)| frame.function.ends_with("__del__"));
        !goes_away
            && frames
                .iter()
                .any(|(_, frame)| matches!(owner(&frame.file), CodeOwner::User | CodeOwner::Text))
    }

    /// The interpreter's last collection of garbage: called by its main function, with no Python code between.
    fn final_collection(&self) -> Option<NativeSight<'a>> {
        let frames: Vec<_> = self.native_frames().collect();
        let collection = frames.iter().position(|sight| {
            matches!(
                plain(sight.function()),
                "PyGC_Collect" | "_PyGC_CollectNoFail"
            )
        })?;
        let outer = frames.get(collection..)?;
        let runs_code = outer.iter().any(|sight| sight.function().contains("Eval"));
        let is_main = outer.iter().any(|sight| {
            matches!(
                plain(sight.function()),
                "Py_Main" | "Py_RunMain" | "Py_BytesMain"
            )
        });
        (is_main && !runs_code).then(|| frames.get(collection).cloned())?
    }
}

/// The name of a C function without arguments, version or the compiler's suffix.
fn plain(function: &str) -> &str {
    function
        .split(['(', '.', '@', '+', ' '])
        .next()
        .unwrap_or_default()
}
