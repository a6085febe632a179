use std::process::Stdio;

use crashlens_core::Report;
use serde_json::Value;

use crate::{crashlens, output, sample, saved, stderr, stdout};

#[test]
fn a_saved_capture_gives_the_report_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let path = path.to_str().unwrap();
    let output = output(&["diagnose", path, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    let mut expected = Report::of_capture(&sample::in_main_thread());
    expected.deaths[0].saved = Some(path.to_owned());
    assert_eq!(report, expected);
}

/// An advisory about the op of the sample, which dies of a null pointer.
const OSV: &str = r#"{
    "id": "GHSA-test-0001",
    "aliases": ["CVE-2099-0001"],
    "summary": "Null pointer dereference in QuantizedMatMul",
    "affected": [{
        "package": {"name": "tensorflow", "ecosystem": "PyPI"},
        "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1.0"}]}]
    }]
}"#;

#[test]
fn advisories_that_are_given_name_the_version_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let path = path.to_str().unwrap();
    let advisories = folder.path().join("osv.json");
    std::fs::write(&advisories, OSV).unwrap();
    let advisories = advisories.to_str().unwrap();
    let output = output(&[
        "diagnose",
        path,
        "--advisories",
        advisories,
        "--format",
        "json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json = stdout(&output);
    assert!(json.contains("CVE-2099-0001"), "{json}");
    assert!(json.contains("==99.1.0"), "{json}");
}

#[test]
fn a_file_that_holds_no_advisories_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let path = path.to_str().unwrap();
    let missing = folder.path().join("missing.json");
    let refused = output(&["diagnose", path, "--advisories", missing.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("missing.json"),
        "{}",
        stderr(&refused)
    );
    let refused = output(&["diagnose", path, "--advisories", path]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("OSV"), "{}", stderr(&refused));
}

#[test]
fn the_json_has_what_the_contract_promises() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_worker_of_child());
    let output = output(&["diagnose", path.to_str().unwrap(), "--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "crashlens.report/1");
    assert_eq!(json["crashlens"], env!("CARGO_PKG_VERSION"));
    let contract: [(&str, &[&str]); 8] = [
        ("", &["schema", "crashlens", "run", "deaths", "inspections"]),
        (
            "/run",
            &[
                "argv",
                "exit_code",
                "wait_status",
                "duration_seconds",
                "supervision",
                "own_cpu_seconds",
                "gaps",
            ],
        ),
        (
            "/deaths/0",
            &[
                "pid",
                "parent_pid",
                "role",
                "command",
                "ending",
                "culprit",
                "diagnosis",
                "registers",
                "threads",
                "modules",
                "environment",
                "host",
                "memory",
                "output",
                "gaps",
            ],
        ),
        ("/deaths/0/ending", &["kind", "signal", "code", "address"]),
        (
            "/deaths/0/culprit",
            &[
                "op", "kernel", "function", "library", "package", "python", "thread",
            ],
        ),
        (
            "/deaths/0/culprit/python",
            &["file", "line", "function", "source"],
        ),
        ("/deaths/0/culprit/thread", &["id", "name", "role"]),
        ("/deaths/0/diagnosis", &["findings", "ruled_out"]),
    ];
    for (place, fields) in contract {
        let object = json.pointer(place).and_then(Value::as_object).unwrap();
        for field in fields {
            assert!(object.contains_key(*field), "{place}/{field}");
        }
    }
}

#[test]
fn every_field_of_a_report_is_in_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../../schema/report.v1.json")).unwrap();
    let report = serde_json::to_value(Report::of_capture(&sample::in_main_thread())).unwrap();
    check(&report, &schema, &schema, "report");
}

/// Follows a value and its schema together: every field declared, every required field there.
fn check(value: &Value, schema: &Value, root: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return check(value, target, root, place);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choice = choices.iter().find(|choice| choice["type"] != "null");
        if !value.is_null() {
            check(value, choice.unwrap(), root, place);
        }
        return;
    }
    match value {
        Value::Object(fields) if schema["properties"].is_object() && schema["oneOf"].is_null() => {
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(
                    fields.contains_key(required.as_str().unwrap()),
                    "{place} lacks {required}"
                );
            }
            for (name, field) in fields {
                assert!(
                    schema["properties"][name].is_object(),
                    "{place}/{name} is not in the schema"
                );
                check(
                    field,
                    &schema["properties"][name],
                    root,
                    &format!("{place}/{name}"),
                );
            }
        }
        Value::Array(items) if schema["items"].is_object() => {
            for item in items {
                check(item, &schema["items"], root, &format!("{place}[]"));
            }
        }
        _ => {}
    }
}

#[test]
fn a_capture_may_come_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let output = crashlens(&["diagnose", "-"])
        .stdin(std::fs::File::open(path).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("python (pid 4711) died of SIGSEGV"));
}

#[test]
fn text_is_a_witness_and_not_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("train.log");
    std::fs::write(&log, "Segmentation fault (core dumped)\n").unwrap();
    let told = output(&["diagnose", log.to_str().unwrap()]);
    assert_eq!(told.status.code(), Some(0));
    let text = stdout(&told);
    assert!(
        text.contains("According to the text, the process died of SIGSEGV"),
        "{text}"
    );
    assert!(!text.contains("pid 0"), "{text}");
    assert!(!text.contains("Saved"), "{text}");

    let json = output(&["diagnose", log.to_str().unwrap(), "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(report["deaths"][0]["source"], "text");
}

#[test]
fn text_may_come_through_a_pipe_and_be_written_by_windows() {
    let text = "\u{feff}Windows fatal exception: access violation\r\n\r\n\
        Current thread 0x00001a2c (most recent call first):\r\n  File \"train.py\", line 12 in step\r\n";
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.log");
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&log, bytes).unwrap();
    let told = crashlens(&["diagnose", "-", "--format", "json"])
        .stdin(std::fs::File::open(log).unwrap())
        .output()
        .unwrap();
    assert_eq!(told.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&told.stdout).unwrap();
    let death = &report["deaths"][0];
    assert_eq!(death["ending"]["signal"], "SIGSEGV");
    assert_eq!(death["culprit"]["python"]["file"], "train.py");
    assert_eq!(death["culprit"]["python"]["line"], 12);
}

#[test]
fn a_backtrace_in_text_names_function_library_and_package() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("gdb.txt");
    let text = "tensorflow==2.4.0\n\
        Thread 20 \"python3\" received signal SIGSEGV, Segmentation fault.\n\
        (gdb) bt\n\
        #0  0x00007fffaf100466 in tensorflow::Tensor::~Tensor() () from /v/site-packages/tensorflow/libtensorflow_framework.so.2\n\
        #1  0x00007fffaf3000db in tensorflow::Executor::Run (this=0x0) at executor.cc:12\n";
    std::fs::write(&log, text).unwrap();
    let json = output(&["diagnose", log.to_str().unwrap(), "--format", "json"]);
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    let culprit = &report["deaths"][0]["culprit"];
    assert_eq!(culprit["function"], "tensorflow::Tensor::~Tensor()");
    assert_eq!(culprit["library"], "libtensorflow_framework.so.2");
    assert_eq!(culprit["package"]["version"], "2.4.0");
    assert_eq!(culprit["thread"]["name"], "python3");
}

#[test]
fn what_is_neither_core_nor_capture_nor_text_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("crash.png");
    std::fs::write(&picture, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    let refused = output(&["diagnose", picture.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("crash.png is not a core file, capture or text\n  help: "));
    assert!(refused.stdout.is_empty());

    std::fs::write(&picture, "").unwrap();
    let empty = output(&["diagnose", picture.to_str().unwrap()]);
    assert_eq!(empty.status.code(), Some(2));

    let program = output(&["diagnose", env!("CARGO_BIN_EXE_crashlens")]);
    assert_eq!(program.status.code(), Some(2));
    assert!(stderr(&program).contains("is a program or library, not a core file, capture or text"));

    let missing = output(&["diagnose", folder.path().join("nothing").to_str().unwrap()]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).ends_with("nothing: no such file\n"));

    let directory = output(&["diagnose", folder.path().to_str().unwrap()]);
    assert_eq!(directory.status.code(), Some(2));
}

#[test]
fn a_damaged_capture_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let output = output(&["diagnose", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("death.crashlens: the capture "));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::recursion());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = crashlens(&["diagnose", path.to_str().unwrap(), "-v"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_report_file_takes_the_place_of_the_stream() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let report = folder.path().join("report.txt");
    let output = output(&[
        "diagnose",
        path.to_str().unwrap(),
        "-q",
        "--output",
        report.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    assert!(
        std::fs::read_to_string(report)
            .unwrap()
            .contains("died of SIGSEGV")
    );
}

#[test]
fn a_report_may_go_to_a_pipe_that_has_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let output = output(&[
        "diagnose",
        path.to_str().unwrap(),
        "-q",
        "--output",
        "/dev/stdout",
    ]);
    assert!(stdout(&output).contains("died of SIGSEGV"));
}

#[test]
fn colour_is_used_when_asked_for_and_not_in_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), sample::in_main_thread());
    let path = path.to_str().unwrap();
    assert!(!stdout(&output(&["diagnose", path])).contains('\u{1b}'));
    assert!(stdout(&output(&["diagnose", path, "--color", "always"])).contains("\u{1b}[1m"));
    assert!(!stdout(&output(&["diagnose", path, "--color", "never"])).contains('\u{1b}'));
}
