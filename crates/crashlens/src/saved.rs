//! Where captures are kept.

pub(crate) mod retention;

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crashlens_core::{CaptureFile, Death, Gap};
use jiff::Timestamp;
use nix::fcntl::OFlag;

use crate::cli::SavingArgs;
use crate::report::{PATIENCE, patient};

/// Ending of the names of saved captures.
const EXTENSION: &str = ".crashlens";

/// Where captures go.
#[derive(Debug)]
pub(crate) enum Shelf {
    /// Nowhere.
    Closed,
    /// To a file the user has named; further ones get a number.
    Named {
        /// Name of the first.
        path: PathBuf,
        /// How many there are already.
        taken: usize,
    },
    /// To the first of these folders that takes them, under a name made of time, program and process.
    Folders(Vec<PathBuf>),
}

impl Shelf {
    /// As the arguments and the environment say.
    pub(crate) fn new(args: &SavingArgs) -> Self {
        match &args.save {
            Some(path) => Self::Named {
                path: path.clone(),
                taken: 0,
            },
            None if args.no_save => Self::Closed,
            None => {
                let folder =
                    state_folder(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"));
                Self::Folders(folder.into_iter().chain([PathBuf::from(".")]).collect())
            }
        }
    }

    /// Saves the capture of a process that lives, only where the user has named a file for captures.
    pub(crate) fn keep_if_named(&mut self, file: &CaptureFile, process: &mut Death) {
        if matches!(self, Self::Named { .. }) {
            self.keep(file, process);
        }
    }

    /// Saves the capture and notes in `death` where; a failure becomes a gap of the death.
    pub(crate) fn keep(&mut self, file: &CaptureFile, death: &mut Death) {
        let result = match self {
            Self::Closed => return,
            Self::Named { path, taken } => {
                *taken += 1;
                let path = numbered(path, *taken);
                write_within(Some(PATIENCE), &path, &mut |out| file.write(out)).map(|()| path)
            }
            Self::Folders(folders) => {
                keep_in(folders, file, Timestamp::now()).map(|(path, removed)| {
                    let removed = removed.iter().map(|path| path.display().to_string());
                    death.removed = removed.collect();
                    path
                })
            }
        };
        match result {
            Ok(path) => death.saved = Some(path.display().to_string()),
            Err(error) => death.gaps.push(Gap {
                part: "the saved capture".to_owned(),
                reason: format!("it could not be written: {error}"),
                remedy: Some("name a file that can be written with --save FILE".to_owned()),
            }),
        }
    }
}

/// All captures that are kept under their own names, or all of `--save FILE`; the newest first.
pub(crate) fn newest_first(save: Option<&Path>) -> Vec<PathBuf> {
    let folder = match save {
        Some(path) => path.parent().map(Path::to_owned),
        None => state_folder(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME")),
    };
    let is_meant = |name: &OsStr| match save.and_then(Path::file_name) {
        Some(first) => is_numbered(name, first),
        None => name.to_str().is_some_and(retention::is_ours),
    };
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let time = entry.metadata().ok()?.modified().ok()?;
            is_meant(&entry.file_name()).then(|| (time, entry.path()))
        })
        .collect();
    found.sort_by(|one, other| other.cmp(one));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The newest of this user's saved captures; else the folder where they would be.
pub(crate) fn newest() -> Result<PathBuf, Option<PathBuf>> {
    let newest = newest_first(None).into_iter().next();
    newest.ok_or_else(|| state_folder(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME")))
}

/// `$XDG_STATE_HOME/crashlens`, or `~/.local/state/crashlens`. A relative path is to be ignored, as the XDG standard has it.
fn state_folder(state_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |variable: Option<OsString>| {
        variable
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state =
        absolute(state_home).or_else(|| absolute(home).map(|home| home.join(".local/state")))?;
    Some(state.join("crashlens"))
}

/// Saves in the first folder that can be written; the error is that of the last. Returns the file, and those that were
/// removed to keep the folder small.
fn keep_in(
    folders: &[PathBuf],
    file: &CaptureFile,
    now: Timestamp,
) -> io::Result<(PathBuf, Vec<PathBuf>)> {
    let name = file_name(file, now);
    let mut failure = io::Error::from(io::ErrorKind::NotFound);
    for folder in folders {
        let is_ours = folder.file_name().is_some_and(|name| name == "crashlens");
        if is_ours && let Err(error) = create_private_folder(folder) {
            failure = error;
            continue;
        }
        let path = if is_ours {
            folder.join(&name)
        } else {
            PathBuf::from(&name)
        };
        match write_within(Some(PATIENCE), &path, &mut |out| file.write(out)) {
            Ok(()) if is_ours => {
                let removed = retention::clear(folder, &name, now);
                return Ok((path, removed));
            }
            Ok(()) => return Ok((path, Vec::new())),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// `2026-11-15T22-05-33Z-python-4711.crashlens`: sorts by time, and is a file name everywhere.
fn file_name(file: &CaptureFile, now: Timestamp) -> String {
    let process = &file.capture.process;
    let program = process
        .command
        .first()
        .map_or("program", |path| path.rsplit('/').next().unwrap_or(path));
    let program: String = program
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '+'))
        .take(40)
        .collect();
    format!("{}-{program}-{}{EXTENSION}", time_of(now), process.pid)
}

/// The beginning of a name.
fn time_of(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H-%M-%SZ").to_string()
}

/// The page that belongs to a capture, beside it: `NAME.crashlens.html`.
pub(crate) fn page_beside(capture: &Path) -> PathBuf {
    let mut name = capture.as_os_str().to_owned();
    name.push(".html");
    PathBuf::from(name)
}

/// `capture`, `capture.2`, `capture.3`…
fn numbered(path: &Path, count: usize) -> PathBuf {
    if count <= 1 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{count}"));
    PathBuf::from(name)
}

/// Whether [`numbered`] makes the name of `first`.
fn is_numbered(name: &OsStr, first: &OsStr) -> bool {
    let rest = name.as_bytes().strip_prefix(first.as_bytes());
    match rest {
        Some([b'.', number @ ..]) => !number.is_empty() && number.iter().all(u8::is_ascii_digit),
        rest => rest == Some(b""),
    }
}

/// Writes a file for its owner alone, so that readers see the old content or the new, never a part.
///
/// What is not an ordinary file (`/dev/stdout`, a FIFO) is written in place: a rename would replace the device.
pub(crate) fn write_atomically(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    write_within(None, path, write)
}

/// The same for a process that is held until it is written: with `patience`, a FIFO without a reader is an error.
pub(crate) fn write_within(
    patience: Option<Duration>,
    path: &Path,
    write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    // Through a symbolic link, as an ordinary write would go.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if std::fs::metadata(&target).is_ok_and(|known| !known.is_file()) {
        return write_in_place(patience, &target, write);
    }
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".crashlens-")
        .tempfile_in(folder)?;
    make_private(file.as_file())?;
    let mut buffered = io::BufWriter::new(file.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.persist(&target).map(drop).map_err(|error| error.error)
}

fn write_in_place(
    patience: Option<Duration>,
    path: &Path,
    write: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if patience.is_some() {
        // To open a FIFO waits for a reader otherwise.
        options.custom_flags(OFlag::O_NONBLOCK.bits());
    }
    let file = options.open(path)?;
    let mut text = Vec::new();
    write(&mut text)?;
    let rest = patient::write(&file, &text, patience)?;
    if rest.is_empty() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::TimedOut, "it has no reader"))
    }
}

/// What is known of a process may be secret, whatever its masks: only the owner reads the file. The umask takes
/// permissions away and adds none, so the mode that a file is made with does not decide alone.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o600))
}

/// As the XDG standard asks for.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
#[path = "saved_tests.rs"]
mod tests;
