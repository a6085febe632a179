//! What came of the files: told as it comes, put together at the end.

use std::collections::HashSet;
use std::path::Path;

use crashlens_core::files::{
    FileFacts, FileFinding, Gathering, Setting, forecast, hazards_of, is_about_set, judge,
};
use crashlens_core::inspection::{InspectionKind, Lack};
use crashlens_core::{Gap, Inspection, Report};
use crashlens_files::{Purpose, Roots, Seen, list_paths, move_to, unseen_in_stores};

use super::asked::Asked;
use super::lines::Lines;
use super::notes;
use super::scanning::Job;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::lacking;
use crate::saved::write_atomically;

/// What came of the files so far.
pub(super) struct Results<'a> {
    job: &'a Job<'a>,
    setting: Setting,
    gathering: Gathering,
    lines: Option<Lines>,
    /// Paths with findings that count.
    bad: Vec<String>,
    known_bad: HashSet<String>,
    /// What the scan left out.
    unentered: Vec<Gap>,
    pub(super) failure: Option<Failure>,
}

impl<'a> Results<'a> {
    pub(super) fn of(job: &'a Job<'a>, setting: Setting) -> Result<Self, Failure> {
        Ok(Self {
            job,
            setting,
            gathering: Gathering::default(),
            lines: Lines::open(&job.report.form)?,
            bad: Vec::new(),
            known_bad: HashSet::new(),
            unentered: Vec::new(),
            failure: None,
        })
    }

    /// Takes in what a scan has seen; whether to go on.
    pub(super) fn take(&mut self, seen: Seen<'_>) -> bool {
        match seen {
            Seen::File(facts) => self.take_file(facts),
            Seen::Later(facts) => self.take_late(facts),
            Seen::Unentered(unentered) => self.unentered.extend(unentered.gaps()),
        }
        self.failure.is_none()
    }

    fn take_file(&mut self, facts: &FileFacts) {
        let findings = judge(facts, &self.setting);
        self.gathering.add(facts, &findings, &self.setting);
        self.tell(facts, &findings);
    }

    /// What was noticed of a file after it was counted.
    fn take_late(&mut self, facts: &FileFacts) {
        let findings = judge(facts, &self.setting);
        self.gathering.add_late(facts, &findings);
        self.note_if_bad(facts, &findings);
        if let Some(lines) = &mut self.lines {
            let hazards = hazards_of(facts, &findings);
            let written = hazards.iter().try_for_each(|it| lines.write_finding(it));
            self.keep(written);
        }
    }

    fn note_if_bad(&mut self, facts: &FileFacts, findings: &[FileFinding]) {
        let least = self.job.report.fail_on.severity();
        let counts = |it: &FileFinding| Some(it.severity) >= least;
        if least.is_some()
            && findings.iter().any(counts)
            && self.known_bad.insert(facts.path.clone())
        {
            self.bad.push(facts.path.clone());
        }
    }

    fn tell(&mut self, facts: &FileFacts, findings: &[FileFinding]) {
        self.note_if_bad(facts, findings);
        if let Some(lines) = &mut self.lines {
            let is_model = self.job.purpose == Purpose::Model;
            let forecast = is_model.then(|| forecast(facts, self.setting.memory));
            let written = lines.write(facts, findings, forecast.flatten());
            self.keep(written);
        }
    }

    fn keep(&mut self, done: Result<(), Failure>) {
        if let Err(failure) = done {
            self.failure.get_or_insert(failure);
        }
    }

    fn inspection(&self, subject: &str) -> Inspection {
        self.gathering.conclude(self.kind(), subject, &self.setting)
    }

    fn kind(&self) -> InspectionKind {
        match self.job.purpose {
            Purpose::Data => InspectionKind::Data,
            Purpose::Model => InspectionKind::Model,
        }
    }

    fn status(&self, inspection: &Inspection) -> ExitStatus {
        ExitStatus::of_findings(inspection, self.job.report.fail_on.severity())
    }

    pub(super) fn finish(
        mut self,
        destination: &crate::report::Destination,
        asked: &Asked,
    ) -> Result<ExitStatus, Failure> {
        let paths = &asked.paths;
        self.unentered.extend(asked.unentered.gaps());
        let subject = match &self.job.scan.files_from {
            Some(list) if paths.is_empty() && list == Path::new("-") => {
                "the list on standard input".to_owned()
            }
            Some(list) if paths.is_empty() => format!("the list {}", list.display()),
            _ => paths.join(" "),
        };
        let mut inspection = self.inspection(&subject);
        inspection.gaps.extend_from_slice(&self.unentered);
        inspection.gaps.extend(unseen_in_stores(paths));
        let status = self.status(&inspection);
        let undone = self.undone(&subject);
        // The report comes first: whatever becomes of the files, it is not lost.
        if let Some(lines) = self.lines.take() {
            close(lines, &inspection)?;
        } else {
            let report = Report::of_inspections(vec![inspection]);
            told(destination.write(&report, ExitStatus::NoReport))?;
        }
        let listed = match &self.job.scan.quarantine {
            Some(list) => self.list(list),
            None => Ok(true),
        };
        let is_moved = self
            .job
            .move_to
            .is_none_or(|folder| self.move_to(folder, &asked.named));
        let is_listed = listed?;
        if let Some(undone) = &undone {
            notes::tell(&format!("crashlens: {undone}"));
        }
        Ok(if is_listed && is_moved && undone.is_none() {
            status
        } else {
            ExitStatus::NoReport
        })
    }

    /// What was asked for and could not be done at all: a job that never got its data must not pass.
    fn undone(&self, subject: &str) -> Option<String> {
        // A share of a data set may hold nothing but other files; a model is asked for by name.
        let is_undone = |lack: &Lack| {
            *lack == Lack::Files
                || self.kind() == InspectionKind::Model
                // The data may be in what was left out.
                || !self.unentered.is_empty()
        };
        if let Some(lack) = self.gathering.lacks().filter(is_undone) {
            let what = lacking(self.kind(), lack);
            return Some(format!("there was no {what} to check in {subject}"));
        }
        let labels = self.gathering.unchecked_labels(&self.setting);
        let reasons: Vec<String> = labels.iter().map(ToString::to_string).collect();
        let is_none = reasons.is_empty();
        (!is_none).then(|| format!("labels were not checked: {}", reasons.join("; ")))
    }

    /// Lists the bad files and says which could not be; whether all were.
    fn list(&self, list: &Path) -> Result<bool, Failure> {
        let (text, left_out) = list_paths(&self.bad, self.job.scan.path_end());
        write_atomically(list, &mut |out| out.write_all(&text)).map_err(|error| {
            let message = format!("cannot write the list {}: {error}", list.display());
            Failure::new(message, ExitStatus::NoReport)
        })?;
        for path in &left_out {
            notes::tell(&format!(
                "crashlens: {path} is not in {}: its name has a line's end in it; --null lists such names too",
                list.display()
            ));
        }
        Ok(left_out.is_empty())
    }

    /// Moves the bad files and says what came of it; whether all were moved.
    fn move_to(&self, folder: &Path, named: &[String]) -> bool {
        let moved = move_to(folder, &self.bad, &Roots::of(named));
        for reason in &moved.failed {
            notes::tell(&format!("crashlens: {reason}"));
        }
        let files = match moved.count {
            0 => return moved.failed.is_empty(),
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let folder = folder.display().to_string();
        let folder = folder.trim_end_matches('/');
        notes::tell(&format!(
            "Moved {files} to {folder}/, with the same paths below it."
        ));
        moved.failed.is_empty()
    }

    /// Nobody reads any more (`| head`): what was found so far counts.
    pub(super) fn finish_early(&self, failure: Failure) -> Result<ExitStatus, Failure> {
        if failure.status != ExitStatus::Success {
            return Err(failure);
        }
        Ok(self.status(&self.inspection("")))
    }
}

/// Behind the files, what is known of all of them.
fn close(mut lines: Lines, inspection: &Inspection) -> Result<(), Failure> {
    let mut findings = inspection.findings.iter().filter(|it| is_about_set(it));
    told(findings.try_for_each(|it| lines.write_finding(it)))?;
    told(
        inspection
            .gaps
            .iter()
            .try_for_each(|it| lines.write_gap(it)),
    )?;
    lines.close()
}

/// Nobody reading any more (`| head`) is no failure.
fn told(written: Result<(), Failure>) -> Result<(), Failure> {
    match written {
        Err(failure) if failure.status != ExitStatus::Success => Err(failure),
        _ => Ok(()),
    }
}
