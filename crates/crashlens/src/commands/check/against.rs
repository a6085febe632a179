//! What files are checked against: an environment, and the memory of this machine.

use std::path::{Path, PathBuf};

use crashlens_core::files::Setting;
use crashlens_core::{Gaps, Observed, Survey};

use crate::cli::SurveyArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// The environment of an interpreter, a folder or a running process; the memory in any case.
pub(super) fn setting(against: Option<&str>) -> Result<Setting, Failure> {
    let environment = against.map(environment).transpose()?;
    let machine = match &environment {
        Some(survey) => survey.machine.clone(),
        None => crashlens_trace::machine(&mut Gaps::default()),
    };
    let group = machine.memory_group.known();
    let group = group.and_then(|group| Some(group.limit?.saturating_sub(group.usage.unwrap_or(0))));
    let free = match machine.memory_available {
        Observed::Known(bytes) => Some(bytes),
        Observed::Absent | Observed::Unknown(_) => None,
    };
    Ok(Setting {
        environment,
        memory: [group, free].into_iter().flatten().min(),
        ..Setting::default()
    })
}

fn environment(against: &str) -> Result<Survey, Failure> {
    let python = match against.parse::<u32>() {
        Ok(pid) => interpreter_of(pid)?,
        Err(_) => PathBuf::from(against),
    };
    super::surveying::survey(&SurveyArgs {
        python: Some(python),
        verify: false,
        no_cache: false,
        save: None,
        from: None,
    })
}

/// The interpreter that a process was started as: its first argument knows of a virtual environment, its program does not.
fn interpreter_of(pid: u32) -> Result<PathBuf, Failure> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
    let first = command.split(|byte| *byte == 0).next().unwrap_or_default();
    let first = Path::new(std::str::from_utf8(first).unwrap_or_default());
    let started = std::fs::read_link(process.join("cwd")).map(|folder| folder.join(first));
    let candidates = [
        started.ok().filter(|_| first.components().count() > 1),
        std::fs::read_link(process.join("exe")).ok(),
    ];
    let found = candidates.into_iter().flatten().find(|path| path.is_file());
    found.ok_or_else(|| {
        let message = format!("cannot see which interpreter process {pid} runs");
        Failure::new(message, ExitStatus::NoReport)
            .with_help("Name its interpreter instead: --against PATH.")
    })
}
