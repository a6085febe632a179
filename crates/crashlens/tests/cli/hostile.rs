//! Text of strangers: whatever is in it, nothing but text reaches a terminal.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use crashlens_core::report::page;
use crashlens_core::{CrashCapture, Report, Survey};
use serde_json::Value;

use crate::{crashlens, sample};

/// Commands to a terminal, characters that turn the direction of reading, and characters that cannot be seen.
const HOSTILE: &str = concat!(
    "\x1b]52;c;aGk=\x07\x1b]0;title\x07\x1b[2J\x1b[8m\x1bc\x07\x08\r\x7f",
    "\u{9b}2J\u{9d}0;title\u{9c}\u{85}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}",
    "\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2060}\u{2028}\u{2029}\u{feff}\u{61c}\u{ad}",
);

/// The same for the name of a file, which may have no slash and is at most 255 bytes long.
fn hostile_name(ending: &str) -> String {
    format!("a{HOSTILE}b{ending}")
}

fn is_harmful(letter: char) -> bool {
    let is_layout = matches!(letter, '\n' | '\t');
    (letter.is_control() && !is_layout) || (HOSTILE.contains(letter) && !letter.is_ascii())
}

/// Fails if anything but text is in what was printed.
fn assert_harmless(output: &Output, about: &str) {
    for (stream, bytes) in [("output", &output.stdout), ("error", &output.stderr)] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        if let Some(at) = text.find(is_harmful) {
            let from = text.floor_char_boundary(at.saturating_sub(80));
            let to = text.floor_char_boundary(at + 40);
            panic!("{about}: standard {stream} has {:?}", &text[from..to]);
        }
    }
}

/// Fails if a command to the terminal other than a color of ours is in what was printed.
fn assert_only_colors(output: &Output, about: &str) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(bytes.clone()).unwrap();
        for foreign in [
            "\x1b]", "\x1b[2J", "\x1b[8m", "\x1bc", "\u{9b}", "\u{202e}", "\u{200b}", "\x07",
        ] {
            assert!(!text.contains(foreign), "{about}: {foreign:?}");
        }
    }
}

fn ran(args: &[&str]) -> Output {
    crashlens(args).output().unwrap()
}

/// Counts the strings in a value, and keys, and makes those at the chosen places hostile.
fn strings(value: &mut Value, is_chosen: &dyn Fn(usize) -> bool) -> usize {
    fn walk(value: &mut Value, is_chosen: &dyn Fn(usize) -> bool, count: &mut usize) {
        match value {
            Value::String(text) => {
                if is_chosen(*count) {
                    text.push_str(HOSTILE);
                }
                *count += 1;
            }
            Value::Array(elements) => elements
                .iter_mut()
                .for_each(|element| walk(element, is_chosen, count)),
            Value::Object(fields) => {
                fields
                    .values_mut()
                    .for_each(|field| walk(field, is_chosen, count));
                let first = fields.keys().next().cloned().unwrap_or_default();
                if is_chosen(*count)
                    && let Some(field) = fields.remove(&first)
                {
                    fields.insert(format!("{first}{HOSTILE}"), field);
                }
                *count += 1;
            }
            _ => {}
        }
    }
    let mut count = 0;
    walk(value, is_chosen, &mut count);
    count
}

/// A capture as a file, whatever its facts are.
fn save(folder: &Path, capture: &Value) -> PathBuf {
    let json = serde_json::to_vec(capture).unwrap();
    let mut sections = Vec::new();
    sections.extend(7_u32.to_le_bytes());
    sections.extend(b"capture");
    sections.extend((json.len() as u64).to_le_bytes());
    sections.extend(json);
    let mut bytes = b"crashlens capture 1\n".to_vec();
    bytes.extend(zstd::encode_all(sections.as_slice(), 0).unwrap());
    let path = folder.join("death.crashlens");
    fs::write(&path, bytes).unwrap();
    path
}

/// What a command is driven with.
struct Input<'a> {
    command: &'a [&'a str],
    formats: &'a [&'a str],
    save: &'a dyn Fn(&Value) -> PathBuf,
    is_understood: &'a dyn Fn(&Value) -> bool,
}

impl Input<'_> {
    fn run(&self, value: &Value, more: &[&str]) -> Output {
        let file = (self.save)(value);
        ran(&[self.command, &[file.to_str().unwrap()], more].concat())
    }

    /// Makes every string hostile: by itself those that must be another word, for the error; the others a few at a time,
    /// so that the rest still leads to a report; and all of them at once, in every format.
    fn drive(&self, value: &Value) {
        const AT_A_TIME: usize = 16;
        let count = strings(&mut value.clone(), &|_| false);
        assert!(count > 5, "{count}");
        let mut free = Vec::new();
        for place in 0..count {
            let mut changed = value.clone();
            strings(&mut changed, &|it| it == place);
            if (self.is_understood)(&changed) {
                free.push(place);
            } else {
                let about = format!("{:?}, string {place}", self.command);
                assert_harmless(&self.run(&changed, &[]), &about);
            }
        }
        for places in free.chunks(AT_A_TIME) {
            let mut changed = value.clone();
            strings(&mut changed, &|it| places.contains(&it));
            let about = format!("{:?}, strings {places:?}", self.command);
            assert_harmless(&self.run(&changed, &["-v"]), &about);
        }
        let mut changed = value.clone();
        strings(&mut changed, &|it| free.contains(&it));
        for format in self.formats {
            let output = self.run(&changed, &["--format", format, "-v"]);
            let about = format!("{:?} as {format}", self.command);
            assert!(!output.stdout.is_empty(), "{about}");
            assert_harmless(&output, &about);
        }
        let colored = self.run(&changed, &["--color", "always", "-v"]);
        assert_only_colors(&colored, &format!("{:?} in color", self.command));
    }
}

fn fixtures(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crashlens-core/fixtures")
        .join(below)
}

fn try_every_string_of(capture: &CrashCapture) {
    let folder = tempfile::tempdir().unwrap();
    let input = Input {
        command: &["diagnose"],
        formats: &["text", "json", "md", "html"],
        save: &|value| save(folder.path(), value),
        is_understood: &|value| serde_json::from_value::<CrashCapture>(value.clone()).is_ok(),
    };
    input.drive(&serde_json::to_value(capture).unwrap());
}

#[test]
fn no_string_of_a_capture_commands_the_terminal() {
    try_every_string_of(&sample::in_main_thread());
}

#[test]
fn no_string_of_a_capture_of_a_worker_commands_the_terminal() {
    try_every_string_of(&sample::in_worker_of_child());
}

#[test]
fn no_string_of_a_page_commands_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    let input = Input {
        command: &["diagnose"],
        formats: &["text", "json", "md", "html"],
        save: &|value| {
            let element = page::element(&value.to_string());
            fs::write(
                &path,
                format!("<!doctype html>{}{element}", page::generator()),
            )
            .unwrap();
            path.clone()
        },
        is_understood: &|value| {
            let report = serde_json::from_value::<Report>(value.clone());
            report.is_ok_and(|it| it.schema == crashlens_core::report::SCHEMA)
        },
    };
    let report = Report::of_capture(&sample::in_worker_of_child());
    input.drive(&serde_json::to_value(report).unwrap());
}

#[test]
fn no_string_of_a_survey_commands_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("survey.json");
    let input = Input {
        command: &["check", "env", "--from"],
        formats: &["text", "json", "jsonl", "sarif", "junit", "md", "html"],
        save: &|value| {
            fs::write(&path, value.to_string()).unwrap();
            path.clone()
        },
        is_understood: &|value| serde_json::from_value::<Survey>(value.clone()).is_ok(),
    };
    for name in [
        "protobuf-implementation",
        "vulnerable-version",
        "cut-off-package",
        "opencv-without-gl",
    ] {
        let text = fs::read(fixtures("surveys").join(name).with_added_extension("json")).unwrap();
        input.drive(&serde_json::from_slice(&text).unwrap());
    }
}

#[test]
fn no_line_of_a_pasted_log_commands_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.txt");
    for number in ["001", "014", "033", "052", "077", "101"] {
        let text = fs::read(fixtures("logs").join(number).with_added_extension("txt")).unwrap();
        let text = String::from_utf8_lossy(&text);
        let within_words: String = text.replace('.', &format!("{HOSTILE}."));
        let at_ends = text.replace('\n', &format!("{HOSTILE}\n"));
        for hostile in [within_words, at_ends] {
            fs::write(&path, hostile).unwrap();
            for format in ["text", "json"] {
                let output = ran(&["diagnose", path.to_str().unwrap(), "--format", format, "-v"]);
                assert_harmless(&output, &format!("log {number} as {format}"));
            }
        }
    }
}

#[test]
fn names_of_files_given_as_arguments_do_not_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let named = |ending: &str| {
        folder
            .path()
            .join(hostile_name(ending))
            .display()
            .to_string()
    };
    let missing = named("-missing");
    let (text, capture, image, elf) = (
        named(".txt"),
        named(".crashlens"),
        named(".png"),
        named(".so"),
    );
    fs::write(&text, "Segmentation fault (core dumped)\n").unwrap();
    fs::write(&capture, "crashlens capture 9\n").unwrap();
    fs::write(&image, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    fs::write(&elf, b"\x7fELF").unwrap();
    let saved = folder.path().join(hostile_name("-saved"));
    fs::create_dir(&saved).unwrap();
    let saved = save(
        &saved,
        &serde_json::to_value(sample::in_main_thread()).unwrap(),
    );
    let saved = saved.to_str().unwrap();
    let inside_missing = format!("{missing}/report.txt");
    let cases: &[&[&str]] = &[
        &["diagnose", &missing],
        &["diagnose", &text],
        &["diagnose", &capture],
        &["diagnose", &elf],
        &["diagnose", saved],
        &["diagnose", saved, "--format", "json"],
        &["diagnose", saved, "--advisories", &missing],
        &["diagnose", saved, "--advisories", &text],
        &["diagnose", saved, "--output", &inside_missing],
        &["diagnose", &missing, &missing],
        &["diagnose", saved, "--format", &missing],
        &["check", "env", "--from", &missing],
        &["check", "env", "--from", &text],
        &["check", "env", "--python", &missing],
        &["check", "data", &missing],
        &["check", "data", &image],
        &["check", "data", &image, "--format", "json"],
        &["check", "data", &image, "--format", "jsonl"],
        &["check", "data", &image, "--format", "sarif"],
        &["check", "data", &image, "--format", "md"],
        &["check", "data", "--files-from", &missing],
        &["check", "data", "--files-from", &text],
        &["check", "model", &missing],
        &["check", "model", &text],
        &["rules", &missing],
        &[&missing],
        &["check", "data", &format!("--{HOSTILE}")],
    ];
    for case in cases {
        assert_harmless(&ran(case), &format!("{case:?}"));
    }
}

#[test]
fn names_within_files_do_not_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let line = HOSTILE.replace(['\r', '\u{85}', '\u{2028}', '\u{2029}'], "");
    let pickle = format!("\x63o{line}s\nsy{line}stem\n(S'{line}'\ntR.");
    fs::write(folder.path().join("model.pkl"), pickle).unwrap();
    let tensors = serde_json::json!({
        format!("w{HOSTILE}"): {"dtype": format!("F32{HOSTILE}"), "shape": [2, 2], "data_offsets": [0, 999]},
        "__metadata__": {format!("k{HOSTILE}"): HOSTILE},
    })
    .to_string();
    let mut safetensors = (tensors.len() as u64).to_le_bytes().to_vec();
    safetensors.extend(tensors.as_bytes());
    fs::write(folder.path().join("model.safetensors"), &safetensors).unwrap();
    let mut table = fs::File::create(folder.path().join("table.csv")).unwrap();
    writeln!(table, "a{line},b\n1,2\n3{line}\n4,5,6").unwrap();
    fs::create_dir(folder.path().join(hostile_name("-folder"))).unwrap();
    fs::write(
        folder.path().join(hostile_name("-folder")).join("x.npy"),
        b"\x93NUMPY\x01\x00v\x00{'descr'",
    )
    .unwrap();
    for command in ["data", "model"] {
        for format in ["text", "json", "jsonl", "sarif", "md"] {
            let path = folder.path().to_str().unwrap();
            let output = ran(&["check", command, path, "--format", format, "-v"]);
            assert!(!output.stdout.is_empty(), "{command} {format}");
            assert_harmless(&output, &format!("check {command} as {format}"));
        }
    }
}
