//! Commands that change what is installed.

use std::fmt;

use super::Place;
use crate::capture::System;
use crate::shell;
use crate::survey::PackageTool;

/// One or more calls of pip, or of what an environment uses instead. Every word of it can be one of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pip {
    /// Where; `None` before that is known.
    pub(super) place: Option<Place>,
    /// For which shell.
    pub(super) system: System,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    verb: Verb,
    options: Vec<String>,
    /// Not quoted yet: shells differ.
    what: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Install,
    Uninstall,
}

impl Pip {
    /// Installs requirements: `keras>=3.5`. `None` without any, and where one cannot be a word of a shell.
    pub fn install<W: AsRef<str>>(requirements: impl IntoIterator<Item = W>) -> Option<Self> {
        let words = requirements.into_iter().map(|it| {
            let word = it.as_ref();
            shell::word(word).map(|_| word.to_owned())
        });
        Self::of(Verb::Install, words.collect::<Option<_>>()?)
    }

    /// Installs the newest version of a package.
    pub fn upgrade(name: &str) -> Option<Self> {
        Some(Self::install([shell::package(name)?])?.with("--upgrade"))
    }

    /// Builds a package from its source and installs that.
    pub fn build(name: &str) -> Option<Self> {
        let name = shell::package(name)?;
        let pip = Self::install([name])?.with("--force-reinstall");
        Some(pip.with("--no-deps").option(&format!("--no-binary {name}")))
    }

    /// Whether both change the same packages in the same way, whatever the options.
    pub(crate) fn is_same_change(&self, other: &Self) -> bool {
        let changes = |pip: &Self| -> Vec<_> {
            pip.steps
                .iter()
                .map(|step| (step.verb, step.what.clone()))
                .collect()
        };
        changes(self) == changes(other)
    }

    /// How many options it has.
    pub(crate) fn options(&self) -> usize {
        self.steps.iter().map(|step| step.options.len()).sum()
    }

    /// Removes packages. `None` without any, and where one cannot be the name of a package.
    pub fn uninstall<W: AsRef<str>>(names: impl IntoIterator<Item = W>) -> Option<Self> {
        let names = names.into_iter();
        let names = names.map(|it| shell::package(it.as_ref()).map(str::to_owned));
        Self::of(Verb::Uninstall, names.collect::<Option<_>>()?)
    }

    fn of(verb: Verb, what: Vec<String>) -> Option<Self> {
        let step = Step {
            verb,
            options: Vec::new(),
            what,
        };
        (!step.what.is_empty()).then(|| Self {
            place: None,
            system: System::Linux,
            steps: vec![step],
        })
    }

    /// With an option of pip.
    #[must_use]
    pub fn with(self, option: &'static str) -> Self {
        self.option(option)
    }

    fn option(mut self, option: &str) -> Self {
        for step in &mut self.steps {
            step.options.push(option.to_owned());
        }
        self
    }

    /// With `next` after it, where it worked.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        self.steps.extend(next.steps);
        self
    }
}

/// Packages that have the same name on PyPI and conda-forge.
const SAME_IN_CONDA: [&str; 12] = [
    "h5py",
    "jax",
    "jaxlib",
    "keras",
    "numba",
    "numpy",
    "pandas",
    "pillow",
    "protobuf",
    "scikit-learn",
    "scipy",
    "tensorflow",
];

impl Pip {
    /// The folder of the conda environment, where conda installed all of these packages and can install others: pip would
    /// replace their files, and conda would not know. It removes what depends on a package as well, and knows no extras
    /// (`a[b]`), so that is left to pip.
    fn conda(&self) -> Option<&str> {
        let place = self.place.as_ref()?;
        let is_for_conda = |step: &Step| {
            let mut words = step.what.iter();
            step.verb == Verb::Install
                && step.options.is_empty()
                && words.all(|it| !it.contains('[') && place.has_from_conda(it, &SAME_IN_CONDA))
        };
        place
            .conda
            .as_deref()
            .filter(|_| self.steps.iter().all(is_for_conda))
    }

    /// Whether `system` has a shell in which every word can be written.
    pub(super) fn works_on(&self, system: System) -> bool {
        let mut words = self.steps.iter().flat_map(|step| &step.what);
        words.all(|word| shell::quoted_for(system, word).is_some())
    }
}

impl fmt::Display for Pip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            if index > 0 {
                f.write_str(" && ")?;
            }
            match self.conda() {
                Some(prefix) => write!(f, "conda install --prefix {prefix}")?,
                None => f.write_str(&step.caller(self.place.as_ref()))?,
            }
            for option in &step.options {
                write!(f, " {option}")?;
            }
            for word in &step.what {
                let quoted = shell::quoted_for(self.system, word);
                write!(f, " {}", quoted.unwrap_or_else(|| shell::quoted(word)))?;
            }
        }
        Ok(())
    }
}

impl Step {
    fn caller(&self, place: Option<&Place>) -> String {
        let verb = match self.verb {
            Verb::Install => "install",
            Verb::Uninstall => "uninstall",
        };
        let Some(place) = place else {
            return format!("pip {verb}");
        };
        let python = &place.python;
        match place.tool {
            PackageTool::Pip | PackageTool::Missing => format!("{python} -m pip {verb}"),
            PackageTool::Refused => format!("{python} -m pip {verb} --break-system-packages"),
            PackageTool::Uv => format!("uv pip {verb} --python {python}"),
        }
    }
}
