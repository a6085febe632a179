use crashlens_core::{CrashCapture, Run};

use super::super::{Owner, write as write_page};
use super::*;
use crate::report::sample;

fn page(report: &Report) -> String {
    let mut page = Vec::new();
    write_page(report, &Owner::new("/home/ada", "ada"), &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn of(capture: &CrashCapture) -> String {
    page(&Report::of_capture(capture))
}

#[test]
fn a_death_becomes_an_issue_in_the_shape_of_the_template() {
    insta::assert_snapshot!(of(&sample::in_main_thread()));
}

#[test]
fn no_death_takes_more_than_60_lines_or_tells_where_the_user_lives() {
    for name in std::fs::read_dir("../crashlens-core/fixtures/captures").unwrap() {
        let path = name.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let capture: CrashCapture =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let text = of(&capture);
        assert!(text.lines().count() <= 60, "{}: {text}", path.display());
        assert!(!text.contains("/home/"), "{}", path.display());
    }
}

#[test]
fn a_death_in_torch_follows_its_template() {
    let mut capture = sample::in_main_thread();
    let mut json = serde_json::to_value(&capture).unwrap();
    let text = json.to_string().replace("tensorflow-cpu", "torch");
    json = serde_json::from_str(&text).unwrap();
    capture = serde_json::from_value(json).unwrap();
    let text = of(&capture);
    assert!(text.starts_with("### 🐛 Describe the bug"), "{text}");
    assert!(text.contains("\n### Versions\n"), "{text}");
}

#[test]
fn words_of_the_dead_process_are_no_markup() {
    let hostile = "</details> `x` <script>alert(1)</script> @ada ![x](javascript:1) ````";
    let mut capture = sample::in_main_thread();
    capture.process.command = vec!["python".to_owned(), hostile.to_owned()];
    if let crashlens_core::Observed::Known(tail) = &mut capture.output.stderr {
        tail.lines = vec![hostile.to_owned()];
    }
    let mut report = Report::of_capture(&capture);
    report.deaths[0].diagnosis.findings[0].headline = hostile.to_owned();
    let text = page(&report);
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|letter| *letter == '`').collect();
        match &fence {
            Some(open) if ticks == *open => fence = None,
            None if ticks.len() > 2 => fence = Some(ticks),
            None if line.contains("alert(1)") => {
                let is_code = line.contains("`python </details>");
                assert!(
                    is_code || !line.contains("<script") && !line.contains("@ada"),
                    "{line}"
                );
            }
            _ => {}
        }
    }
    assert_eq!(fence, None);
}

#[test]
fn an_ordinary_end_is_one_line() {
    let report = Report::of_deaths(Run::default(), Vec::new());
    assert_eq!(page(&report), "No process died of a signal.\n");
}
