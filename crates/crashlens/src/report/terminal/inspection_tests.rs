use super::*;
use crate::report::example;
use crate::report::terminal::Columns;

fn coloured(inspection: &Inspection, columns: u16, verbosity: Verbosity) -> String {
    let mut bytes = Vec::new();
    let view = View {
        columns: Columns::new(Some(columns)),
        verbosity,
        fail_on: None,
    };
    write_inspection(inspection, &view, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn plain(inspection: &Inspection, columns: u16, verbosity: Verbosity) -> String {
    anstream::adapter::strip_str(&coloured(inspection, columns, verbosity)).to_string()
}

#[test]
fn a_sound_environment_at_80_columns() {
    insta::assert_snapshot!(plain(&example::inspection(0), 80, Verbosity::Folded));
}

#[test]
fn one_finding_at_80_columns() {
    insta::assert_snapshot!(plain(&example::inspection(1), 80, Verbosity::Folded));
}

#[test]
fn three_findings_the_worst_first() {
    insta::assert_snapshot!(plain(&example::inspection(3), 80, Verbosity::Folded));
}

#[test]
fn three_findings_in_colour() {
    let text = coloured(&example::inspection(3), 80, Verbosity::Folded);
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn three_findings_in_few_words() {
    insta::assert_snapshot!(plain(&example::inspection(3), 80, Verbosity::Quiet));
}

#[test]
fn three_findings_and_every_check_in_full() {
    insta::assert_snapshot!(plain(&example::inspection(3), 80, Verbosity::Full));
}

#[test]
fn of_many_findings_the_rest_is_counted() {
    let text = plain(&example::inspection(30), 80, Verbosity::Folded);
    assert!(text.contains("and 15 more (-v shows them)"), "{text}");
    assert!(text.contains("10 will fail, 10 can crash, 10 worth knowing"));
    assert!(text.lines().count() < 130, "{} lines", text.lines().count());
    let full = plain(&example::inspection(30), 80, Verbosity::Full);
    assert_eq!(full.matches("worth knowing  /dev/shm").count(), 10);
}

#[test]
fn names_that_were_chosen_to_harm_do_not() {
    for verbosity in [Verbosity::Quiet, Verbosity::Folded] {
        let text = plain(&example::hostile(), 80, verbosity);
        let is_harmless = |letter: char| letter == '\n' || !letter.is_control();
        assert!(text.chars().all(is_harmless), "{text:?}");
        assert!(!text.contains('\u{202e}'));
        assert!(text.len() < 4000, "{} bytes", text.len());
    }
}

#[test]
fn no_line_is_wider_than_the_terminal_but_for_what_is_to_be_copied() {
    for columns in [60, 80, 100] {
        let text = plain(&example::inspection(3), columns, Verbosity::Full);
        for line in text.lines() {
            let is_one_word = line.trim().split(' ').count() <= 2;
            let is_command = line.contains("-m pip") || line.contains("docker");
            let width = textwrap::core::display_width(line);
            assert!(
                width <= usize::from(columns) || is_one_word || is_command,
                "{width} > {columns}: {line}"
            );
        }
    }
}
