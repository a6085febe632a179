//! A line of JSON for each file, as soon as it was read: so that any engine can share the work out.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use crashlens_core::files::{FileFacts, FileFinding, Forecast};
use serde::Serialize;

use crate::cli::{CheckFormat, CheckReportArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// Name and version of the form of a line.
const SCHEMA: &str = "crashlens.file/1";

#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    #[serde(flatten)]
    facts: &'a FileFacts,
    findings: &'a [FileFinding],
    #[serde(skip_serializing_if = "Option::is_none")]
    forecast: Option<Forecast>,
}

/// Where the lines go.
pub(super) struct Lines {
    out: BufWriter<Box<dyn Write>>,
    name: String,
}

impl Lines {
    /// Where lines were asked for.
    pub(super) fn open(args: &CheckReportArgs) -> Result<Option<Self>, Failure> {
        if args.format != CheckFormat::Jsonl {
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
            schema: SCHEMA,
            facts,
            findings,
            forecast,
        };
        let written = serde_json::to_writer(&mut self.out, &line)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(self.out));
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
    File::create(path).map_err(|error| {
        Failure::writing(&path.display().to_string(), &error, ExitStatus::NoReport)
    })
}
