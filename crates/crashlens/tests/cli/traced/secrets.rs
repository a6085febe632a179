//! A program that is full of secrets dies; nothing that is shown or saved has one of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crashlens_core::CaptureFile;

use crate::crashlens;

/// Written for the test. Each is in many places of the program; none may be anywhere else.
const SECRETS: [&str; 8] = [
    "AKIAQ7ZP4XW2LM9TR5VC",
    "h8Kd0+Zt3vQx/LmW5nYr2BsJ7uCp9EaGf1TiNoRk",
    "hf_QwErTyUiOpAsDfGhJkLzXcVbNm",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "Tr0ub4dor-3",
    "correct-horse-battery",
    "MIIEpAIBAAKCAQEA7bqKx",
    "q1xZ0Pl3mNnQs8vT",
];

const PROGRAM: &str = include_str!("programs/secretive.py");

/// The last line that the program writes.
const LAST_WORDS: &str = "these are its last words\n";

fn key() -> String {
    let [.., first, second] = SECRETS;
    format!("-----BEGIN RSA PRIVATE KEY-----\n{first}\n{second}\n-----END RSA PRIVATE KEY-----")
}

/// The program in `folder`, with its secrets, and its arguments.
fn program(folder: &Path) -> Vec<String> {
    let [id, secret, hugging_face, github, in_url, password, ..] = SECRETS;
    let text = PROGRAM
        .replace("{id}", id)
        .replace("{secret}", secret)
        .replace("{hugging_face}", hugging_face)
        .replace("{github}", github)
        .replace("{in_url}", in_url)
        .replace("{password}", password)
        .replace("{key}", &key());
    let path = folder.join("secretive.py");
    std::fs::write(&path, text).unwrap();
    let arguments = [
        interpreter(),
        path.to_str().unwrap().to_owned(),
        "--password".to_owned(),
        password.to_owned(),
        format!("--token={github}"),
        format!("--aws-secret-access-key={secret}"),
        format!("postgres://ada:{in_url}@db/prod"),
        hugging_face.to_owned(),
        id.to_owned(),
        key(),
    ];
    arguments.to_vec()
}

/// The interpreter itself: `python3` may be a shell script that looks for it.
fn interpreter() -> String {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    String::from_utf8(asked.stdout).unwrap().trim().to_owned()
}

fn with_environment<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    let [id, secret, hugging_face, github, in_url, ..] = SECRETS;
    command
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("AWS_ACCESS_KEY_ID", id)
        .env("AWS_SECRET_ACCESS_KEY", secret)
        .env("HF_TOKEN", hugging_face)
        .env("GITHUB_TOKEN", github)
        .env("TF_STORE_API_KEY", secret)
        .env("TF_STORE_URL", format!("postgres://ada:{in_url}@db/prod"))
        .env("PRIVATE_KEY", key())
}

/// Runs the program under crashlens and gives back what crashlens itself wrote.
fn run(folder: &Path, options: &[&str]) -> String {
    let mut arguments = vec!["run"];
    arguments.extend(options);
    arguments.push("--");
    let program = program(folder);
    arguments.extend(program.iter().map(String::as_str));
    let output = with_environment(&mut crashlens(&arguments), folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let (own, report) = text.split_once(LAST_WORDS).expect(&text);
    assert!(own.contains(SECRETS[0]), "the program's own words stay");
    report.to_owned()
}

fn diagnose(folder: &Path, file: &str, options: &[&str]) -> String {
    let mut arguments = vec!["diagnose", file];
    arguments.extend(options);
    let output = with_environment(&mut crashlens(&arguments), folder)
        .output()
        .unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

fn assert_no_secret(what: &str, text: &[u8]) {
    for secret in SECRETS {
        let found = text
            .windows(secret.len())
            .position(|window| window == secret.as_bytes());
        let around = found.map(|position| {
            let end = text.len().min(position + 120);
            String::from_utf8_lossy(&text[position.saturating_sub(200)..end]).into_owned()
        });
        assert_eq!(around, None, "{secret} in {what}");
    }
}

/// What is in a saved file, once unpacked.
fn assert_file_has_no_secret(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    let file = CaptureFile::read(&bytes).unwrap();
    assert_no_secret("the facts", &serde_json::to_vec(&file.capture).unwrap());
    assert_no_secret("the recording", &file.recording.unwrap());
}

#[test]
fn no_secret_of_the_program_is_shown_or_saved() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = run(folder, &["-v", "--save", "text"]);
    assert!(
        text.contains("harmless") && text.contains("[masked]"),
        "{text}"
    );
    assert_no_secret("the text", text.as_bytes());
    let json = run(folder, &["--format", "json", "--save", "json"]);
    assert!(json.contains("batch_size"), "{json}");
    assert_no_secret("the JSON", json.as_bytes());
    for saved in ["text", "json"] {
        assert_file_has_no_secret(&folder.join(saved));
        for options in [["-v"].as_slice(), &["--format", "json"]] {
            let again = diagnose(folder, saved, options);
            assert!(again.contains("harmless"), "{again}");
            assert_no_secret("the report of the saved file", again.as_bytes());
        }
    }
}

#[test]
fn no_secret_in_a_core_file_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -c unlimited; exec \"$0\" \"$@\""])
        .args(program(folder));
    with_environment(&mut command, folder).output().unwrap();
    let is_core = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("core")
    };
    let files = std::fs::read_dir(folder).unwrap();
    // Where the kernel hands cores to a collector there is none.
    let Some(core) = files.map(|file| file.unwrap().path()).find(is_core) else {
        return;
    };
    for options in [["-v"].as_slice(), &["--format", "json"]] {
        let report = diagnose(folder, core.to_str().unwrap(), options);
        assert!(report.contains("harmless"), "{report}");
        assert_no_secret("the report of the core", report.as_bytes());
    }
}

#[test]
fn values_are_left_out_when_they_are_not_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(
        folder.path(),
        &["--no-locals", "--format", "json", "--save", "death"],
    );
    assert!(!report.contains("\"locals\""), "{report}");
    assert_file_has_no_secret(&folder.path().join("death"));
    let again = diagnose(folder.path(), "death", &["-v"]);
    assert!(!again.contains("harmless"), "{again}");
}
