//! The pages that are looked at: each kind of report, and one whose every word was chosen to harm.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use crashlens_core::report::{Hang, page};
use crashlens_core::{
    CaptureFile, CrashCapture, EndingKind, Frame, Report, Run, Survey, Thread, inspection,
};
use serde_json::Value;

use crate::workspace;

const CAPTURES: &str = "crates/crashlens-core/fixtures/captures";
const SURVEY: &str = "crates/crashlens-core/fixtures/surveys/broken-install-native-core.json";
const SAMPLES: &str = "corpus/files/base";

/// What a stranger might plant: elements, handlers, addresses that run, and characters that cannot be seen.
const PLANTED: &str = concat!(
    "\"'><script>window.planted=1</script><img src=x onerror=window.planted=1>",
    "<a href=\"javascript:window.planted=1\">a</a><svg onload=window.planted=1><base href=//x.invalid>",
    "</script></style></title><!--\u{202e}\u{200b}\u{1b}[31m\u{0}`${window.planted=1}`",
);
/// Fields of a report that hold foreign text.
const FOREIGN: [&str; 19] = [
    "function",
    "name",
    "file",
    "library",
    "path",
    "text",
    "what",
    "part",
    "headline",
    "claim",
    "action",
    "command",
    "lines",
    "argv",
    "kernel_log",
    "model",
    "cpu_model",
    "kernel",
    "task",
];

/// A page, and how crashlens makes it.
pub struct Scene {
    pub name: &'static str,
    /// Arguments of crashlens, without the format and the file.
    arguments: Vec<PathBuf>,
}

impl Scene {
    /// Writes the page.
    pub fn write(&self, crashlens: &Path, folder: &Path) -> Result<PathBuf> {
        let page = folder.join(format!("{}.html", self.name));
        let mut command = Command::new(crashlens);
        command
            .args(&self.arguments)
            .args(["--format", "html", "--output"])
            .arg(&page);
        // A check that finds something ends with 1.
        let output = command.output()?;
        let code = output.status.code();
        anyhow::ensure!(
            matches!(code, Some(0 | 1)),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(page)
    }
}

/// Every scene, with what it needs in `folder`.
pub fn all(folder: &Path) -> Result<Vec<Scene>> {
    let inputs = folder.join("inputs");
    fs_err::create_dir_all(&inputs)?;
    let diagnose = |name, input: PathBuf| Scene {
        name,
        arguments: vec!["diagnose".into(), input],
    };
    let survey: Survey = serde_json::from_slice(&fs_err::read(workspace::root().join(SURVEY))?)?;
    let check = Report::of_inspections(vec![inspection::inspect(&survey)]);
    let mut scenes = Vec::new();
    let captures = [
        ("death", capture("quantized-matmul-empty-range-2.8.0")?),
        ("worker", capture("child-pool-worker")?),
        ("threads", busy(capture("op-pool-thread-2.15.1")?)),
        ("memory", capture("mem-cgroup-oom-2.15.1")?),
    ];
    for (name, capture) in captures {
        scenes.push(diagnose(name, save(&inputs, name, capture)?));
    }
    let reports = [
        ("hang", hang()?),
        ("check-env", check),
        (
            "hostile",
            hostile(&Report::of_capture(&capture("child-pool-worker")?))?,
        ),
    ];
    for (name, report) in reports {
        scenes.push(diagnose(name, wrap(&inputs, name, &report)?));
    }
    scenes.push(Scene {
        name: "check-data",
        arguments: vec!["check".into(), "data".into(), damaged(&inputs)?],
    });
    Ok(scenes)
}

fn capture(name: &str) -> Result<CrashCapture> {
    let path = workspace::root()
        .join(CAPTURES)
        .join(name)
        .with_added_extension("json");
    serde_json::from_slice(&fs_err::read(path)?).with_context(|| name.to_owned())
}

/// With a hundred threads, no two of them in the same place.
fn busy(mut capture: CrashCapture) -> CrashCapture {
    let frames = capture.threads.iter().flat_map(|it| &it.frames);
    let frames: Vec<Frame> = frames
        .filter(|it| matches!(it, Frame::Native(_)))
        .cloned()
        .collect();
    let Some(idle) = capture.threads.iter().find(|it| !it.crashed).cloned() else {
        return capture;
    };
    for number in 0..100_u32 {
        let from = number as usize % frames.len().max(1);
        capture.threads.push(Thread {
            id: 90_000 + number,
            name: format!("tf_Compute/{number}"),
            waits_for_crashed: false,
            frames: frames
                .iter()
                .cycle()
                .skip(from)
                .take(8 + from % 9)
                .cloned()
                .collect(),
            ..idle.clone()
        });
    }
    capture
}

fn hang() -> Result<Report> {
    let mut capture = capture("near-kill-nine")?;
    capture.ending.kind = EndingKind::Running;
    capture.ending.signal = None;
    let mut report = Report::of_deaths(Run::default(), Vec::new());
    report.hangs.push(Hang::new(95.0, None, [&capture]));
    Ok(report)
}

/// With what was planted in every foreign text.
fn hostile(report: &Report) -> Result<Report> {
    let mut value = serde_json::to_value(report)?;
    plant(&mut value, false);
    Ok(serde_json::from_value(value)?)
}

fn plant(value: &mut Value, is_foreign: bool) {
    match value {
        Value::String(text) if is_foreign => text.push_str(PLANTED),
        Value::Array(elements) => elements.iter_mut().for_each(|it| plant(it, is_foreign)),
        Value::Object(fields) => {
            // A line of Python; that of a death is a word of ours.
            let is_line = fields.contains_key("file");
            for (name, field) in fields {
                let is_source = is_line && name == "source";
                plant(field, is_source || FOREIGN.contains(&name.as_str()));
            }
        }
        _ => {}
    }
}

fn save(folder: &Path, name: &str, capture: CrashCapture) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.crashlens"));
    let file = CaptureFile {
        capture,
        recording: None,
    };
    file.write(File::create(&path)?)?;
    Ok(path)
}

/// A page with nothing but the report, for crashlens to make a whole one of it.
fn wrap(folder: &Path, name: &str, report: &Report) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.html"));
    let element = page::element(&serde_json::to_string(report)?);
    fs_err::write(
        &path,
        format!("<!doctype html>{}{element}", page::generator()),
    )?;
    Ok(path)
}

/// A folder of files, the first of each format whole and a truncated copy beside it.
fn damaged(folder: &Path) -> Result<PathBuf> {
    let data = folder.join("data");
    for format in ["jpeg", "png", "tfrecord", "npy"] {
        let samples = workspace::root().join(SAMPLES).join(format);
        let mut paths: Vec<PathBuf> = fs_err::read_dir(samples)?
            .map(|entry| entry.map(|it| it.path()))
            .collect::<Result<_, _>>()?;
        paths.sort();
        let path = paths.first().context("a sample")?;
        let bytes = fs_err::read(path)?;
        let name = path
            .file_name()
            .context("a name")?
            .to_string_lossy()
            .into_owned();
        fs_err::create_dir_all(&data)?;
        fs_err::write(data.join(&name), &bytes)?;
        fs_err::write(
            data.join(format!("truncated-{name}")),
            &bytes[..bytes.len() * 2 / 3],
        )?;
    }
    Ok(data)
}
