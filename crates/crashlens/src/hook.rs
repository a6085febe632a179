//! `--on-death`: a command of the user's that runs while the dead process is still there.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crashlens_core::{Death, Report};
use tempfile::TempPath;

use crate::report::Format;
use crate::saved::make_private;

/// How long the command is waited for. Then the process is released, and the command goes on alone.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pauses between looks at the command, at first and later.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];

/// The command.
#[derive(Debug)]
pub(crate) struct Hook(String);

impl Hook {
    pub(crate) fn new(command: String) -> Self {
        Self(command)
    }

    /// Runs it for the last death of the report. What cannot be done is left: the report itself has been written.
    pub(crate) fn run(&self, report: &Report) {
        let Some(death) = report.deaths.last() else {
            return;
        };
        if let Ok(file) = write_report(report)
            && let Ok(mut child) = self.start(death, &file)
            && !ends_soon(&mut child)
        {
            // The command may read it later.
            let _ = file.keep();
        }
    }

    fn start(&self, death: &Death, report: &TempPath) -> io::Result<Child> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &self.0])
            .env("CRASHLENS_REPORT", report)
            .env("CRASHLENS_PID", death.pid.to_string())
            .stdin(Stdio::null())
            // Standard output is for the words of the program alone.
            .stdout(io::stderr());
        match &death.saved {
            Some(path) => command.env("CRASHLENS_CAPTURE", PathBuf::from(path)),
            None => command.env_remove("CRASHLENS_CAPTURE"),
        };
        command.spawn()
    }
}

fn write_report(report: &Report) -> io::Result<TempPath> {
    let mut file = tempfile::Builder::new()
        .prefix("crashlens-")
        .suffix(".json")
        .tempfile()?;
    make_private(file.as_file())?;
    Format::write_json(report, file.as_file_mut())?;
    Ok(file.into_temp_path())
}

/// Whether the command ends before patience does.
fn ends_soon(child: &mut Child) -> bool {
    let begin = Instant::now();
    let mut pause = PAUSES[0];
    while begin.elapsed() < PATIENCE {
        // An error means that its end was seen elsewhere.
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(PAUSES[1]);
    }
    false
}
