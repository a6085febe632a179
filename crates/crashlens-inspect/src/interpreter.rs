//! Finds an interpreter on disk, and the folders it imports from, without running it.
//!
//! Follows what CPython's `getpath` and `site` do at start. What is installed in the folders is `site`'s question here.

pub(crate) mod executable;
mod locate;
pub(crate) mod path_file;
mod pyenv;
pub(crate) mod pyvenv;
mod search_path;
mod version;

use std::path::{Path, PathBuf};

use crashlens_core::Gaps;
use crashlens_core::survey::{Interpreter, InterpreterKind, PackageTool};

use self::pyvenv::Pyvenv;
use self::version::Library;
use crate::distribution::printable_path;
use crate::{Question, SurveyError};

/// Where an interpreter lives.
struct Home {
    /// `sys.prefix`.
    prefix: PathBuf,
    /// `sys.base_prefix`: where its standard library is.
    base: PathBuf,
    /// Set in a virtual environment.
    venv: Option<Pyvenv>,
    /// Its folder of modules: `python3.11`.
    library: Library,
    /// What `PYTHONHOME` names, where no standard library is.
    named_in_vain: Option<PathBuf>,
}

/// The interpreter that is asked about.
pub(crate) fn find(question: &Question, gaps: &mut Gaps) -> Result<Interpreter, SurveyError> {
    let path = locate::executable(question, gaps)?;
    let real_path = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let bytes = executable::Head::read(&real_path);
    let home = Home::of(&path, &real_path, question)
        .ok_or_else(|| SurveyError::NotPython(path.clone()))?;
    let search_path = search_path::folders(&home, question, gaps);
    Ok(Interpreter {
        version: home.full_version(&real_path),
        kind: home.kind(&question.root),
        prefix: home.prefix.display().to_string(),
        sites: search_path
            .folders
            .iter()
            .map(|site| site.display().to_string())
            .collect(),
        architecture: gaps.observe(
            "architecture of the interpreter",
            bytes.and_then(|head| head.architecture()),
        ),
        user_site: search_path.has_user_site,
        tool: home.tool(),
        stranded: home.stranded(),
        lost_home: home.named_in_vain.as_deref().map(printable_path),
        path: path.display().to_string(),
        real_path: real_path.display().to_string(),
    })
}

/// Whether a prefix has a standard library in an archive: `lib/python311.zip`.
fn has_archive(prefix: &Path) -> bool {
    let entries = ["lib", "lib64"].map(|lib| std::fs::read_dir(prefix.join(lib)));
    let mut entries = entries.into_iter().flatten().flatten().take(10_000);
    entries.any(|entry| {
        let name = entry.map(|entry| entry.file_name());
        let name = name.unwrap_or_default();
        let name = name.to_string_lossy();
        name.starts_with("python") && name.ends_with(".zip")
    })
}

impl Home {
    /// `None` where nothing beside the executable is a Python installation.
    fn of(path: &Path, real_path: &Path, question: &Question) -> Option<Self> {
        let folder = path.parent()?;
        // As CPython does: `pyvenv.cfg` is sought beside the path that was called, whose links are not followed.
        let venv = [Some(folder), folder.parent()]
            .into_iter()
            .flatten()
            .find_map(|folder| Pyvenv::read(&folder.join("pyvenv.cfg")));
        let named_home = venv.as_ref().and_then(|venv| venv.home.clone());
        let base_folder = named_home
            .filter(|home| home.is_dir())
            .or_else(|| real_path.parent().map(Path::to_owned))?;
        let python_home = question.variables.get("PYTHONHOME");
        let python_home = python_home
            .and_then(|home| home.split(':').next())
            .filter(|home| !home.is_empty())
            .map(PathBuf::from);
        let at_home = python_home
            .as_deref()
            .map(|home| version::library_of(real_path, home));
        let is_lost = matches!(at_home, Some(None));
        let named_in_vain = python_home.filter(|home| is_lost && !has_archive(home));
        // What is installed can be told all the same.
        let found = at_home
            .flatten()
            .or_else(|| version::library(real_path, &base_folder));
        // The base of an environment may be gone; the environment still says what it was made with.
        let in_venv = venv.as_ref().and_then(|venv| {
            let library = Library::from_version(venv.version.as_deref()?)?;
            Some((folder.parent()?.to_owned(), library))
        });
        let (base, library) = found.or(in_venv)?;
        let prefix = match &venv {
            Some(_) => folder.parent()?.to_owned(),
            None => base.clone(),
        };
        Some(Self {
            prefix,
            base,
            venv,
            library,
            named_in_vain,
        })
    }

    fn kind(&self, root: &Path) -> InterpreterKind {
        if self.venv.is_some() {
            InterpreterKind::Venv
        } else if self.prefix.join("conda-meta").is_dir() {
            InterpreterKind::Conda
        } else if self.prefix == root.join("usr") {
            InterpreterKind::System
        } else {
            InterpreterKind::Other
        }
    }

    /// As the installation itself says; whether there is a pip is for whoever has read the packages.
    fn tool(&self) -> PackageTool {
        let library = self.base.join("lib").join(self.library.folder());
        match &self.venv {
            Some(venv) if venv.is_uvs => PackageTool::Uv,
            None if library.join("EXTERNALLY-MANAGED").is_file() => PackageTool::Refused,
            _ => PackageTool::Pip,
        }
    }

    /// Folders of packages of other versions of Python in a virtual environment that has none of this one.
    fn stranded(&self) -> Vec<String> {
        let lib = self.prefix.join("lib");
        let is_its_own =
            |site: &PathBuf| *site == lib.join(self.library.folder()).join("site-packages");
        let sites = version::libraries(&lib).map(|name| lib.join(name).join("site-packages"));
        let mut sites: Vec<PathBuf> = sites.filter(|site| site.is_dir()).take(10).collect();
        sites.sort();
        if self.venv.is_none() || sites.iter().any(is_its_own) {
            return Vec::new();
        }
        sites
            .iter()
            .map(|site| site.display().to_string())
            .collect()
    }

    /// With the third number, where it can be told.
    fn full_version(&self, real_path: &Path) -> String {
        let recorded = self.venv.as_ref().and_then(|venv| venv.version.clone());
        version::full(&self.base, &self.library, real_path, recorded.as_deref())
    }
}

#[cfg(test)]
mod tests;
