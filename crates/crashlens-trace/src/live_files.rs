//! The files of a process as it sees them, also from inside a container.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crashlens_unwind::{FileBytes, Files};
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};

use crate::{calls, sys};

/// Files up to this size are read, larger ones mapped: a script that is edited while we look at it must not
/// pull the bytes from under us.
const MAX_READ: u64 = 1 << 20;

/// Files by the paths a process uses.
#[derive(Debug)]
pub(crate) struct LiveFiles {
    /// The root of the process's file system, where it is not ours. Kept open, because names are looked up
    /// after the process is gone.
    root: Option<OwnedFd>,
    /// What relative names are relative to: Python has a script by the name it was started with.
    directory: Option<PathBuf>,
}

impl LiveFiles {
    pub(crate) fn of(process: u32) -> Self {
        let root = sees_other_files(process)
            .then(|| open_root(process))
            .and_then(Result::ok);
        let directory = fs::read_link(format!("/proc/{process}/cwd")).ok();
        Self { root, directory }
    }

    /// The file at `path` without opening it, which may not be allowed and may make it act: for its facts only.
    pub(crate) fn locate(&self, path: &Path) -> io::Result<File> {
        self.open_as(path, OFlag::O_PATH | OFlag::O_CLOEXEC)
    }

    fn open_regular(&self, path: &Path) -> io::Result<File> {
        // O_NONBLOCK: a FIFO put where a library was must not make us wait for a writer.
        let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
        let file = self.open_as(path, flags)?;
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(io::Error::other("not a regular file"))
        }
    }

    fn open_as(&self, path: &Path, flags: OFlag) -> io::Result<File> {
        let path = match &self.directory {
            _ if path.is_absolute() => path.to_owned(),
            Some(directory) => directory.join(path),
            // Another file of the same name near us would be shown as the program's.
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        let path = path.as_path();
        match &self.root {
            Some(root) => {
                let how = OpenHow::new()
                    .flags(flags)
                    .resolve(ResolveFlag::RESOLVE_IN_ROOT);
                Ok(File::from(openat2(root, path, how)?))
            }
            None => calls::open_with(
                fs::OpenOptions::new().read(true).custom_flags(flags.bits()),
                path,
            ),
        }
    }
}

/// Whether the process has a mount namespace or a root directory of its own.
fn sees_other_files(process: u32) -> bool {
    let differs = |name: &str| {
        let theirs = fs::read_link(format!("/proc/{process}/{name}"));
        let ours = fs::read_link(format!("/proc/self/{name}"));
        matches!((theirs, ours), (Ok(theirs), Ok(ours)) if theirs != ours)
    };
    differs("ns/mnt") || differs("root")
}

fn open_root(process: u32) -> io::Result<OwnedFd> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY;
    let root = fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits())
        .open(format!("/proc/{process}/root"))?;
    Ok(root.into())
}

impl Files for LiveFiles {
    fn open(&self, path: &str) -> io::Result<FileBytes> {
        let mut file = self.open_regular(Path::new(path))?;
        let size = file.metadata()?.len();
        if size > MAX_READ {
            return Ok(Arc::new(sys::map_file(&file)?));
        }
        let mut bytes = Vec::with_capacity(size as usize);
        file.by_ref().take(MAX_READ).read_to_end(&mut bytes)?;
        Ok(Arc::new(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> LiveFiles {
        LiveFiles::of(std::process::id())
    }

    #[test]
    fn small_and_large_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 5, 3 << 20] {
            let path = folder.path().join(size.to_string());
            fs::write(&path, vec![7; size]).unwrap();
            let bytes = own().open(path.to_str().unwrap()).unwrap();
            assert_eq!((*bytes).as_ref().len(), size);
        }
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        assert!(own().open("/dev/zero").is_err());
        assert!(own().open("/").is_err());
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(own().open(fifo.to_str().unwrap()).is_err());
    }
}
