//! The order in which an environment is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crashlens_core::{Observed, Survey, secrets};

use crate::{gpu, interpreter, native, site, tensorflow};

/// Which environment is asked about, and how thoroughly.
#[derive(Debug, Clone)]
pub struct Question {
    /// The interpreter; `None` for the active one.
    pub python: Option<PathBuf>,
    /// The environment variables that a program would be started with; a survey keeps those that captures may keep.
    pub variables: BTreeMap<String, String>,
    /// The home folder, where the user may have installed packages. No survey has it among its variables.
    pub home: Option<PathBuf>,
    /// The root of the file system; `/` outside tests.
    pub root: PathBuf,
    /// Whether to count vector instructions: only a processor without AVX makes that worth its time.
    pub count_vectors: bool,
    /// Whether to compare the content of files with the lists of packages, not only their sizes.
    pub verify: bool,
    /// Look only at what a process had loaded; `None` for everything. For a look after a crash.
    pub only: Option<Loaded>,
    /// Where results are kept from one time to the next; `None` to keep nothing.
    pub cache: Option<PathBuf>,
}

/// What a process had loaded.
///
/// Native files beyond these are not read. Lists of files are compared with the disk for their packages and for those that
/// share a name or a folder with them; of all others, native files alone are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Its native files, without links on the way, as the maps of a process name them.
    pub files: BTreeSet<PathBuf>,
    /// Names of the packages that these belong to.
    pub packages: BTreeSet<String>,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            python: None,
            variables: BTreeMap::new(),
            home: None,
            root: PathBuf::from("/"),
            count_vectors: false,
            verify: false,
            only: None,
            cache: None,
        }
    }
}

/// Told how far the reading has come.
pub trait Progress: Sync {
    /// So many native files will be read.
    fn begin(&self, files: u64);
    /// One more was read.
    fn advance(&self);
}

/// Nobody is told.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _files: u64) {}
    fn advance(&self) {}
}

/// Why there is no survey at all.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// No interpreter was named, and none is active.
    #[error(
        "no Python was found: no virtual environment is active and there is no python3 on PATH"
    )]
    NoPython,
    /// The interpreter that was named is not there.
    #[error("{0} is no Python interpreter")]
    NotPython(PathBuf),
    /// The interpreter that was named is a link to something that is gone.
    #[error(
        "{link} leads to {target}, which is not there: the Python that the environment was made with is gone"
    )]
    Gone {
        /// What was named, or found in the folder that was named.
        link: PathBuf,
        /// Where the chain of links ends.
        target: PathBuf,
    },
    /// What was found is a script that would look for an interpreter, and nothing here is run.
    #[error(
        "{0} is a script that starts some Python: name that one with --python (`{0} -c 'import sys; print(sys.executable)'` tells which)"
    )]
    Script(PathBuf),
}

/// Reads an environment into a survey. The machine is left to others, because its facts are not in files alone: it and its
/// gaps are in the survey already, or can be added later.
pub fn survey(
    mut survey: Survey,
    question: &Question,
    progress: &dyn Progress,
) -> Result<Survey, SurveyError> {
    let mut python = interpreter::find(question, &mut survey.gaps)?;
    let installed = site::read(&python, question, &mut survey.gaps);
    python.tool = installed.tool(python.tool);
    survey.tensorflow = tensorflow::traits(&installed, &mut survey.gaps);
    let files = native::read(
        &python,
        &installed,
        &survey.tensorflow,
        question,
        progress,
        &mut survey.gaps,
    );
    survey.gpu = gpu::read(&python, &installed, question, &mut survey.gaps);
    survey.native = files;
    survey.leftovers = installed.leftovers;
    survey.loose_modules = installed.loose;
    survey.distributions = installed.distributions;
    survey.variables = Observed::Known(shown(&question.variables));
    survey.python = Observed::Known(python);
    Ok(survey)
}

/// The variables that may be written down.
fn shown(variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    secrets::visible_variables(
        variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    )
}
