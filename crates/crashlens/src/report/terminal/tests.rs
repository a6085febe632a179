use super::*;
use crate::report::sample;

/// The text for a capture, with escape codes as people can read them.
fn text(capture: &crashlens_core::CrashCapture, columns: u16, verbosity: Verbosity) -> String {
    let mut report = Report::of_capture(capture);
    for death in &mut report.deaths {
        death.diagnosis = sample::findings::of(capture);
        death.saved = Some(
            "/home/ada/.local/state/crashlens/2026-11-15T22-05-33Z-python-4711.crashlens"
                .to_owned(),
        );
    }
    let mut bytes = Vec::new();
    let view = View {
        columns: Columns::new(Some(columns)),
        verbosity,
        fail_on: None,
    };
    write_report(&report, &view, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn plain(capture: &crashlens_core::CrashCapture, columns: u16, verbosity: Verbosity) -> String {
    anstream::adapter::strip_str(&text(capture, columns, verbosity)).to_string()
}

#[test]
fn a_death_on_the_main_thread_at_80_columns() {
    insta::assert_snapshot!(plain(&sample::in_main_thread(), 80, Verbosity::Folded));
}

#[test]
fn a_death_on_the_main_thread_at_120_columns() {
    insta::assert_snapshot!(plain(&sample::in_main_thread(), 120, Verbosity::Folded));
}

#[test]
fn a_death_on_the_main_thread_in_colour() {
    insta::assert_snapshot!(
        text(&sample::in_main_thread(), 80, Verbosity::Folded).replace('\u{1b}', "␛")
    );
}

#[test]
fn a_death_on_the_main_thread_in_few_words() {
    insta::assert_snapshot!(plain(&sample::in_main_thread(), 80, Verbosity::Quiet));
}

#[test]
fn a_death_on_the_main_thread_in_full() {
    insta::assert_snapshot!(plain(&sample::in_main_thread(), 80, Verbosity::Full));
}

#[test]
fn a_worker_of_a_child_died_while_the_main_thread_waited() {
    insta::assert_snapshot!(plain(&sample::in_worker_of_child(), 80, Verbosity::Folded));
}

#[test]
fn a_process_killed_for_its_memory() {
    insta::assert_snapshot!(plain(&sample::out_of_memory(), 80, Verbosity::Folded));
}

#[test]
fn a_process_that_was_only_looked_at() {
    insta::assert_snapshot!(plain(&sample::running(), 80, Verbosity::Folded));
}

#[test]
fn a_text_that_tells_little_is_not_taken_for_a_process() {
    insta::assert_snapshot!(plain(&sample::text(), 80, Verbosity::Folded));
}

#[test]
fn what_happened_where_why_and_what_to_do_fit_the_first_screen() {
    let text = plain(&sample::in_main_thread(), 80, Verbosity::Folded);
    let screen: Vec<&str> = text.lines().take(24).collect();
    let screen = screen.join("\n");
    for part in [
        "died of SIGSEGV",
        "layers.py, line 18",
        "from tensorflow-cpu 2.15.1",
        "Why (likely)",
        "Against it",
        "What to do first",
    ] {
        assert!(
            screen.contains(part),
            "{part} is not on the first screen:\n{screen}"
        );
    }
}

#[test]
fn an_endless_recursion_is_one_line() {
    insta::assert_snapshot!(plain(&sample::recursion(), 80, Verbosity::Folded));
}

#[test]
fn no_line_is_wider_than_the_terminal_but_for_what_is_to_be_copied() {
    let captures = [
        sample::in_main_thread(),
        sample::in_worker_of_child(),
        sample::running(),
        sample::recursion(),
        sample::text(),
    ];
    for (columns, capture) in [60, 80, 100]
        .iter()
        .flat_map(|columns| captures.iter().map(move |capture| (*columns, capture)))
    {
        let text = plain(capture, columns, Verbosity::Folded);
        for line in text.lines().filter(|line| !line.contains(".crashlens")) {
            let width = textwrap::core::display_width(line);
            assert!(width <= usize::from(columns), "{width} > {columns}: {line}");
        }
    }
}
