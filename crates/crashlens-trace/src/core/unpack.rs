//! Unpacks a core that was packed with zstd, as systemd-coredump does.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;

use crashlens_core::Gaps;
use crashlens_unwind::FileBytes;
use nix::sys::statvfs::fstatvfs;

const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Cores up to this size stay in memory.
const SMALL: usize = 16 << 20;
/// No core of a process we could explain is larger; a few bytes can unpack to more than any disk holds.
const MAX_UNPACKED: u64 = 64 << 30;
const BLOCK: usize = 64 << 10;
const PART: &str = "end of the packed core";

/// Whether the file starts as zstd's do.
pub(super) fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&ZSTD)
}

/// The program that unpacks a file packed otherwise: older systems' crash collectors use these.
pub(super) fn other_packer(bytes: &[u8]) -> Option<&'static str> {
    const PACKERS: [(&[u8], &str); 4] = [
        (b"\x1f\x8b", "gzip"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"BZh", "bzip2"),
    ];
    PACKERS
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, packer)| *packer)
}

/// The unpacked core: in memory when it is small, else in a temporary file that has no name.
///
/// A stream that ends early or is too large gives its beginning, and a gap.
pub(super) fn unpack(packed: &[u8], gaps: &mut Gaps) -> io::Result<FileBytes> {
    let mut stream = zstd::Decoder::with_buffer(packed)?;
    let mut beginning = Vec::new();
    let read = stream
        .by_ref()
        .take(SMALL as u64 + 1)
        .read_to_end(&mut beginning);
    if let Err(error) = read {
        if beginning.is_empty() {
            return Err(error);
        }
        gaps.add(
            PART,
            format!("damaged after {} bytes: {error}", beginning.len()),
            None,
        );
        return Ok(Arc::new(beginning));
    }
    if beginning.len() <= SMALL {
        return Ok(Arc::new(beginning));
    }
    let file = nameless_file(&std::env::temp_dir())?;
    let room = free_bytes(&file)?;
    let mut sparse = SparseFile {
        file,
        length: 0,
        written: 0,
        room,
    };
    sparse.fill(&mut beginning.as_slice().chain(stream), gaps)?;
    super::map(&sparse.file)
}

/// Nineteen twentieths of the free space: a full disk would harm everyone else on the machine.
fn free_bytes(file: &File) -> io::Result<u64> {
    let disk = fstatvfs(file)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()) / 20 * 19)
}

fn nameless_file(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    let nameless = options.clone().custom_flags(libc::O_TMPFILE).open(folder);
    // Some file systems (overlayfs of older kernels, NFS) have no nameless files.
    nameless.or_else(|_| {
        let path = folder.join(format!("crashlens-core-{}", std::process::id()));
        let file = options.create_new(true).open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(file)
    })
}

/// A file that takes no room for zeros, of which cores are full.
struct SparseFile {
    file: File,
    length: u64,
    written: u64,
    room: u64,
}

impl SparseFile {
    fn fill(&mut self, stream: &mut impl Read, gaps: &mut Gaps) -> io::Result<()> {
        let mut block = vec![0; BLOCK];
        loop {
            let got = match read_block(stream, &mut block) {
                Ok(0) => break,
                Ok(got) => got,
                Err(error) => {
                    gaps.add(
                        PART,
                        format!("damaged after {} bytes: {error}", self.length),
                        None,
                    );
                    break;
                }
            };
            if !self.append(&block[..got])? {
                gaps.add(
                    PART,
                    format!(
                        "unpacked only up to {} bytes, as many as there is room for",
                        self.length
                    ),
                    Some("Point TMPDIR at a folder with more room."),
                );
                break;
            }
        }
        self.file.set_len(self.length)
    }

    /// Whether there was room for `block`.
    fn append(&mut self, block: &[u8]) -> io::Result<bool> {
        let after = self.length + block.len() as u64;
        if after > MAX_UNPACKED {
            return Ok(false);
        }
        if block.iter().any(|byte| *byte != 0) {
            self.written += block.len() as u64;
            if self.written > self.room {
                return Ok(false);
            }
            match self.file.write_all_at(block, self.length) {
                Err(error) if error.kind() == io::ErrorKind::StorageFull => return Ok(false),
                done => done?,
            }
        }
        self.length = after;
        Ok(true)
    }
}

/// Fills `block` as far as the stream goes. What came before an error counts; the error comes again.
fn read_block(stream: &mut impl Read, block: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < block.len() {
        match stream.read(&mut block[done..]) {
            Ok(0) => break,
            Ok(got) => done += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if done > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
