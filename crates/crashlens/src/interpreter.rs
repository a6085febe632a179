//! Which interpreter a process was started as.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crashlens_core::{CaptureSource, Death};

/// How a process was started.
struct Start<'a> {
    /// The first word of its command line.
    command: Option<&'a str>,
    working_directory: Option<&'a Path>,
    variables: Option<&'a BTreeMap<String, String>>,
}

/// The interpreter of a process of Python that died here.
pub(crate) fn of_death(death: &Death) -> Option<PathBuf> {
    let surroundings = &death.environment;
    let executable = PathBuf::from(surroundings.executable.as_ref()?);
    let is_python = surroundings.python.is_some() || is_called_python(&executable);
    if death.source != CaptureSource::Process || !is_python || !executable.is_file() {
        return None;
    }
    let start = Start {
        command: death.command.first().map(String::as_str),
        working_directory: surroundings.working_directory.as_deref().map(Path::new),
        variables: surroundings.variables.as_ref(),
    };
    start.name_of(executable)
}

/// The interpreter of a process that runs.
pub(crate) fn of_process(pid: u32) -> Option<PathBuf> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
    let first = command.split(|byte| *byte == 0).next().unwrap_or_default();
    let working_directory = std::fs::read_link(process.join("cwd")).ok();
    let variables = variables_of(&process);
    let start = Start {
        command: std::str::from_utf8(first).ok(),
        working_directory: working_directory.as_deref(),
        variables: Some(&variables),
    };
    start.name_of(std::fs::read_link(process.join("exe")).ok()?)
}

fn is_called_python(executable: &Path) -> bool {
    let name = executable.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("python")
}

/// The few that say where a program was found.
fn variables_of(process: &Path) -> BTreeMap<String, String> {
    let all = std::fs::read(process.join("environ")).unwrap_or_default();
    let pairs = all.split(|byte| *byte == 0).filter_map(|pair| {
        let (name, value) = std::str::from_utf8(pair).ok()?.split_once('=')?;
        matches!(name, "PATH" | "VIRTUAL_ENV" | "CONDA_PREFIX")
            .then(|| (name.to_owned(), value.to_owned()))
    });
    pairs.collect()
}

impl Start<'_> {
    /// The name that the executable was started by. The kernel only keeps the file at the end of all links, which is not
    /// part of a virtual environment; so the first name that leads to that file is taken. Where the file has been
    /// replaced since, a name is all there is.
    fn name_of(&self, executable: PathBuf) -> Option<PathBuf> {
        let candidates = self.candidates();
        let Ok(real) = executable.canonicalize() else {
            return candidates.into_iter().find(|path| path.is_file());
        };
        let leads_there = |path: &PathBuf| path.canonicalize().is_ok_and(|target| target == real);
        let name = candidates.into_iter().find(leads_there);
        Some(name.unwrap_or(executable))
    }

    /// Names that the process may have been started by, the likeliest first.
    fn candidates(&self) -> Vec<PathBuf> {
        let variable = |name: &str| self.variables?.get(name);
        let mut candidates = Vec::new();
        if let Some(command) = self.command {
            if command.contains('/') {
                let folder = self.working_directory.unwrap_or(Path::new("/"));
                candidates.push(folder.join(command));
            } else {
                let path = variable("PATH").map_or("", String::as_str);
                let folders = path.split(':').filter(|folder| folder.starts_with('/'));
                candidates.extend(folders.map(|folder| Path::new(folder).join(command)));
            }
        }
        let prefix = variable("VIRTUAL_ENV").or_else(|| variable("CONDA_PREFIX"));
        candidates.extend(prefix.map(|prefix| Path::new(prefix).join("bin/python")));
        candidates
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_link_in_a_virtual_environment_is_taken_for_the_file_it_leads_to() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (
            place.path().join("python3.11"),
            place.path().join("venv/bin/python"),
        );
        fs::write(&real, "").unwrap();
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&real, &link).unwrap();
        let folder = link.parent().unwrap().display().to_string();
        let variables = BTreeMap::from([("PATH".to_owned(), format!("/nowhere:{folder}"))]);
        for command in ["python", "venv/bin/python"] {
            let start = Start {
                command: Some(command),
                working_directory: Some(place.path()),
                variables: Some(&variables),
            };
            assert_eq!(start.name_of(real.clone()), Some(link.clone()), "{command}");
            let replaced = place.path().join("python3.11 (deleted)");
            assert_eq!(start.name_of(replaced), Some(link.clone()), "{command}");
        }
    }

    #[test]
    fn a_process_that_gave_itself_another_name_is_known_by_its_file() {
        let here = of_process(std::process::id()).unwrap();
        assert_eq!(here, std::env::current_exe().unwrap());
        let start = Start {
            command: Some("worker 3 of 8"),
            working_directory: None,
            variables: None,
        };
        assert_eq!(start.name_of(here.clone()), Some(here));
    }
}
