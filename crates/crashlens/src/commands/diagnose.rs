//! `crashlens diagnose`: a report from a file, whatever the file is.

mod opening;
mod waiting;

use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crashlens_core::report::page;
use crashlens_core::{CaptureFile, Report, pasted};
use crashlens_inspect::bounded;

use self::waiting::Waiting;
use crate::cli::DiagnoseArgs;
use crate::commands::advisories;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Stream};
use crate::saved::{make_private, newest};

/// Enough to tell what a file is: a core by its first bytes, text by so many of them.
const OPENING: usize = 4096;
/// Captures are kilobytes; whatever is larger than this is none.
const MAX_CAPTURE: u64 = 256 << 20;
/// A core from a pipe has to be put on disk; more than this is not taken.
const MAX_PIPED_CORE: u64 = 64 << 30;

/// What a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Capture,
    /// A report as a page of HTML.
    Page,
    Core,
    /// What a person has of a death: a log, a terminal's last lines.
    Text,
    OtherElf,
    Unknown,
}

/// What there is to report on.
enum Found {
    /// Facts of a death.
    Facts(Box<CaptureFile>),
    /// Facts that crashlens had saved in this file.
    Saved(Box<CaptureFile>),
    /// A report that was made already.
    Report(Box<Report>),
}

/// Reports on the file.
pub(crate) fn run(args: &DiagnoseArgs) -> Result<ExitStatus, Failure> {
    let destination = Destination::new(&args.report, Stream::Stdout);
    if !args.open {
        destination.write(&report(args, &chosen(args)?)?, ExitStatus::NoReport)?;
        return Ok(ExitStatus::Success);
    }
    let path = chosen(args)?;
    let is_file = path != Path::new("-");
    let Some((destination, page)) = destination.into_page(is_file.then_some(&*path)) else {
        let message = "cannot open the report on standard input: the page has no place";
        return Err(Failure::new(message, ExitStatus::NoReport)
            .with_help("Name a file for it with `--output FILE`."));
    };
    destination.write(&report(args, &path)?, ExitStatus::NoReport)?;
    opening::open(&page)
}

/// A capture that crashlens has saved.
pub(crate) fn read_saved(path: &Path) -> io::Result<CaptureFile> {
    let bytes = bounded::read(path, MAX_CAPTURE)?;
    CaptureFile::read(&bytes).map_err(io::Error::other)
}

/// The file that is meant.
fn chosen(args: &DiagnoseArgs) -> Result<PathBuf, Failure> {
    if args.file != Path::new("last") {
        return Ok(args.file.clone());
    }
    newest().map_err(|place| {
        let place = place.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
        let message = format!("there is no saved capture{place}");
        Failure::new(message, ExitStatus::NoReport).with_help(
            "`crashlens run -- COMMAND` saves one at every crash. A file of that name is `./last`.",
        )
    })
}

fn report(args: &DiagnoseArgs, path: &Path) -> Result<Report, Failure> {
    let issues = advisories::with_built_in(&args.advisories)?;
    let found = if path == Path::new("-") {
        from_stdin(args.reading.locals())?
    } else {
        from_path(path, args.reading.locals())?
    };
    match found {
        Found::Facts(file) => Ok(Report::judged_by(&file.capture, &issues)),
        Found::Saved(file) => {
            let mut report = Report::judged_by(&file.capture, &issues);
            for death in &mut report.deaths {
                death.saved = Some(path.display().to_string());
            }
            Ok(report)
        }
        Found::Report(report) if args.advisories.is_empty() => Ok(*report),
        Found::Report(_) => Err(Failure::new(
            format!(
                "cannot use advisories with {}: it is a finished report",
                path.display()
            ),
            ExitStatus::NoReport,
        )
        .with_help("Give the capture that the report names.")),
    }
}

fn from_path(path: &Path, locals: bool) -> Result<Found, Failure> {
    let name = path.display().to_string();
    let failed = |error: io::Error| {
        Failure::new(
            format!("cannot read {name}: {}", reason(&error)),
            ExitStatus::NoReport,
        )
    };
    let mut file = Waiting::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(Failure::new(
            format!("cannot read {name}: it is a folder"),
            ExitStatus::NoReport,
        ));
    }
    let opening = read_opening(&mut file).map_err(failed)?;
    match kind(&opening) {
        Kind::Capture => Ok(Found::Saved(Box::new(read_capture(
            &name,
            opening.chain(file),
        )?))),
        Kind::Core if metadata.is_file() => Ok(Found::Facts(Box::new(read_core(path, locals)?))),
        kind => from_stream(&name, &kind, opening.chain(file), locals),
    }
}

fn from_stdin(locals: bool) -> Result<Found, Failure> {
    let name = "standard input";
    let mut input = Waiting::stdin().map_err(|error| Failure::reading(name, &error))?;
    let opening = read_opening(&mut input).map_err(|error| Failure::reading(name, &error))?;
    from_stream(name, &kind(&opening), opening.chain(input), locals)
}

/// From what can be read only once.
fn from_stream(name: &str, kind: &Kind, input: impl Read, locals: bool) -> Result<Found, Failure> {
    let facts = match kind {
        Kind::Page => return Ok(Found::Report(Box::new(read_page(name, input)?))),
        Kind::Capture => read_capture(name, input)?,
        Kind::Core => read_spooled(name, input, locals)?,
        Kind::Text => read_text(name, input)?,
        Kind::OtherElf | Kind::Unknown => return Err(refuse(name, kind)),
    };
    Ok(Found::Facts(Box::new(facts)))
}

fn read_page(name: &str, input: impl Read) -> Result<Report, Failure> {
    let mut bytes = Vec::new();
    input
        .take(page::MAX_PAGE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::reading(name, &error))?;
    if bytes.len() as u64 > page::MAX_PAGE {
        let message = format!("cannot read {name}: it is too large for a report");
        return Err(Failure::new(message, ExitStatus::NoReport));
    }
    page::read(&bytes).map_err(|error| {
        let failure = Failure::reading(name, &error);
        match error {
            page::PageError::Newer => failure.with_help("Upgrade crashlens to read it."),
            _ => failure,
        }
    })
}

fn read_capture(name: &str, input: impl Read) -> Result<CaptureFile, Failure> {
    let mut bytes = Vec::new();
    input
        .take(MAX_CAPTURE)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::reading(name, &error))?;
    CaptureFile::read(&bytes).map_err(|error| {
        let failure = Failure::reading(name, &error);
        match error {
            crashlens_core::capture::FormatError::Newer => {
                failure.with_help("Upgrade crashlens to read it.")
            }
            _ => failure,
        }
    })
}

fn read_text(name: &str, input: impl Read) -> Result<CaptureFile, Failure> {
    let capture = pasted::read(io::BufReader::with_capacity(1 << 16, input))
        .map_err(|error| Failure::reading(name, &error))?;
    Ok(CaptureFile {
        capture,
        recording: None,
    })
}

fn read_core(path: &Path, locals: bool) -> Result<CaptureFile, Failure> {
    crashlens_trace::read_core(path, locals).map_err(|error| Failure::core(&error))
}

fn read_spooled(name: &str, input: impl Read, locals: bool) -> Result<CaptureFile, Failure> {
    let spool = spool(input).map_err(|error| Failure::reading(name, &error))?;
    read_core(spool.path(), locals)
}

/// Puts a core from a pipe on disk, because reading it needs random access.
fn spool(input: impl Read) -> io::Result<tempfile::NamedTempFile> {
    let mut spool = tempfile::Builder::new()
        .prefix("crashlens-core-")
        .tempfile()?;
    make_private(spool.as_file())?;
    let mut input = input.take(MAX_PIPED_CORE);
    io::copy(&mut input, &mut spool)?;
    spool.flush()?;
    spool.seek(SeekFrom::Start(0))?;
    Ok(spool)
}

/// The first bytes of a stream, fewer only at its end.
fn read_opening(input: &mut impl Read) -> io::Result<io::Cursor<Vec<u8>>> {
    let mut opening = Vec::with_capacity(OPENING);
    input.take(OPENING as u64).read_to_end(&mut opening)?;
    Ok(io::Cursor::new(opening))
}

fn kind(opening: &io::Cursor<Vec<u8>>) -> Kind {
    const ELF: &[u8] = b"\x7fELF";
    /// zstd is unpacked on the way; of gzip, xz, bzip2 and lz4 the core reader says how to unpack them.
    const PACKED: [&[u8]; 5] = [
        b"\x28\xb5\x2f\xfd",
        b"\x1f\x8b",
        b"\xfd7zXZ",
        b"BZh",
        b"\x04\x22\x4d\x18",
    ];
    /// `e_type` of a core file; the field has the same place in 32-bit and 64-bit files.
    const ET_CORE: u8 = 4;
    let bytes = opening.get_ref().as_slice();
    if CaptureFile::looks_like(bytes) {
        Kind::Capture
    } else if bytes.starts_with(ELF) {
        // Byte 5 says which end comes first; a big-endian core gets its refusal from the core reader.
        let is_core = bytes
            .get(16..18)
            .is_some_and(|kind| kind.contains(&ET_CORE));
        if is_core { Kind::Core } else { Kind::OtherElf }
    } else if PACKED.iter().any(|magic| bytes.starts_with(magic)) {
        Kind::Core
    } else if page::looks_like(bytes) {
        Kind::Page
    } else if pasted::looks_like_text(bytes) {
        Kind::Text
    } else {
        Kind::Unknown
    }
}

fn refuse(name: &str, kind: &Kind) -> Failure {
    let what = if *kind == Kind::OtherElf {
        "a program or library, "
    } else {
        ""
    };
    Failure::new(
        format!("{name} is {what}not a core file, capture or text"),
        ExitStatus::NoReport,
    )
    .with_help(
        "Give an ELF core file (also .zst), a file that `crashlens run` has saved, a report as HTML, or text that tells of the death.",
    )
}

/// `no such file or directory` instead of `No such file or directory (os error 2)`.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_first_bytes() {
        let elf = |kind: u8| [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 9], &[kind, 0]].concat();
        let windows = "\u{feff}Aborted\r\n".encode_utf16();
        let page = format!("<!DOCTYPE html><html><head>{}", page::generator());
        let cases: [(Vec<u8>, Kind); 12] = [
            (page.into_bytes(), Kind::Page),
            (
                b"<!DOCTYPE html><title>Aborted</title>".to_vec(),
                Kind::Text,
            ),
            (windows.flat_map(u16::to_le_bytes).collect(), Kind::Text),
            (b"crashlens capture 1\n".to_vec(), Kind::Capture),
            (elf(4), Kind::Core),
            (elf(3), Kind::OtherElf),
            (b"\x28\xb5\x2f\xfd".to_vec(), Kind::Core),
            (b"Segmentation fault".to_vec(), Kind::Text),
            ("\u{6bb5}\u{9519}\u{8bef}".into(), Kind::Text),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), Kind::Unknown),
            (b" \n".to_vec(), Kind::Unknown),
            (Vec::new(), Kind::Unknown),
        ];
        for (bytes, expected) in cases {
            assert_eq!(kind(&io::Cursor::new(bytes)), expected);
        }
    }
}
