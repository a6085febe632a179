//! Standard error of processes that ran before us: where it is a file, its end is read there.
//!
//! The file is opened when a process dies and closed again, also one whose name is gone, as a test runner's that
//! captures output: a descriptor that is kept would keep the file, and with a pipe its reader would wait for us.

use std::cell::RefCell;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;

use crashlens_core::{Gaps, Observed, Tail};

use super::on_disk::OnDisk;

const PART: &str = "the end of standard error";
/// More than a program that is joined has deaths to report.
const MOST_REPORTS: usize = 100;

/// What identifies a file.
type FileId = (u64, u64);

/// What must not be taken for words of the program.
pub(super) struct Joined {
    main: u32,
    /// The file that the main process appended to when we came, and its length: before that, others may have written.
    appended_to: Option<(FileId, u64)>,
    reports: RefCell<Vec<(FileId, Range<u64>)>>,
}

impl Joined {
    pub(super) fn with(main: u32) -> Self {
        let appended_to = StandardError::of(main)
            .ok()
            .filter(|stderr| stderr.appends)
            .map(|stderr| (stderr.id, stderr.length));
        Self {
            main,
            appended_to,
            reports: RefCell::default(),
        }
    }

    /// The last lines in the file that is the standard error of the process.
    pub(super) fn tail(&self, process: u32, gaps: &mut Gaps) -> Observed<Tail> {
        let tail = StandardError::of(process).and_then(|stderr| {
            let start = self.start_in(&stderr)?;
            let reports = self.reports.borrow();
            let ours = reports.iter().filter(|(id, _)| *id == stderr.id);
            let file = OnDisk {
                start,
                reports: RefCell::new(ours.map(|(_, range)| range.clone()).collect()),
                file: stderr.file,
            };
            file.tail().map_err(|error| error.to_string())
        });
        gaps.observe(PART, tail)
    }

    fn start_in(&self, stderr: &StandardError) -> Result<u64, String> {
        match self.appended_to {
            _ if !stderr.appends => Ok(0),
            Some((id, length)) if id == stderr.id => Ok(length),
            _ => Err("it is appended to a file that others may have written to before".to_owned()),
        }
    }

    /// Remembers what is written meanwhile as a report.
    pub(super) fn beside(&self, report: impl FnOnce()) {
        let before = StandardError::of(self.main);
        report();
        let after = StandardError::of(self.main);
        let mut reports = self.reports.borrow_mut();
        if let (Ok(before), Ok(after)) = (before, after)
            && before.id == after.id
            && before.length < after.length
            && reports.len() < MOST_REPORTS
        {
            reports.push((before.id, before.length..after.length));
        }
    }
}

/// The regular file that is descriptor 2 of a process.
struct StandardError {
    file: File,
    id: FileId,
    length: u64,
    appends: bool,
}

impl StandardError {
    /// Or why there is none to read. Nothing but a regular file is opened: opening a device or a pipe may have effects.
    fn of(process: u32) -> Result<Self, String> {
        let path = format!("/proc/{process}/fd/2");
        let known = std::fs::metadata(&path).map_err(|error| error.to_string())?;
        if !known.is_file() {
            return Err(
                "the process was already running, and its output goes elsewhere".to_owned(),
            );
        }
        let file = File::open(&path).map_err(|error| error.to_string())?;
        let known = file.metadata().map_err(|error| error.to_string())?;
        let flags = std::fs::read_to_string(format!("/proc/{process}/fdinfo/2"));
        let flags = flags.map_err(|error| error.to_string())?;
        Ok(Self {
            id: (known.dev(), known.ino()),
            length: known.len(),
            appends: appends(&flags),
            file,
        })
    }
}

/// Whether writes go to the end of the file, whatever is there; from `/proc/PID/fdinfo/N`. What is not known is not trusted.
fn appends(fdinfo: &str) -> bool {
    let flags = fdinfo.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    flags.is_none_or(|flags| flags & libc::O_APPEND != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_appended_to_unless_its_flags_say_otherwise() {
        assert!(!appends("pos:\t12\nflags:\t0100001\nmnt_id:\t25\n"));
        assert!(appends("pos:\t12\nflags:\t0102001\n"));
        assert!(appends("pos:\t12\nflags:\tx\n"));
        assert!(appends(""));
    }
}
