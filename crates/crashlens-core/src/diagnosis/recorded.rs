//! Every recorded death is judged, and compared with the causes that count as right for it.
//!
//! The answers are committed as `fixtures/captures/confusion.txt`.

use crate::cause::Cause;
use crate::fixtures;
use crate::graded::{self, Answer};

#[test]
fn recorded_deaths_are_explained_at_least_as_well_as_before() {
    let labels = std::fs::read_to_string(fixtures::folder().join("captures/labels.csv")).unwrap();
    let answers: Vec<Answer> = labels
        .lines()
        .skip(1)
        .map(|line| {
            let (capture, accept) = line.split_once(',').unwrap();
            Answer::new(
                capture,
                accept,
                &fixtures::load(&format!("captures/{capture}")),
            )
        })
        .collect();
    graded::hold(&answers, &fixtures::folder().join("captures/confusion.txt"));
}

#[test]
fn every_recorded_death_has_a_label_and_every_label_a_recorded_death() {
    let labels = std::fs::read_to_string(fixtures::folder().join("captures/labels.csv")).unwrap();
    let labelled: Vec<_> = labels
        .lines()
        .skip(1)
        .filter_map(|line| Some(format!("captures/{}", line.split_once(',')?.0)))
        .collect();
    assert_eq!(labelled, fixtures::all_in("captures"));
    for word in labels
        .lines()
        .skip(1)
        .flat_map(|line| line.split([',', ' ']).skip(1))
    {
        assert!(
            Cause::ALL.iter().any(|cause| cause.word() == word),
            "{word} is no cause"
        );
    }
}
