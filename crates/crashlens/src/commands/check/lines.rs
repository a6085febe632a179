//! A line of JSON for each file, as soon as it was read: so that any engine can share the work out. What is known only
//! when all were read, and what could not be looked at, comes behind in lines of another form, which have no `path`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use crashlens_core::capture::Gap;
use crashlens_core::files::{FileFacts, FileFinding, Forecast};
use crashlens_core::hazard::Hazard;
use serde::Serialize;

use crate::cli::ReportArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::harmless;
use crate::report::Format;
use crate::saved::make_private;

/// Name and version of the form of a line about one file; there is one for each.
const FILE: &str = "crashlens.file/1";
/// Of a line about the set, with the files that take part in `files`: a finding as the report has it.
const SET: &str = "crashlens.set/1";
/// Of a line about what could not be looked at.
const GAP: &str = "crashlens.gap/1";

#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    #[serde(flatten)]
    facts: &'a FileFacts,
    findings: &'a [FileFinding],
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<Forecast>,
}

#[derive(Serialize)]
struct Whole<'a, T> {
    schema: &'static str,
    #[serde(flatten)]
    what: &'a T,
}

/// Where the lines go.
pub(super) struct Lines {
    out: BufWriter<Box<dyn Write>>,
    name: String,
}

impl Lines {
    /// Where lines were asked for.
    pub(super) fn open(args: &ReportArgs) -> Result<Option<Self>, Failure> {
        if args.format != Format::Jsonl {
            return Ok(None);
        }
        let (out, name): (Box<dyn Write>, String) = match &args.output {
            None => (Box::new(io::stdout().lock()), "standard output".to_owned()),
            Some(path) => (Box::new(create(path)?), path.display().to_string()),
        };
        Ok(Some(Self {
            out: BufWriter::new(out),
            name,
        }))
    }

    pub(super) fn write(
        &mut self,
        facts: &FileFacts,
        findings: &[FileFinding],
        forecast: Option<Forecast>,
    ) -> Result<(), Failure> {
        let line = Line {
            schema: FILE,
            facts,
            findings,
            forecast,
        };
        self.write_line(&line)
    }

    /// What was found in the set when all its files were read.
    pub(super) fn write_finding(&mut self, what: &Hazard) -> Result<(), Failure> {
        self.write_line(&Whole { schema: SET, what })
    }

    /// What could not be looked at.
    pub(super) fn write_gap(&mut self, what: &Gap) -> Result<(), Failure> {
        self.write_line(&Whole { schema: GAP, what })
    }

    fn write_line(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let written = serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(self.out, "{}", harmless::json(&line)));
        written.map_err(|error| self.failed(&error))
    }

    pub(super) fn close(mut self) -> Result<(), Failure> {
        let closed = self.out.flush();
        match closed.map_err(|error| self.failed(&error)) {
            Err(failure) if failure.status != ExitStatus::Success => Err(failure),
            _ => Ok(()),
        }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::writing(&self.name, error, ExitStatus::NoReport)
    }
}

fn create(path: &PathBuf) -> Result<File, Failure> {
    let created = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path);
    let file = created.map_err(|error| {
        Failure::writing(&path.display().to_string(), &error, ExitStatus::NoReport)
    })?;
    if file.metadata().is_ok_and(|known| known.is_file()) {
        // Where the file is that of another user, who may read it is for that user to decide.
        let _ = make_private(&file);
    }
    Ok(file)
}
