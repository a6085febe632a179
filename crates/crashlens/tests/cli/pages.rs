//! Reports as pages of HTML: written, read back, and opened; and the newest capture.

use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{crashlens, output, sample, saved, stderr, stdout};

/// A folder of saved captures, as one user has it.
struct State(tempfile::TempDir);

impl State {
    fn new() -> Self {
        let state = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(state.folder()).unwrap();
        state
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("crashlens")
    }

    fn keep(&self, name: &str) -> PathBuf {
        let path = saved(self.0.path(), sample::in_main_thread());
        let place = self.folder().join(name);
        std::fs::rename(path, &place).unwrap();
        place
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = crashlens(args);
        command
            .env("XDG_STATE_HOME", self.0.path())
            .env_remove("BROWSER")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .current_dir(self.0.path());
        command
    }
}

fn page(folder: &Path) -> PathBuf {
    let path = saved(folder, sample::in_main_thread());
    let page = folder.join("report.html");
    let written = output(&[
        "diagnose",
        path.to_str().unwrap(),
        "--format",
        "html",
        "--output",
        page.to_str().unwrap(),
    ]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    page
}

#[test]
fn a_page_is_read_back_as_the_report_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let page = page.to_str().unwrap();
    let path = folder.path().join("death.crashlens");
    for format in ["text", "md", "html"] {
        let from_page = output(&["diagnose", page, "--format", format, "-v"]);
        let from_capture = output(&["diagnose", path.to_str().unwrap(), "--format", format, "-v"]);
        assert_eq!(from_page.status.code(), Some(0), "{}", stderr(&from_page));
        assert!(stdout(&from_page) == stdout(&from_capture), "{format}");
    }
    let mode = std::fs::metadata(page).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_page_comes_through_a_pipe_too() {
    let folder = tempfile::tempdir().unwrap();
    let page = std::fs::File::open(page(folder.path())).unwrap();
    let read = crashlens(&["diagnose", "-"]).stdin(page).output().unwrap();
    assert_eq!(read.status.code(), Some(0), "{}", stderr(&read));
    assert!(stdout(&read).contains("died of SIGSEGV"));
}

#[test]
fn a_truncated_or_edited_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let whole = std::fs::read_to_string(&page).unwrap();
    let cases = [
        (
            whole.get(..whole.len() - 200).unwrap().to_owned(),
            "the page is truncated",
        ),
        (
            whole.replace("\"deaths\":[", "\"deaths\":[7,"),
            "the report in the page cannot be read",
        ),
        (
            whole.replace("crashlens-report", "other"),
            "the page holds no report",
        ),
        (
            whole.replace("crashlens.report/1", "crashlens.report/9"),
            "a form that this crashlens does not know",
        ),
    ];
    for (text, expected) in cases {
        std::fs::write(&page, text).unwrap();
        let refused = output(&["diagnose", page.to_str().unwrap()]);
        assert_eq!(refused.status.code(), Some(2), "{expected}");
        assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
        assert!(refused.stdout.is_empty());
    }
}

#[test]
fn advisories_are_not_for_a_finished_report() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(folder.path());
    let advisories = folder.path().join("osv.json");
    std::fs::write(&advisories, "[]").unwrap();
    let refused = output(&[
        "diagnose",
        page.to_str().unwrap(),
        "--advisories",
        advisories.to_str().unwrap(),
    ]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("finished report"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn last_is_the_newest_capture_and_no_file_of_that_name() {
    let state = State::new();
    let none = state.command(&["diagnose", "last"]).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
    let said = stderr(&none);
    assert!(said.contains("there is no saved capture in "), "{said}");
    assert!(said.contains("./last"), "{said}");

    state.keep("2026-11-15T22-05-33Z-python-8.crashlens");
    let newest = state.keep("2026-11-16T01-00-00Z-python-7.crashlens");
    std::fs::write(state.folder().join("2027-notes.txt"), "").unwrap();
    std::fs::write(state.0.path().join("last"), "Segmentation fault\n").unwrap();
    let last = state.command(&["diagnose", "last"]).output().unwrap();
    assert!(
        stdout(&last).contains(newest.to_str().unwrap()),
        "{}",
        stderr(&last)
    );
    let file = state.command(&["diagnose", "./last"]).output().unwrap();
    assert!(
        stdout(&file).contains("According to the text"),
        "{}",
        stdout(&file)
    );
}

#[test]
fn a_report_is_opened_with_the_browser_of_the_user() {
    let state = State::new();
    let capture = state.keep("2026-11-15T22-05-33Z-python-8.crashlens");
    let page = format!("{}.html", capture.display());
    let browser = state.0.path().join("browser");
    let seen = state.0.path().join("seen");
    let script = format!("#!/bin/sh\necho \"$@\" > {}\n", seen.display());
    let mut file = std::fs::OpenOptions::new();
    let mut file = file
        .write(true)
        .create(true)
        .mode(0o755)
        .open(&browser)
        .unwrap();
    std::io::Write::write_all(&mut file, script.as_bytes()).unwrap();
    drop(file);
    let opened = state
        .command(&["diagnose", "last", "--open"])
        .env(
            "BROWSER",
            format!("no-such-browser:{} --new %s", browser.display()),
        )
        .output()
        .unwrap();
    assert_eq!(opened.status.code(), Some(0), "{}", stderr(&opened));
    assert_eq!(stdout(&opened), format!("{page}\n"));
    let seen = std::fs::read_to_string(seen).unwrap();
    assert_eq!(seen, format!("--new {page}\n"));
    let mode = std::fs::metadata(&page).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn without_a_browser_the_path_is_printed() {
    let state = State::new();
    let capture = state.keep("2026-11-15T22-05-33Z-python-8.crashlens");
    let path = capture.to_str().unwrap();
    let opened = state
        .command(&["diagnose", path, "--open"])
        .output()
        .unwrap();
    assert_eq!(opened.status.code(), Some(0), "{}", stderr(&opened));
    assert_eq!(stdout(&opened), format!("{path}.html\n"));
    assert!(Path::new(&format!("{path}.html")).is_file());
}

/// What the documentation shows as the output of a name.
fn documented(name: &str) -> String {
    let page = include_str!("../../../../docs/reports.md");
    let mark = format!("<!-- output: {name} -->\n");
    let (_, after) = page.split_once(&mark).unwrap();
    let (fence, after) = after.split_once('\n').unwrap();
    let fence = fence.trim_end_matches(char::is_alphabetic);
    let (shown, _) = after.split_once(&format!("\n{fence}\n")).unwrap();
    shown.to_owned()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crashlens-core/fixtures")
        .join(name)
}

#[test]
fn the_documentation_shows_what_the_commands_write() {
    let folder = tempfile::tempdir().unwrap();
    let capture = fixture("captures/quantized-matmul-empty-range-2.8.0.json");
    let capture = serde_json::from_slice(&std::fs::read(capture).unwrap()).unwrap();
    let path = saved(folder.path(), capture);
    let death = output(&["diagnose", path.to_str().unwrap(), "--format", "md"]);
    assert_eq!(documented("death.md"), stdout(&death).trim_end());
    let survey = fixture("surveys/broken-install-native-core.json");
    let survey = survey.to_str().unwrap();
    let check = output(&["check", "env", "--from", survey, "--format", "junit"]);
    assert!(stdout(&check).contains(&documented("check.xml")));
}

#[test]
fn a_report_on_standard_input_needs_a_name_to_be_opened() {
    let state = State::new();
    let refused = state
        .command(&["diagnose", "-", "--open"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--output FILE"),
        "{}",
        stderr(&refused)
    );
}
