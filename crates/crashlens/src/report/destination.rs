//! Where a report goes, in which form, and when.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use crashlens_core::Report;
use crashlens_core::hazard::Severity;
use crashlens_trace::{FileId, descriptor_of};

use super::format::Format;
use super::patient;
use super::terminal::{
    Columns, Verbosity, View, closes_with_the_environment, write_death, write_end, write_hang,
};
use crate::cli::{CheckReportArgs, Colour, ReportArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::harmless;
use crate::saved::{page_beside, write_within};

/// The number of standard error.
const STDERR: i32 = 2;

/// How long a stream or a FIFO may take what is written of a process that is held.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// The stream a report goes to when no file is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// For reports that are the command's result.
    Stdout,
    /// For reports beside a program's own output.
    Stderr,
    /// A descriptor of a process that is watched from the background, for what that process itself would say.
    Process {
        /// The process.
        id: u32,
        /// Its number there.
        descriptor: i32,
        /// What it has to be. If the number is another file by then, the report goes to standard error of the process.
        /// `None` for whatever has the number.
        file: Option<FileId>,
    },
}

impl Stream {
    /// A descriptor of a process. Standard error is whatever the process makes it; another number, the file that it is now.
    pub(crate) fn of_process(id: u32, descriptor: i32) -> Self {
        let file = (descriptor != STDERR).then(|| FileId::of(id, descriptor));
        let (descriptor, file) = match file {
            Some(Ok(file)) => (descriptor, Some(file)),
            Some(Err(_)) | None => (STDERR, None),
        };
        Self::Process {
            id,
            descriptor,
            file,
        }
    }
}

/// What has just happened in a supervised run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    /// A process died: the last death of the report is news.
    Died,
    /// The tree hangs: the last hang of the report is news.
    Hung,
    /// The run is over: the report is complete.
    Ended,
}

/// Where a report goes and how it looks.
#[derive(Debug)]
pub(crate) struct Destination {
    stream: Stream,
    file: Option<PathBuf>,
    format: Format,
    colour: Colour,
    verbosity: Verbosity,
    /// The least severity that counts as a failure.
    fail_on: Option<Severity>,
    /// What a reader was too slow for while a process was held. The stream is kept with it: that of a process cannot be opened
    /// again when the process is gone.
    unsent: RefCell<Option<(Open, Vec<u8>)>>,
    /// Whether what was found in the environment stands with a death that has been written.
    has_shown_environment: Cell<bool>,
}

impl Destination {
    /// As the arguments say, else to `stream`.
    pub(crate) fn new(args: &ReportArgs, stream: Stream) -> Self {
        let verbosity = Verbosity::of_flags(args.quiet, args.verbose);
        Self {
            stream,
            file: args.output.clone(),
            format: args.format,
            colour: args.color,
            verbosity,
            fail_on: None,
            unsent: RefCell::default(),
            has_shown_environment: Cell::default(),
        }
    }

    /// As the arguments of a check say: findings of this severity are failures.
    pub(crate) fn of_check(args: &CheckReportArgs) -> Self {
        Self {
            fail_on: args.fail_on.severity(),
            ..Self::new(&args.form, Stream::Stdout)
        }
    }

    /// The report as a page: in the file that the arguments name, else beside `file`. `None` where there is neither.
    pub(crate) fn into_page(self, file: Option<&Path>) -> Option<(Self, PathBuf)> {
        let page = self.file.clone().or_else(|| file.map(page_beside))?;
        let destination = Self {
            file: Some(page.clone()),
            format: Format::Html,
            ..self
        };
        Some((destination, page))
    }

    /// Standard output, for what is no report of a death.
    pub(crate) fn on_stdout(colour: Colour) -> Self {
        Self {
            stream: Stream::Stdout,
            file: None,
            format: Format::Text,
            colour,
            verbosity: Verbosity::Folded,
            fail_on: None,
            unsent: RefCell::default(),
            has_shown_environment: Cell::default(),
        }
    }

    /// Refuses a file that cannot be written before hours of work depend on it.
    pub(crate) fn check(&self, status: ExitStatus) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if folder.is_dir() && !file.is_dir() {
            return Ok(());
        }
        let message = format!("cannot write the report to {}", file.display());
        Err(Failure::new(message, status).with_help("Name a file in a folder that exists."))
    }

    /// Writes the whole report.
    pub(crate) fn write(&self, report: &Report, status: ExitStatus) -> Result<(), Failure> {
        self.send(status, None, &|view, out| {
            self.format.write(report, view, out)
        })
    }

    /// Writes what is due: a file is written anew each time, so that a parent that hangs after its child's death loses
    /// nothing; text on a stream goes on where it was; other forms on a stream wait for the end, to be one document.
    pub(crate) fn renew(
        &self,
        report: &Report,
        timing: Timing,
        status: ExitStatus,
    ) -> Result<(), Failure> {
        match (&self.file, self.format, timing) {
            (None, Format::Text, timing) => self.go_on(report, timing, status),
            // A FIFO may have no reader, and the parent of the process would wait with us.
            (Some(_), ..) => self.send(status, Some(PATIENCE), &|view, out| {
                self.format.write(report, view, out)
            }),
            (None, _, Timing::Ended) => self.write(report, status),
            (None, _, Timing::Died | Timing::Hung) => Ok(()),
        }
    }

    /// Writes as text what is new.
    fn go_on(&self, report: &Report, timing: Timing, status: ExitStatus) -> Result<(), Failure> {
        let patience = (timing == Timing::Died).then_some(PATIENCE);
        self.send(status, patience, &|view, out| match (
            timing,
            report.deaths.last(),
            report.hangs.last(),
        ) {
            (Timing::Died, Some(death), _) => {
                if closes_with_the_environment(death) && !report.inspections.is_empty() {
                    self.has_shown_environment.set(true);
                }
                write_death(report, death, view, out)
            }
            (Timing::Hung, _, Some(hang)) => write_hang(hang, view, out),
            (Timing::Ended, ..) => write_end(report, !self.has_shown_environment.get(), view, out),
            (Timing::Died | Timing::Hung, ..) => Ok(()),
        })
    }

    /// The report could not be written to its file: says so, and shows the deaths on standard error, so that hours of
    /// work do not end without a word.
    pub(crate) fn show_instead(&self, report: &Report, failure: &Failure) {
        if self.file.is_none() {
            // Standard error itself failed; there is nobody left to tell.
            return;
        }
        let text = failure.text().unwrap_or_default();
        let _ = io::stderr().write_all(text.as_bytes());
        if !report.deaths.is_empty() || !report.hangs.is_empty() {
            let on_stderr = Self {
                stream: Stream::Stderr,
                file: None,
                format: Format::Text,
                colour: self.colour,
                verbosity: self.verbosity,
                fail_on: self.fail_on,
                unsent: RefCell::default(),
                has_shown_environment: Cell::default(),
            };
            let _ = on_stderr.write(report, failure.status);
        }
    }

    /// Writes what `write` makes, in one piece. With `patience`, a reader that takes longer gets the rest later.
    pub(crate) fn send(
        &self,
        status: ExitStatus,
        patience: Option<Duration>,
        write: &Writing<'_>,
    ) -> Result<(), Failure> {
        // In one piece: the supervised program may be writing to the same terminal.
        let sent = match &self.file {
            Some(file) => self
                .page(None, write)
                .and_then(|text| write_within(patience, file, &mut |out| out.write_all(&text))),
            None => self.send_on(patience, write),
        };
        sent.map_err(|error| Failure::writing(&self.name(), &error, status))
    }

    /// Writes to the stream what it still owes, and what `write` makes.
    fn send_on(&self, patience: Option<Duration>, write: &Writing<'_>) -> io::Result<()> {
        let (stream, mut text) = match self.unsent.take() {
            Some(unsent) => unsent,
            None => (self.open()?, Vec::new()),
        };
        text.extend(self.page(Some(&stream), write)?);
        let rest = patient::write(&stream, &text, patience)?.to_vec();
        if !rest.is_empty() {
            self.unsent.replace(Some((stream, rest)));
        }
        Ok(())
    }

    /// The stream that the report goes to.
    fn open(&self) -> io::Result<Open> {
        Ok(match self.stream {
            Stream::Stdout => Open::Stdout(io::stdout()),
            Stream::Stderr => Open::Stderr(io::stderr()),
            Stream::Process {
                id,
                descriptor,
                file,
            } => {
                let chosen = descriptor_of(id, descriptor);
                let stream = match (chosen, file) {
                    (Ok(chosen), Some(file)) if file.is_written_by(&chosen) => chosen,
                    (_, Some(_)) => descriptor_of(id, STDERR)?,
                    (chosen, None) => chosen?,
                };
                Open::Process(stream.into())
            }
        })
    }

    /// What `write` makes, fit for where it goes.
    fn page(&self, stream: Option<&Open>, write: &Writing<'_>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        write(&self.view(stream), &mut text)?;
        let mut text = self.harmless(&text);
        if !self.has_colour(stream) {
            text = anstream::adapter::strip_bytes(&text).into_vec();
        }
        Ok(text)
    }

    fn harmless(&self, text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(text);
        let harmless = match self.format {
            Format::Json | Format::Jsonl | Format::Sarif => harmless::json(&text),
            Format::Text => harmless::page(&text),
            Format::Md | Format::Html | Format::Junit => harmless::lines(&text),
        };
        harmless.into_owned().into_bytes()
    }

    fn has_colour(&self, stream: Option<&Open>) -> bool {
        match (self.colour, stream) {
            (Colour::Always, _) => true,
            (Colour::Never, _) | (Colour::Auto, None) => false,
            (Colour::Auto, Some(stream)) => stream.has_colour(),
        }
    }

    fn view(&self, stream: Option<&Open>) -> View {
        let size = stream.and_then(terminal_size::terminal_size_of);
        View {
            columns: Columns::new(size.map(|(width, _)| width.0)),
            verbosity: self.verbosity,
            fail_on: self.fail_on,
        }
    }

    fn name(&self) -> String {
        match (&self.file, self.stream) {
            (Some(file), _) => file.display().to_string(),
            (None, Stream::Stdout) => "standard output".to_owned(),
            (None, Stream::Stderr) => "standard error".to_owned(),
            (None, Stream::Process { id, descriptor, .. }) => {
                format!("descriptor {descriptor} of process {id}")
            }
        }
    }
}

/// A stream that is open. Those of ours are not duplicated: even that may be refused to a program.
#[derive(Debug)]
enum Open {
    Stdout(io::Stdout),
    Stderr(io::Stderr),
    Process(File),
}

impl Open {
    fn has_colour(&self) -> bool {
        let choice = match self {
            Self::Stdout(stream) => AutoStream::choice(stream),
            Self::Stderr(stream) => AutoStream::choice(stream),
            Self::Process(stream) => AutoStream::choice(stream),
        };
        choice != ColorChoice::Never
    }
}

impl AsFd for Open {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Stdout(stream) => stream.as_fd(),
            Self::Stderr(stream) => stream.as_fd(),
            Self::Process(stream) => stream.as_fd(),
        }
    }
}

/// Something that writes a report in some form.
pub(crate) type Writing<'a> = dyn Fn(&View, &mut dyn io::Write) -> io::Result<()> + 'a;
