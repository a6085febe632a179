//! What files are checked against: an environment, and the memory of this machine.

use std::path::PathBuf;

use crashlens_core::files::Setting;
use crashlens_core::{Gaps, Observed, Survey};

use super::surveying::{Wanted, survey};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::interpreter;

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
        Ok(pid) => interpreter::of_process(pid).ok_or_else(|| unseen(pid))?,
        Err(_) => PathBuf::from(against),
    };
    survey(Wanted {
        python: Some(python),
        verify: false,
        uses_cache: true,
    })
}

fn unseen(pid: u32) -> Failure {
    let message = format!("cannot see which interpreter process {pid} runs");
    Failure::new(message, ExitStatus::NoReport)
        .with_help("Name its interpreter instead: --against PATH.")
}
