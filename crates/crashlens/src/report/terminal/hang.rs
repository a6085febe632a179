//! A tree that makes no progress, in plain words.

use std::io::{self, Write};

use crashlens_core::report::Hang;

use super::page::{ALARM, PLAIN, Page};
use super::{View, write_process};

/// Writes the hang and the stacks of all its processes.
pub(in crate::report) fn write_hang(
    hang: &Hang,
    view: &View,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(out, view.columns);
    page.blank()?;
    write_sentences(&mut page, hang)?;
    for process in &hang.processes {
        write_process(process, None, view, out)?;
    }
    Ok(())
}

/// Writes how long nothing happened, and what else is known of the tree.
pub(super) fn write_sentences(page: &mut Page<'_>, hang: &Hang) -> io::Result<()> {
    page.sentence(&[
        (PLAIN, "The program makes "),
        (ALARM, "no progress"),
        (
            PLAIN,
            &format!(
                ": for {} its processes used almost no processor time, read and wrote no file or pipe, and started \
                 nothing. What they send and receive by sockets is not seen. It has not been ended.",
                time_in_words(hang.idle_seconds)
            ),
        ),
    ])?;
    if let Some(pid) = hang.died_before {
        page.paragraph(&format!(
            "Process {pid} had died before. What waits for it waits in vain, unless it noticed."
        ))?;
    }
    Ok(())
}

fn time_in_words(seconds: f64) -> String {
    let (count, unit) = match seconds.round() as u64 {
        seconds @ ..120 => (seconds, "second"),
        seconds @ ..7200 => (seconds.saturating_add(30) / 60, "minute"),
        seconds => (seconds.saturating_add(1800) / 3600, "hour"),
    };
    // The words are not to be parted at the end of a line.
    format!("{count}\u{a0}{unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_suits() {
        for (seconds, words) in [
            (1.1, "1\u{a0}second"),
            (90.2, "90\u{a0}seconds"),
            (604.0, "10\u{a0}minutes"),
            (86_400.0, "24\u{a0}hours"),
        ] {
            assert_eq!(time_in_words(seconds), words);
        }
    }
}
