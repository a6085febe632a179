//! The Python line to name, and whose code a Python file is.

use super::PythonLine;
use crate::capture::{CrashCapture, EndingKind, Frame, PythonFrame, Thread};
use crate::contexts;

/// Folders into which packages are installed.
const PACKAGE_FOLDERS: [&str; 2] = ["site-packages/", "dist-packages/"];

/// Files that a program wrote for itself. `AutoGraph` translates functions of the user *and* of Keras into
/// `/tmp/__autograph_generated_file….py`; neither is a line that anybody has written.
const GENERATED: [&str; 1] = ["__autograph_generated_file"];

/// Whose code a Python file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeOwner {
    /// The user's own.
    User,
    /// `<string>`: `python -c`, but also what libraries compile at run time (TensorFlow's wrappers of custom ops).
    Text,
    /// An installed package's.
    Package,
    /// The interpreter's: the standard library.
    Interpreter,
}

/// Whose code `file` is, from its name alone.
pub fn owner(file: &str) -> CodeOwner {
    if contexts::is_typed(file) {
        return CodeOwner::User;
    }
    if file == "<string>" {
        return CodeOwner::Text;
    }
    // `<frozen importlib._bootstrap>` is the interpreter's; `<__array_function__ internals>` NumPy's.
    if file.starts_with("<frozen ") {
        return CodeOwner::Interpreter;
    }
    if file.starts_with('<')
        || PACKAGE_FOLDERS
            .iter()
            .chain(&GENERATED)
            .any(|folder| file.contains(folder))
    {
        return CodeOwner::Package;
    }
    if is_standard_library(file) {
        CodeOwner::Interpreter
    } else {
        CodeOwner::User
    }
}

/// `…/lib/python3.11/threading.py`, `…/lib64/python3.9/…`, `…/python311.zip/…`.
fn is_standard_library(file: &str) -> bool {
    let mut folders = file.split('/').rev().skip(1).peekable();
    while let Some(folder) = folders.next() {
        let Some(version) = folder.strip_prefix("python") else {
            continue;
        };
        let in_lib = folders
            .peek()
            .is_some_and(|parent| matches!(*parent, "lib" | "lib64" | "lib32"));
        let is_version = version.starts_with(|first: char| first.is_ascii_digit());
        if is_version && (in_lib || version.strip_suffix(".zip").is_some()) {
            return true;
        }
    }
    false
}

/// The line to name: the user's own code in the first of `threads` that has some, then text without a file. A line
/// of a library is never named: it is in the stack, and somebody else wrote it.
pub(super) fn line(threads: &[Option<&Thread>]) -> Option<PythonLine> {
    line_of(|| {
        threads
            .iter()
            .flatten()
            .flat_map(|thread| python_frames(thread))
    })
}

/// The line to name of a process that was killed for memory and could not be read any more: where it was seen last
/// while memory ran out.
pub(super) fn last_seen(capture: &CrashCapture) -> Option<PythonLine> {
    let timeline = capture.circumstances.timeline.known();
    let seen = timeline.filter(|_| capture.ending.kind == EndingKind::OomKill)?;
    let last = seen.on_top.last()?;
    line_of(|| last.frames.iter())
}

fn line_of<'a, I: Iterator<Item = &'a PythonFrame>>(frames: impl Fn() -> I) -> Option<PythonLine> {
    let innermost = |wanted| frames().find(|frame| owner(&frame.file) == wanted);
    innermost(CodeOwner::User)
        .or_else(|| innermost(CodeOwner::Text))
        .map(PythonLine::from)
}

/// The Python frames of a thread, innermost first.
pub(crate) fn python_frames(thread: &Thread) -> impl Iterator<Item = &PythonFrame> {
    thread.frames.iter().filter_map(|frame| match frame {
        Frame::Python(python) => Some(python),
        Frame::Native(_) => None,
    })
}

impl From<&PythonFrame> for PythonLine {
    fn from(frame: &PythonFrame) -> Self {
        Self {
            file: frame.file.clone(),
            line: frame.line,
            function: frame.function.clone(),
            source: frame.source.as_ref().map(|source| source.trim().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_user_unless_it_was_installed_or_generated() {
        let cases = [
            ("/home/me/train.py", CodeOwner::User),
            ("train.py", CodeOwner::User),
            ("<stdin>", CodeOwner::User),
            ("<ipython-input-3-0f1a>", CodeOwner::User),
            ("/tmp/ipykernel_4711/3217.py", CodeOwner::User),
            ("/home/me/python3/lib/train.py", CodeOwner::User),
            ("/home/me/lib/python_tools/train.py", CodeOwner::User),
            ("<string>", CodeOwner::Text),
            (
                "/venv/lib/python3.11/site-packages/keras/src/engine/training.py",
                CodeOwner::Package,
            ),
            (
                "/usr/lib/python3/dist-packages/numpy/core/numeric.py",
                CodeOwner::Package,
            ),
            ("<__array_function__ internals>", CodeOwner::Package),
            ("/tmp/__autograph_generated_fileab12.py", CodeOwner::Package),
            ("<frozen runpy>", CodeOwner::Interpreter),
            ("/usr/lib/python3.11/threading.py", CodeOwner::Interpreter),
            (
                "/home/me/.pyenv/versions/3.8.18/lib/python3.8/multiprocessing/pool.py",
                CodeOwner::Interpreter,
            ),
            (
                "/usr/lib64/python3.9/ctypes/__init__.py",
                CodeOwner::Interpreter,
            ),
            (
                "/opt/embedded/python311.zip/ctypes/__init__.py",
                CodeOwner::Interpreter,
            ),
        ];
        for (file, expected) in cases {
            assert_eq!(owner(file), expected, "{file}");
        }
    }
}
