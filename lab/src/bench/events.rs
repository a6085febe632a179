//! Programs that do hardly anything but stop for the tracer.

use anyhow::{Result, ensure};

use super::Tools;
use super::measure::{measure, median};
use super::scenarios::{Table, program, row, words};

/// What is stopped for, how often, and the program.
const EVENTS: [(&str, &str, &str); 3] = [
    ("signal", "200000", "signals.py"),
    ("fork", "5000", "forks.py"),
    ("thread", "2000", "threads.py"),
];

/// Elapsed time over that of the bare program in the same round: to be stopped costs a program time more than anything else.
pub fn table(tools: &Tools) -> Result<Table> {
    let place = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for (event, number, name) in EVENTS {
        let bare = words(&[&"python3", &program(name), &number]);
        let mut supervised = words(&[&tools.crashlens, &"run", &"--no-save", &"--"]);
        supervised.extend(bare.iter().cloned());
        let (mut alone, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..tools.rounds {
            let without = measure(place.path(), &bare, &[])?;
            let with = measure(place.path(), &supervised, &[])?;
            ensure!(
                (without.exit_code, with.exit_code) == (0, 0),
                "{name} failed"
            );
            println!(
                "{event}: {:.2} s, bare {:.2} s",
                with.elapsed_seconds, without.elapsed_seconds
            );
            alone.push(without.elapsed_seconds);
            ratios.push(with.elapsed_seconds / without.elapsed_seconds);
        }
        let figure = |value: Option<f64>| value.map_or("–".to_owned(), |it| format!("{it:.2}"));
        rows.push(row(&[
            event,
            number,
            &figure(median(alone)),
            &figure(median(ratios)),
            &tools.rounds.to_string(),
        ]));
    }
    Ok(Table {
        title: "Programs that do little but stop".to_owned(),
        heading: row(&[
            "at each",
            "how often",
            "bare, elapsed s",
            "ratio of elapsed time",
            "rounds",
        ]),
        rows,
    })
}
