//! `check data` and `check model` on object storage, as a user meets them, against a server on this machine.
#![expect(
    clippy::unwrap_used,
    reason = "a failed step of a test is a failed test"
)]

#[path = "../../../crashlens-objects/tests/server/mod.rs"]
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use server::{Content, Server, Twist};

const SECRET: &str = "hunter2hunter2hunter2";
const KEY: &str = "AKIAEXAMPLEEXAMPLE";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crashlens-files/fixtures")
}

/// The files of a folder of fixtures, as objects below `prefix`.
fn objects(folder: &str, prefix: &str) -> Vec<(String, Content)> {
    let mut found = Vec::new();
    let mut folders = vec![fixtures().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(fixtures()).unwrap().to_str().unwrap();
            let content = Content::of(&fs::read(&path).unwrap());
            found.push((format!("{prefix}{name}"), content));
        }
    }
    found
}

fn serve(objects: &[(String, Content)]) -> Server {
    let objects: Vec<(&str, Content)> = objects
        .iter()
        .map(|(name, content)| (name.as_str(), content.clone()))
        .collect();
    Server::start(&objects)
}

/// The command with an environment that has the server, a key, and no other way out.
fn crashlens(server: &Server, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crashlens"));
    command
        .arg("check")
        .args(args)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("NO_PROXY", "127.0.0.1")
        .env("AWS_ENDPOINT_URL", &server.address)
        .env("AWS_ACCESS_KEY_ID", KEY)
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env("GOOGLE_BASE_URL", &server.address)
        .env("AZURE_STORAGE_ACCOUNT", "account")
        .env(
            "AZURE_STORAGE_ENDPOINT",
            format!("{}/account", server.address),
        );
    command
}

fn run(server: &Server, args: &[&str]) -> (Output, String) {
    let output = crashlens(server, args).output().unwrap();
    let text = [output.stdout.clone(), output.stderr.clone()].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(
        !text.contains(SECRET) && !text.contains(KEY),
        "a secret was told: {text}"
    );
    (output, text)
}

/// What was said of each file, one path put for another. How much memory is left changes from run to run, and what cannot
/// be looked at is not the same on a disk.
fn lines(output: &Output, path: &str, other: &str) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let text = text.replace(path, other);
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["schema"] != "crashlens.gap/1")
        .collect();
    for line in &mut lines {
        line["forecast"]["left"].take();
    }
    lines
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn objects_are_told_of_as_the_same_files_on_a_disk_are() {
    let mut all = objects("images", "");
    all.extend(objects("records", ""));
    all.extend(objects("checkpoint", ""));
    all.extend(objects("saved_model", ""));
    let server = serve(&all);
    for (what, folder) in [
        ("data", "images"),
        ("data", "records"),
        ("model", "checkpoint"),
        ("model", "checkpoint/ck-1"),
        ("model", "saved_model"),
    ] {
        let local = fixtures().join(folder);
        let local = local.to_str().unwrap();
        let (on_disk, _) = run(&server, &[what, local, "--format", "jsonl"]);
        let seen_on_disk = lines(&on_disk, local, local);
        assert!(!seen_on_disk.is_empty());
        for scheme in ["s3", "gs", "az"] {
            let remote = format!("{scheme}://train/{folder}");
            let (output, _) = run(&server, &[what, &remote, "--format", "jsonl"]);
            assert_eq!(lines(&output, &remote, local), seen_on_disk);
            assert_eq!(code(&output), code(&on_disk));
        }
    }
}

#[test]
fn a_damaged_object_is_found_and_what_cannot_be_seen_is_said() {
    let picture = fs::read(fixtures().join("images/rgb.png")).unwrap();
    let server = Server::start(&[
        ("set/good.png", Content::of(&picture)),
        ("set/cut.png", Content::of(&picture[..picture.len() / 2])),
    ]);
    let (output, text) = run(&server, &["data", "s3://train/set/"]);
    assert_eq!(code(&output), 1);
    assert!(text.contains("s3://train/set/cut.png"), "{text}");
    assert!(!text.contains("good.png"), "{text}");
    assert!(
        text.contains("objects that are being written right now"),
        "{text}"
    );
}

#[test]
fn patterns_fit_objects_as_they_fit_files() {
    let table = |number: u8| Content::of(format!("a,b\n1,{number}\n").as_bytes());
    let server = Server::start(&[
        ("p/1.csv", table(1)),
        ("p/2.csv", table(2)),
        ("p/2.txt", table(3)),
        ("p/q/3.csv", table(4)),
        ("p/q/r/4.csv", table(5)),
    ]);
    let found = |pattern: &str| {
        let (output, text) = run(&server, &["data", pattern, "--format", "jsonl"]);
        assert_eq!(code(&output), 0, "{text}");
        let lines = text
            .lines()
            .filter(|line| line.contains("crashlens.file/1"));
        let path = |line: &str| {
            let (_, rest) = line.split_once("\"path\":\"s3://train/p/").unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        lines.map(path).collect::<Vec<_>>()
    };
    assert_eq!(found("s3://train/p/*.csv"), ["1.csv", "2.csv"]);
    assert_eq!(found("s3://train/p/[2-9].*"), ["2.csv", "2.txt"]);
    assert_eq!(found("s3://train/p/*/?.csv"), ["q/3.csv"]);
    assert_eq!(
        found("s3://train/p/**/*.csv"),
        ["1.csv", "2.csv", "q/3.csv", "q/r/4.csv"]
    );
    let (output, text) = run(&server, &["data", "s3://train/p/*.png"]);
    assert_eq!(code(&output), 2);
    assert!(text.contains("no file fits it"), "{text}");
}

#[test]
fn one_bad_path_of_a_list_does_not_stop_the_others() {
    let server = Server::start(&[("a.csv", Content::of(b"a,b\n1,2\n"))]);
    let place = tempfile::tempdir().unwrap();
    let list = place.path().join("list");
    fs::write(
        &list,
        "s3://train/none.csv\ns3://nowhere/x.csv\ns3://train/a.csv\n",
    )
    .unwrap();
    let list = list.to_str().unwrap();
    let (output, text) = run(
        &server,
        &["data", "--files-from", list, "--format", "jsonl"],
    );
    assert_eq!(code(&output), 1);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("there is no such object"), "{text}");
    assert!(lines[1].contains("there is no such bucket"), "{text}");
    assert!(lines[2].contains("\"format\":\"csv\""), "{text}");
}

#[test]
fn a_manifest_tells_which_object_is_another_later() {
    let server = Server::start(&[
        ("m/a.csv", Content::of(b"a,b\n1,2\n")),
        ("m/b.csv", Content::of(b"a,b\n3,4\n")),
    ]);
    let place = tempfile::tempdir().unwrap();
    let manifest = place.path().join("manifest");
    let manifest = manifest.to_str().unwrap();
    let check = || run(&server, &["data", "s3://train/m", "--manifest", manifest]);
    assert_eq!(code(&check().0), 0);
    let written = fs::read_to_string(manifest).unwrap();
    assert!(written.contains("\"tag\":\"\\\""), "{written}");
    assert!(!written.contains(SECRET) && !written.contains(KEY));
    assert_eq!(code(&check().0), 0);
    server.put("m/b.csv", Content::of(b"a,b\n3,5\n"));
    let (output, text) = check();
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("s3://train/m/b.csv"), "{text}");
}

#[test]
fn an_interrupted_scan_goes_on_where_objects_are_the_same() {
    let server = Server::start(&[("m/a.csv", Content::of(b"a,b\n1,2\n"))]);
    let place = tempfile::tempdir().unwrap();
    let manifest = place.path().join("manifest");
    let check = || {
        run(
            &server,
            &[
                "data",
                "s3://train/m",
                "--manifest",
                manifest.to_str().unwrap(),
            ],
        )
    };
    check();
    let text = fs::read_to_string(&manifest).unwrap();
    // Without its last line it is what a killed scan leaves.
    let first = text.lines().next().unwrap();
    fs::write(&manifest, format!("{first}\n")).unwrap();
    let before = server.requests().len();
    assert_eq!(code(&check().0), 0);
    let reads = |it: &server::Request| it.method == "GET" && !it.key.is_empty();
    assert!(!server.requests()[before..].iter().any(reads));
}

#[test]
fn an_object_that_is_replaced_while_it_is_read_is_a_finding() {
    let picture = fs::read(fixtures().join("images/rgb.png")).unwrap();
    let other = Content::of(b"something else");
    let server = Server::twisted(
        &[("x.png", Content::of(&picture))],
        move |request, before| {
            // The first two questions are whether it is there; the next reads it; what comes then is the look afterwards.
            if request.method == "HEAD" && before >= 3 {
                Twist::Replace("x.png", other.clone())
            } else {
                Twist::None
            }
        },
    );
    let (output, text) = run(&server, &["data", "s3://train/x.png", "--jobs", "1"]);
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("changed while it was read"), "{text}");
}

#[test]
fn a_store_that_never_answers_ends_the_check_in_time() {
    let server = Server::twisted(&[], |_, _| Twist::Hang);
    let (output, text) = run(&server, &["data", "s3://train/x.png", "--timeout", "1s"]);
    assert_eq!(code(&output), 2);
    assert!(
        text.contains("cannot check s3://train/x.png: the store did not answer"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_checked_at_all_ends_with_status_2() {
    let body = "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKIAEXAMPLEEXAMPLE</AWSAccessKeyId></Error>";
    let server = Server::twisted(&[], move |request, _| {
        if request.key.starts_with("mine") || request.asks("prefix") == Some("mine/") {
            Twist::Status(403, body)
        } else if request.key == "moved" {
            Twist::Redirect("http://127.0.0.1:9/train/moved".to_owned())
        } else if request.asks("prefix") == Some("moved/") {
            Twist::Status(301, "")
        } else {
            Twist::None
        }
    });
    for (path, words) in [
        (
            "s3://train/mine",
            "the store refuses access (SignatureDoesNotMatch)",
        ),
        ("s3://train/none", "there is no such object"),
        ("s3://train/moved", "in another region"),
        ("gs://nowhere/a", "there is no such bucket"),
        (
            "s3://user:hunter2hunter2hunter2@train/a",
            "do not belong in a path",
        ),
    ] {
        let (output, text) = run(&server, &["data", path]);
        assert_eq!(code(&output), 2, "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn objects_are_never_moved() {
    let server = Server::start(&[("a.csv", Content::of(b"a,b\n1,2\n"))]);
    let (output, text) = run(&server, &["data", "s3://train/a.csv", "--move-to", "bad"]);
    assert_eq!(code(&output), 2);
    assert!(text.contains("cannot move objects"), "{text}");
    assert!(
        server
            .requests()
            .iter()
            .all(|it| it.method == "GET" || it.method == "HEAD")
    );
}
