use std::collections::HashSet;

use base64::Engine as _;
use crashlens_core::{CrashCapture, Frame, Run, Thread};
use sha2::{Digest as _, Sha256};

use super::*;
use crate::report::example;
use crate::report::terminal::{Columns, Verbosity, View, write_report};

fn page(report: &Report) -> String {
    let mut page = Vec::new();
    write(report, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn text(report: &Report) -> String {
    let mut text = Vec::new();
    let view = View {
        columns: Columns::new(None),
        verbosity: Verbosity::Full,
        fail_on: None,
    };
    write_report(report, &view, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn captures() -> Vec<(String, CrashCapture)> {
    let files = std::fs::read_dir("../crashlens-core/fixtures/captures").unwrap();
    let paths = files.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|it| it == "json"));
    paths
        .map(|path| {
            let json = std::fs::read_to_string(&path).unwrap();
            (
                path.display().to_string(),
                serde_json::from_str(&json).unwrap(),
            )
        })
        .collect()
}

fn capture(name: &str) -> CrashCapture {
    let mut captures = captures().into_iter();
    captures.find(|(path, _)| path.contains(name)).unwrap().1
}

fn values_of<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let values = page.split(attribute).skip(1);
    values.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_policy_allows_the_style_of_the_page_and_nothing_else() {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE));
    assert_eq!(
        include_str!("style.css.sha256"),
        hash,
        "write this into style.css.sha256"
    );
}

#[test]
fn every_claim_leads_to_a_place_on_the_page() {
    for (name, capture) in captures() {
        let page = page(&Report::of_capture(&capture));
        let ids = values_of(&page, " id=\"");
        let unique: HashSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{name}: an id occurs twice");
        for place in values_of(&page, "href=\"#") {
            assert!(unique.contains(&place), "{name}: {place}");
        }
    }
}

#[test]
fn a_page_that_is_read_back_says_the_same_in_every_form() {
    for (name, capture) in captures() {
        let report = Report::of_capture(&capture);
        let page = page(&report);
        let read = page::read(page.as_bytes()).unwrap();
        assert!(self::page(&read) == page, "{name}");
        assert!(text(&read) == text(&report), "{name}");
        assert_eq!(read.run, report.run, "{name}");
        assert!(page.len() <= LARGEST, "{name}: {} bytes", page.len());
    }
}

#[test]
fn a_page_with_a_hundred_busy_threads_is_small() {
    let mut capture = capture("jupyter-kernel-dies");
    let busy = capture
        .threads
        .iter()
        .max_by_key(|it| it.frames.len())
        .unwrap()
        .clone();
    for id in 0..100 {
        // No two of them in the same place, or they were one entry.
        let mut thread = Thread {
            id: 100_000 + id,
            name: format!("worker-{id}"),
            crashed: false,
            holds_gil: Some(false),
            ..busy.clone()
        };
        thread.frames.retain(|it| matches!(it, Frame::Native(_)));
        thread.frames.truncate(12);
        if let Some(Frame::Native(frame)) = thread.frames.first_mut() {
            frame.function = Some(format!("step_{id}"));
        }
        capture.threads.push(thread);
    }
    let report = Report::of_capture(&capture);
    assert!(report.deaths[0].threads.len() > 100);
    let page = page(&report);
    assert!(page.contains("worker-99"));
    assert!(page.contains("left out to keep the page small"));
    assert!(self::page(&page::read(page.as_bytes()).unwrap()) == page);
    assert!(page.len() <= LARGEST, "{} bytes", page.len());
}

#[test]
fn the_first_screen_has_the_cause_what_to_do_and_the_values_that_prove_it() {
    let page = page(&Report::of_capture(&capture(
        "quantized-matmul-empty-range",
    )));
    let first: String = page.split("The crashed thread").next().unwrap().to_owned();
    for part in [
        "SIGSEGV",
        ">certain<",
        "What to do first",
        "repro.py",
        "float32",
        "[0]",
    ] {
        assert!(first.contains(part), "{part}");
    }
}

#[test]
fn memory_is_a_plot_with_its_limit() {
    let page = page(&Report::of_capture(&capture("mem-cgroup-oom")));
    assert!(page.contains("limit 700 MiB"));
    assert!(page.contains("<polyline class=\"line\""));
}

#[test]
fn words_of_the_dead_process_are_text() {
    let hostile = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'`\u{1b}[31m\u{202e}";
    let mut capture = capture("jupyter-kernel-dies");
    capture.process.command = vec![hostile.to_owned(); 2];
    for thread in &mut capture.threads {
        thread.name = hostile.to_owned();
        for frame in &mut thread.frames {
            match frame {
                Frame::Native(frame) => frame.function = Some(hostile.to_owned()),
                Frame::Python(frame) => frame.source = Some(hostile.to_owned()),
            }
        }
    }
    let page = page(&Report::of_capture(&capture));
    assert_eq!(page.matches("<script").count(), 1, "that of the report");
    assert!(!page.contains("<img"));
    assert!(!page.contains(|it: char| harmless::is_harmful(it) && it != '\n'));
}

#[test]
fn a_check_is_a_page_with_its_findings_and_remedies() {
    let report = Report::of_inspections(vec![example::inspection(3)]);
    let page = page(&report);
    for part in [
        "1 will fail",
        "pip install",
        "False positive if",
        "LNK001",
        "What could not be looked at",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(self::page(&page::read(page.as_bytes()).unwrap()) == page);
}

#[test]
fn names_of_a_check_that_were_chosen_to_harm_are_text() {
    let page = page(&Report::of_inspections(vec![example::hostile()]));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(|it: char| harmless::is_harmful(it) && it != '\n'));
}

#[test]
fn an_ordinary_end_is_a_page_too() {
    let run = Run {
        exit_code: Some(0),
        ..Run::default()
    };
    let page = page(&Report::of_deaths(run, Vec::new()));
    assert!(page.contains("No process died of a signal (exit code 0)."));
}
