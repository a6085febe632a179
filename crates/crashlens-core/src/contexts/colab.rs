//! Colab, which shows the logs of its runtimes as a table with the newest line on top.

use std::sync::LazyLock;

use regex::Regex;

use crate::embedded;

/// `Dec 6, 2024, 4:31:41 PM | WARNING | text`
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = concat!(
        r"^(?<month>[A-Z][a-z]{2}) (?<day>\d{1,2}), (?<year>\d{4}), ",
        r"(?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d)\s(?<half>[AP]M)\s*(?:\||\t)\s*[A-Z]+\s*(?:\||\t)\s?",
    );
    embedded::regex(pattern)
});

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Rows without their first columns, the oldest first. Other text is left as it is.
pub(crate) fn oldest_first(lines: Vec<String>) -> Vec<String> {
    let times: Vec<Option<(u64, usize)>> = lines.iter().map(|line| time(line)).collect();
    let mut known = times.iter().flatten().map(|(time, _)| *time);
    let (Some(first), Some(last)) = (known.next(), known.next_back()) else {
        return lines;
    };
    // A row may have lines below it.
    let mut rows: Vec<Vec<String>> = vec![Vec::new()];
    for (line, time) in lines.into_iter().zip(times) {
        let text = match time {
            Some((_, end)) => {
                rows.push(Vec::new());
                line.get(end..).unwrap_or_default().to_owned()
            }
            None => line,
        };
        if let Some(row) = rows.last_mut() {
            row.push(text);
        }
    }
    if first >= last {
        // What stands above the table stays there.
        if let Some(table) = rows.get_mut(1..) {
            table.reverse();
        }
    }
    rows.into_iter().flatten().collect()
}

/// The time of a row, in an order that numbers have too, and where its text begins.
fn time(line: &str) -> Option<(u64, usize)> {
    let groups = line.contains('M').then(|| ROW.captures(line)).flatten()?;
    let number = |name: &str| groups.name(name)?.as_str().parse::<u64>().ok();
    let month = groups.name("month")?.as_str();
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let is_afternoon = groups.name("half")?.as_str() == "PM";
    let hour = number("hour")? % 12 + if is_afternoon { 12 } else { 0 };
    let parts = [
        month,
        number("day")?,
        hour,
        number("minute")?,
        number("second")?,
    ];
    let time = parts
        .iter()
        .fold(number("year")?, |time, part| time * 100 + part);
    Some((time, groups.get(0)?.end()))
}
