//! Versions of cuDNN, as it writes them and as packages are named.

use crate::remedy::{Command, Pip};

/// `5.1.10` of `5110`, as cuDNN numbers itself in its header up to version 8; `9.8.0` stays.
pub(super) fn readable(version: &str) -> String {
    let version = version.trim_end_matches('.');
    let Ok(number) = version.parse::<u32>() else {
        return version.to_owned();
    };
    format!("{}.{}.{}", number / 1000, number / 100 % 10, number % 100)
}

pub(super) fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}

pub(super) fn major_and_minor(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// NVIDIA's packages: cuDNN 8 up to 8.8 went with CUDA 11, 8.9 and 9 with CUDA 12. Before, there were none.
pub(super) fn install_command(built: &str) -> Option<Command> {
    let mut numbers = built
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or_default());
    let (major, minor) = (
        numbers.next().unwrap_or_default(),
        numbers.next().unwrap_or_default(),
    );
    let range = format!(">={major}.{minor},<{}", major + 1);
    match (major, minor) {
        (8, ..9) => Pip::install([format!("nvidia-cudnn-cu11{range}")]).map(Command::Pip),
        (8.., _) => Pip::install([format!("nvidia-cudnn-cu12{range}")]).map(Command::Pip),
        _ => Some(format!("conda install 'cudnn{range}'").into()),
    }
}
