//! Durations as people write them on a command line.

use std::time::Duration;

use jiff::SignedDuration;

/// `90s`, `10m`, `2h`, `1h30m`; a number alone means seconds.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let expected = "expected a number of seconds, minutes or hours, such as 90s, 10m or 1h30m";
    let duration = match text.parse() {
        Ok(seconds) => SignedDuration::from_secs(seconds),
        Err(_) => text.parse().map_err(|_| expected.to_owned())?,
    };
    match duration.as_secs() {
        ..0 => Err(expected.to_owned()),
        0 => Err("must be at least a second".to_owned()),
        // More than a hundred years is a typing error.
        seconds if seconds < 1 << 32 => Ok(duration.unsigned_abs()),
        _ => Err("is too long".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, seconds) in [
            ("90", 90),
            ("90s", 90),
            ("10m", 600),
            ("10min", 600),
            ("1.5m", 90),
            ("2h", 7200),
            ("1h30m", 5400),
            ("1h 30m", 5400),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_duration_is_refused() {
        for text in [
            "",
            "s",
            "0",
            "0m",
            "-1",
            "-5m",
            "5m ago",
            "500ms",
            "1.5",
            "ten",
            "1e3",
            "5µ",
            "99999999999",
            "99999999999999999h",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
