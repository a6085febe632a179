//! `Report`: what every renderer receives, and the JSON other tools depend on.
//!
//! Made from captures alone. Fields are only ever added. A fact that could not be observed is null
//! here, and the gap that explains it is in `gaps`.

mod death;
mod hang;
pub mod page;
mod surroundings;
mod threads;

use serde::{Deserialize, Serialize};

use crate::capture::{CrashCapture, EndingKind, Gap, Role};
use crate::diagnosis::{HazardRef, Judgement};
use crate::hazard::Hazard;
use crate::inspection::Inspection;
use crate::known_issues::KnownIssues;

pub use death::Death;
pub use hang::Hang;
pub use surroundings::{Machine, Memory, Surroundings, Words};
pub use threads::ThreadReport;

/// Name and version of the JSON form.
pub const SCHEMA: &str = "crashlens.report/1";

/// What is known after a run, a look at a process, or of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// Always `crashlens.report/1`.
    pub schema: String,
    /// Version of crashlens that made the report.
    pub crashlens: String,
    /// The run as a whole.
    pub run: Run,
    /// Every process that died, in order of death; empty after an ordinary end.
    pub deaths: Vec<Death>,
    /// Every time the tree made no progress, where that was looked for.
    #[serde(default)]
    pub hangs: Vec<Hang>,
    /// Inspections of files and environments.
    pub inspections: Vec<Inspection>,
}

/// The run as a whole. What a capture file or a core cannot tell is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Run {
    /// Command line, secrets masked.
    pub argv: Vec<String>,
    /// Exit code as the caller of crashlens sees it: the program's own, or 128+N for signal N; null while it runs.
    pub exit_code: Option<i32>,
    /// Status as `waitpid` gave it.
    pub wait_status: Option<i32>,
    /// From start to end.
    pub duration_seconds: Option<f64>,
    /// How much could be seen.
    pub supervision: Option<Supervision>,
    /// Processor time that crashlens itself used.
    pub own_cpu_seconds: Option<f64>,
    /// What could not be seen of the run as a whole.
    pub gaps: Vec<Gap>,
}

/// How much of a run could be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Supervision {
    /// Everything: the process tree was traced.
    Traced,
    /// Tracing was refused; only outside evidence.
    Degraded,
}

impl Report {
    /// The report of a run that saw `captures`, in order of death.
    pub fn new<'a>(run: Run, captures: impl IntoIterator<Item = &'a CrashCapture>) -> Self {
        Self::of_deaths(run, captures.into_iter().map(Death::new).collect())
    }

    /// The report of a run whose deaths are described already.
    pub fn of_deaths(run: Run, deaths: Vec<Death>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            crashlens: env!("CARGO_PKG_VERSION").to_owned(),
            run,
            deaths,
            hangs: Vec::new(),
            inspections: Vec::new(),
        }
    }

    /// The report of a check, without any death.
    pub fn of_inspections(inspections: Vec<Inspection>) -> Self {
        Self {
            inspections,
            ..Self::of_deaths(Run::default(), Vec::new())
        }
    }

    /// The report of one capture, when nothing else is known of the run.
    pub fn of_capture(capture: &CrashCapture) -> Self {
        Self::judged_by(capture, KnownIssues::built_in())
    }

    /// The report of one capture, judged with what is known of published versions.
    pub fn judged_by(capture: &CrashCapture, issues: &KnownIssues) -> Self {
        let death = Death::judged_by(capture, issues);
        Self::of_deaths(Run::of_capture(capture), vec![death])
    }
}

impl Report {
    /// Adds an inspection of the environment that the deaths `is_there` of happened in, and concludes on those with it.
    /// There is a judgement for each death, in the same order.
    pub fn add_environment(
        &mut self,
        inspection: Inspection,
        judgements: &[Judgement],
        is_there: impl Fn(&Death) -> bool,
    ) {
        let index = self.inspections.len();
        for (death, judgement) in self.deaths.iter_mut().zip(judgements) {
            if is_there(death) {
                death.learn(judgement, &inspection, index);
            }
        }
        self.inspections.push(inspection);
    }

    /// The findings of an inspection that are related to a death, in their order.
    pub fn related_to_deaths(&self, index: usize) -> impl Iterator<Item = &Hazard> {
        let is_related = move |finding: usize| {
            let hazard = HazardRef {
                inspection: index,
                finding,
            };
            let mut deaths = self.deaths.iter();
            deaths.any(|death| death.diagnosis.hazards.contains(&hazard))
        };
        let findings = self.inspections.get(index).into_iter();
        let findings = findings.flat_map(|it| it.findings.iter().enumerate());
        findings
            .filter(move |(finding, _)| is_related(*finding))
            .map(|(_, hazard)| hazard)
    }
}

impl Run {
    /// As much of the run as the capture of one of its processes tells.
    fn of_capture(capture: &CrashCapture) -> Self {
        let ending = &capture.ending;
        let is_main = capture.process.role == Role::Main;
        let exit_code = match ending.kind {
            EndingKind::Exit => ending.exit_code,
            EndingKind::Signal | EndingKind::OomKill => ending.signal.map(|signal| 128 + signal.0),
            EndingKind::Running | EndingKind::Stopped | EndingKind::Unknown => None,
        };
        Self {
            argv: if is_main {
                capture.process.command.clone()
            } else {
                Vec::new()
            },
            exit_code: exit_code.filter(|_| is_main),
            wait_status: ending.wait_status.filter(|_| is_main),
            ..Self::default()
        }
    }
}

#[cfg(test)]
#[path = "report/tests.rs"]
mod tests;
