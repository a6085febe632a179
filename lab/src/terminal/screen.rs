//! Screens as they are compared: what must differ between two terminals is taken out, and nothing else.

use super::case::{Case, Varies};
use super::tmux::SIDES;

/// Text on a terminal with its colors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// As compared.
    pub text: String,
    /// Without colors and as shown, to find what is waited for.
    pub plain: String,
}

impl Screen {
    /// `captured` is what tmux gives, for the terminal of this name.
    pub fn new(captured: &str, folder: &str, side: &str, case: &Case) -> Self {
        // Each terminal has a folder of its own, so that editors do not meet the other's files. It is on the screen where a
        // program shows an absolute path. Both are equally long.
        let neutral = captured.replace(&format!("{folder}/{side}"), &format!("{folder}/HERE"));
        let neutral = without_job_ids(&neutral);
        Self {
            text: match case.varies {
                Varies::Nothing => neutral.clone(),
                Varies::Numbers => without_numbers(&neutral),
            },
            plain: without_ends(&without_colors(&neutral)),
        }
    }

    /// Whether the text is on the screen. Spaces at the ends of lines do not count, because tmux does not know all of them.
    pub fn shows(&self, text: &str) -> bool {
        self.plain.contains(text.trim_end_matches(' '))
    }
}

/// Where the supervised program died, the text without the report about it. A report begins with a newline, which ends a
/// line that the program or the terminal left open, and ends before what the shell says.
pub fn without_report(history: &str, until: &str) -> String {
    // A longer text leaves fewer empty lines below it.
    let history = history.trim_end();
    let is_first = |line: &str| line.contains(" (pid ") && line.contains(" died of ");
    let first = history.lines().find(|line| is_first(line));
    let report = first.and_then(|first| history.split_once(&format!("\n{first}\n")));
    let Some((before, report)) = report else {
        return history.to_owned();
    };
    let after = report.find(&format!("\n{until}"));
    let after = after.map_or("", |at| &report[at + 1..]);
    format!("{before}{after}")
}

/// `[1] 4242`, as a shell says when a job begins in the background, without the process id.
fn without_job_ids(text: &str) -> String {
    let line = |line: &str| -> String {
        let job = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("] "))
            .filter(|(job, id)| is_number(job) && is_number(id));
        job.map_or_else(|| line.to_owned(), |(job, _)| format!("[{job}] PID"))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn without_ends(text: &str) -> String {
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// Splits off the escape sequence that the text begins with. tmux writes only those for colors, which end in `m`.
fn escape(text: &str) -> Option<(&str, &str)> {
    let end = text.strip_prefix('\x1b').and_then(|_| text.find('m'))?;
    Some(text.split_at(end + 1))
}

fn without_colors(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some((_, after)) = escape(rest) {
            rest = after;
            continue;
        }
        plain.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    plain
}

/// Every number is `0`, a unit of time is the second, and there are no spaces, which align numbers. Colors stay.
fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    let is_part = |letter: char| letter.is_ascii_digit() || ".:".contains(letter);
    while let Some(letter) = rest.chars().next() {
        if let Some((colors, after)) = escape(rest) {
            kept.push_str(colors);
            rest = after;
        } else if letter.is_ascii_digit() {
            rest = rest.trim_start_matches(is_part);
            kept.push('0');
            for unit in ["ms", "us", "ns"] {
                if rest.starts_with(unit) {
                    rest = &rest[1..];
                }
            }
        } else if letter == ' ' {
            rest = rest.trim_start_matches(' ');
        } else {
            kept.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    kept
}

/// The lines that differ, as they are shown to the developer.
pub fn differences(screens: [&str; 2]) -> String {
    let [one, other] = screens.map(|text| text.lines().collect::<Vec<_>>());
    let mut shown = Vec::new();
    for row in 0..one.len().max(other.len()) {
        let pair = [one.get(row), other.get(row)].map(|line| line.copied().unwrap_or_default());
        if pair[0] != pair[1] {
            for (side, line) in SIDES.iter().zip(pair) {
                let line = line.escape_debug();
                shown.push(format!("    {side} {:>2}: {line}\n", row + 1));
            }
        }
    }
    shown.concat()
}

#[cfg(test)]
mod tests {
    use super::super::case::CASE;
    use super::*;

    #[test]
    fn only_folders_and_process_ids_of_jobs_are_taken_out() {
        let seen = ["bare", "lens"].map(|side| {
            let captured = format!(
                "\x1b[1m/t/x/{side}/a.py\x1b[0m 12\n[1] {}00\n[2]+ 3",
                side.len()
            );
            Screen::new(&captured, "/t/x", side, &CASE)
        });
        assert_eq!(seen[0], seen[1]);
        assert_eq!(
            seen[0].text,
            "\x1b[1m/t/x/HERE/a.py\x1b[0m 12\n[1] PID\n[2]+ 3"
        );
        assert!(seen[0].shows("/HERE/a.py 12\n[1] PID\n[2]+ "));
    }

    #[test]
    fn numbers_are_taken_out_and_colors_are_kept() {
        assert_eq!(
            without_numbers("\x1b[31mup  12:05,   0.25 id in 3ms/step"),
            "\x1b[31mup0,0idin0s/step"
        );
    }

    #[test]
    fn a_report_is_left_out_up_to_what_the_shell_says() {
        let report = "\nsh (pid 7) died of SIGSEGV: x\n\nmore\n";
        for before in ["one\n", "one\n^\\"] {
            let alone = format!("{before}Quit\n2:131>");
            let supervised = format!("{before}{report}Quit\n2:131> \n\n");
            assert_eq!(without_report(&supervised, "Quit"), alone);
            assert_eq!(without_report(&alone, "Quit"), alone);
        }
    }
}
