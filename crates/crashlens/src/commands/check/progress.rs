//! A progress bar for those who have waited half a second.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crashlens_inspect::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Nobody is shown a bar for less.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on standard error that appears when the work takes long, and leaves nothing behind.
pub(super) struct PatientBar {
    bar: ProgressBar,
    began: Instant,
    /// Set once it is shown, or where it never will be: no terminal is there to show it.
    is_settled: AtomicBool,
}

impl PatientBar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::hidden();
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}") {
            bar.set_style(style);
        }
        bar.set_message("Reading native files");
        Self {
            bar,
            began: Instant::now(),
            is_settled: AtomicBool::new(!std::io::stderr().is_terminal()),
        }
    }
}

impl PatientBar {
    fn show_if_late(&self) {
        if self.began.elapsed() >= PATIENCE && !self.is_settled.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Progress for PatientBar {
    fn begin(&self, files: u64) {
        self.bar.set_length(files);
    }

    fn advance(&self) {
        self.bar.inc(1);
        self.show_if_late();
    }
}

/// The same for a scan: bytes, their rate, and when it will be done.
pub(super) struct ScanBar(PatientBar);

impl ScanBar {
    pub(super) fn new() -> Self {
        let bar = PatientBar::new();
        let template = "{msg} {bar:24} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.bar.set_style(style);
        }
        bar.bar.set_message("Reading");
        bar.bar.set_length(0);
        Self(bar)
    }
}

impl crashlens_files::Progress for ScanBar {
    fn found(&self, size: u64) {
        self.0.bar.inc_length(size);
    }

    fn read(&self, size: u64) {
        self.0.bar.inc(size);
        self.0.show_if_late();
    }
}

impl Drop for PatientBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
