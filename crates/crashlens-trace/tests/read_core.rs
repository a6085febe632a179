//! What a user gets for core files of all kinds and conditions.

use std::fs;
use std::path::{Path, PathBuf};

use crashlens_core::{CaptureFile, EndingKind, Observed};
use crashlens_trace::{CoreReadError, DiskFiles, read_core};
use crashlens_unwind::Files;

/// A core with one piece of memory of `size` bytes and nothing else.
fn small_core(size: usize) -> Vec<u8> {
    let mut core = vec![0; 4096];
    let mut put =
        |offset: usize, bytes: &[u8]| core[offset..offset + bytes.len()].copy_from_slice(bytes);
    put(0, b"\x7fELF\x02\x01\x01");
    put(16, &[4, 0, 62, 0, 1]);
    put(32, &[64]);
    put(52, &[64, 0, 56, 0, 1, 0, 64, 0]);
    put(64, &[1, 0, 0, 0, 6, 0, 0, 0]);
    for (offset, value) in [(72, 4096), (80, 0x10_0000), (96, size), (104, size)] {
        put(offset, &value.to_le_bytes());
    }
    core.resize(4096 + size, 0);
    if let Some(last) = core.last_mut() {
        *last = 7;
    }
    core
}

struct Saved {
    folder: tempfile::TempDir,
}

impl Saved {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn path(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).expect("a saved file");
        path
    }

    fn read(&self, content: &[u8]) -> Result<CaptureFile, CoreReadError> {
        read_core(&self.path("core", content), true)
    }
}

fn reasons(file: &CaptureFile) -> String {
    let gaps = file.capture.gaps.0.iter();
    let lines: Vec<String> = gaps
        .map(|gap| format!("{}: {}", gap.part, gap.reason))
        .collect();
    lines.join("\n")
}

#[test]
fn a_core_with_nothing_but_memory_becomes_a_capture_with_gaps() {
    let file = Saved::new().read(&small_core(4096)).unwrap();
    assert_eq!(file.capture.ending.kind, EndingKind::Unknown);
    assert_eq!(file.capture.maps.known().unwrap().len(), 1);
    assert!(matches!(
        file.capture.environment.limits,
        Observed::Unknown(_)
    ));
    let said = reasons(&file);
    assert!(said.contains("notes of the core: it has none"), "{said}");
    assert!(
        said.contains("resource limits: not recorded in a core file"),
        "{said}"
    );
}

#[test]
fn a_packed_core_gives_the_same_capture_small_or_large() {
    let saved = Saved::new();
    for size in [4096, 40 << 20] {
        let core = small_core(size);
        let plain = saved.read(&core).unwrap();
        let packed = saved
            .read(&zstd::encode_all(core.as_slice(), 1).unwrap())
            .unwrap();
        assert_eq!(plain, packed, "{size} bytes");
        assert!(
            !reasons(&packed).contains("missing"),
            "{}",
            reasons(&packed)
        );
    }
}

#[test]
fn a_packed_core_that_was_cut_gives_its_beginning() {
    // Bytes that do not compress, so that a cut in the packed file is a cut in the core.
    let mut core = small_core(40 << 20);
    let mut state = 1_u64;
    for byte in &mut core[4096..] {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *byte = (state >> 56) as u8;
    }
    let packed = zstd::encode_all(core.as_slice(), 1).unwrap();
    for keep in [packed.len() / 10, packed.len() / 10 * 9] {
        let said = reasons(&Saved::new().read(&packed[..keep]).unwrap());
        assert!(
            said.contains("end of the packed core: damaged after"),
            "{said}"
        );
        assert!(
            said.contains("bytes of 1 of its 1 segments are missing"),
            "{said}"
        );
    }
}

#[test]
fn what_cannot_be_read_says_why_and_what_to_do() {
    let saved = Saved::new();
    let error = saved.read(b"").unwrap_err();
    assert_eq!(
        std::error::Error::source(&error).unwrap().to_string(),
        "the core file is empty"
    );
    assert!(error.help().unwrap().contains("ulimit -c"));
    let error = saved.read(b"\xfd7zXZ\0abc").unwrap_err();
    assert!(error.to_string().ends_with("it is packed with xz"));
    assert!(error.help().unwrap().starts_with("Run `xz -d"));
    assert!(matches!(
        saved.read(b"\x28\xb5\x2f\xfdnonsense"),
        Err(CoreReadError::Unpack { .. })
    ));
    assert!(matches!(
        read_core(saved.folder.path(), true),
        Err(CoreReadError::Open { .. })
    ));
    assert!(matches!(
        read_core(Path::new("/dev/null"), true),
        Err(CoreReadError::Open { .. })
    ));
}

#[test]
fn files_are_found_below_a_sysroot_and_nowhere_else() {
    let saved = Saved::new();
    saved.path("it.so", b"content");
    let files = DiskFiles::below(saved.folder.path());
    assert_eq!((*files.open("/it.so").unwrap()).as_ref(), b"content");
    assert!(files.open("/../it.so").is_err());
    assert!(files.open("it.so").is_err());
    assert!(DiskFiles::default().open("/it.so").is_err());
    assert!(DiskFiles::default().open("/dev/zero").is_err());
}

/// The core of a Python program, where the kernel leaves one in the working directory.
fn core_of_python(arguments: &[&str]) -> Option<PathBuf> {
    let folder = tempfile::tempdir().ok()?.keep();
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "ulimit -c unlimited && exec python3 \"$@\"", "sh"])
        .args(arguments)
        .current_dir(&folder)
        .stderr(std::process::Stdio::null());
    command.status().ok()?;
    let mut entries = fs::read_dir(&folder).ok()?;
    entries.find_map(|entry| Some(entry.ok()?.path()))
}

#[test]
fn a_core_of_a_program_that_raised_again_tells_the_first_fault() {
    let program = "import ctypes; ctypes.memset(0x138, 0, 1)";
    for arguments in [&["-c", program][..], &["-X", "faulthandler", "-c", program]] {
        let Some(core) = core_of_python(arguments) else {
            return;
        };
        let capture = read_core(&core, true).expect("a core").capture;
        fs::remove_dir_all(core.parent().expect("a folder")).expect("removed");
        assert_eq!(capture.ending.code.as_deref(), Some("SEGV_MAPERR"));
        assert_eq!(capture.ending.address, Some(crashlens_core::Address(0x138)));
        assert_eq!(capture.ending.raised_again, arguments.len() > 2);
        let site = capture.testimony.fault.known().expect("a fault");
        let access = site.access.as_ref().expect("an access");
        assert_eq!(access.kind, crashlens_core::AccessKind::Write);
        let place = Some(crashlens_core::Place::NullPage { offset: 0x138 });
        assert_eq!(site.place, place);
    }
}
