//! The cases, in the order of the page.

mod full_screen;
mod job_control;
mod keys;
mod pagers;
mod prompts;
mod python;
mod streams;

use super::case::Case;

pub fn all() -> Vec<&'static Case> {
    let tables: [&'static [Case]; 7] = [
        pagers::CASES,
        full_screen::CASES,
        python::CASES,
        prompts::CASES,
        streams::CASES,
        keys::CASES,
        job_control::CASES,
    ];
    tables.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::case::Step;
    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own_and_says_what_it_shows() {
        let cases = all();
        let names: BTreeSet<_> = cases.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), cases.len());
        assert!(cases.iter().all(|case| !case.shows.is_empty()));
        assert!(cases.iter().all(|case| case.command.contains("run ")));
        for case in cases {
            assert!(case.status().parse::<u8>().is_ok(), "{}", case.name);
        }
    }

    #[test]
    fn nothing_is_typed_before_the_program_has_shown_something() {
        // Until then the terminal has the modes of the shell, and it is a matter of luck what becomes of a key.
        for case in all() {
            let first = case.steps.first();
            let waits = first.is_none_or(|step| matches!(step, Step::See(_)));
            assert!(waits, "{}", case.name);
        }
    }

    #[test]
    fn no_step_waits_for_a_line_that_was_typed() {
        // The line is on the screen before the program answers it.
        for case in all() {
            for steps in case.script().windows(3) {
                let (line, wanted) = match steps {
                    [Step::Type(line), Step::Press("Enter"), wanted] => (line, wanted),
                    [Step::Type(line), wanted, _] if line.ends_with('\r') => (line, wanted),
                    _ => continue,
                };
                if let Step::See(text) = wanted {
                    assert!(!line.contains(text), "{}: {text:?}", case.name);
                }
            }
        }
    }
}
