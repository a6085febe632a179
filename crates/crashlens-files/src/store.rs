//! Where files are kept: this machine's disks, or somewhere behind a network.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};

use nix::sys::statfs::{self, FsType, statfs};

use crate::names::{path_of, text_of};
use crate::refusal::{if_dangling, special};
use crate::source::{ReadAt, Source};

/// A place that files are read from. Paths are those the user wrote, or continue them with `/`.
pub trait Store: Sync {
    /// Opens a file. Pipes and devices are refused.
    fn open(&self, path: &str) -> io::Result<Source>;
    /// What is in a folder, in the order of the names.
    fn list(&self, folder: &str) -> io::Result<Vec<Entry>>;
    /// What tells whether a file is still the same; `None` where the store cannot tell.
    fn identity(&self, path: &str) -> io::Result<Option<Identity>>;

    /// Opens a file and says what it was then: a store behind a network is asked once for both.
    fn open_identified(&self, path: &str) -> io::Result<(Source, Option<Identity>)> {
        let identity = self.identity(path)?;
        Ok((self.open(path)?, identity))
    }

    /// Whether names are keys alone: folders are only what keys begin with, no link leads in a circle, and a file may
    /// have the name of a folder.
    fn is_flat(&self) -> bool {
        false
    }

    /// Whether a path leads to a file system in which the kernel shows its own state, such as `/proc`.
    fn is_of_kernel(&self, _path: &str) -> bool {
        false
    }

    /// Whether a path is a link itself.
    fn is_link(&self, _path: &str) -> bool {
        false
    }

    /// Whether there is such a file or folder.
    fn exists(&self, path: &str) -> bool {
        self.identity(path).is_ok()
    }
}

/// Something in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the folder.
    pub name: String,
    /// Whether it is a folder itself.
    pub is_folder: bool,
    /// Whether a link leads to it.
    pub is_link: bool,
    /// Which disk it is on; 0 where there are no disks.
    pub device: u64,
    /// Bytes of a file.
    pub size: u64,
}

/// What tells whether a file is still the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    /// In bytes.
    pub size: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub modified: i128,
    /// Which disk.
    pub device: u64,
    /// Which file of it.
    pub inode: u64,
    /// What the store itself calls this content: the `ETag` of an object. Disks have nothing like it.
    pub tag: Option<String>,
}

/// The disks of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalStore;

/// Folders with more entries are read so far.
const MOST_ENTRIES: usize = 5_000_000;

/// These hold no saved files, and `/proc/self/root` leads to every other file of the machine.
const OF_KERNEL: [FsType; 13] = [
    statfs::PROC_SUPER_MAGIC,
    statfs::SYSFS_MAGIC,
    statfs::CGROUP_SUPER_MAGIC,
    statfs::CGROUP2_SUPER_MAGIC,
    statfs::DEBUGFS_MAGIC,
    statfs::TRACEFS_MAGIC,
    statfs::SECURITYFS_MAGIC,
    statfs::SELINUX_MAGIC,
    statfs::SMACK_MAGIC,
    statfs::BPF_FS_MAGIC,
    statfs::NSFS_MAGIC,
    statfs::DEVPTS_SUPER_MAGIC,
    statfs::RDTGROUP_SUPER_MAGIC,
];

impl Store for LocalStore {
    fn open(&self, path: &str) -> io::Result<Source> {
        // Opening a pipe waits for a writer; O_NONBLOCK does not.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(path_of(path))
            .map_err(|error| if_dangling(path, error))?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            return Err(special(metadata.file_type()));
        }
        Ok(Source::new(LocalFile(file), metadata.len()))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        let read = fs::read_dir(path_of(folder)).map_err(|error| if_dangling(folder, error))?;
        for entry in read.take(MOST_ENTRIES) {
            let entry = entry?;
            let name = text_of(&entry.file_name());
            // A link that leads nowhere is a file that cannot be read; what was deleted just now is none.
            let metadata = fs::metadata(entry.path()).or_else(|_| entry.metadata());
            let Ok(metadata) = metadata else {
                continue;
            };
            entries.push(Entry {
                name,
                is_folder: metadata.is_dir(),
                is_link: entry.file_type().is_ok_and(|kind| kind.is_symlink()),
                device: metadata.dev(),
                size: metadata.len(),
            });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    fn is_of_kernel(&self, path: &str) -> bool {
        let known = statfs(path_of(path).as_ref());
        known.is_ok_and(|known| OF_KERNEL.contains(&known.filesystem_type()))
    }

    fn is_link(&self, path: &str) -> bool {
        path_of(path).is_symlink()
    }

    fn identity(&self, path: &str) -> io::Result<Option<Identity>> {
        let metadata = fs::metadata(path_of(path)).map_err(|error| if_dangling(path, error))?;
        Ok(Some(Identity {
            size: metadata.len(),
            modified: i128::from(metadata.mtime()) * 1_000_000_000
                + i128::from(metadata.mtime_nsec()),
            device: metadata.dev(),
            inode: metadata.ino(),
            tag: None,
        }))
    }
}

struct LocalFile(File);

impl ReadAt for LocalFile {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match self.0.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}
