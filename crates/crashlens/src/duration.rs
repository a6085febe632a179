//! Durations as people write them on a command line.

use std::time::Duration;

/// `90s`, `10m`, `2h`; a number alone means seconds.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number of seconds, minutes or hours, such as 90s, 10m or 2h";
    let (number, factor) = match text.char_indices().next_back() {
        Some((end, 's')) => (&text[..end], 1),
        Some((end, 'm')) => (&text[..end], 60),
        Some((end, 'h')) => (&text[..end], 3600),
        _ => (text, 1),
    };
    let count: u64 = number.parse().map_err(|_| expected().to_owned())?;
    match count.checked_mul(factor) {
        Some(0) => Err("must be at least a second".to_owned()),
        // More than a hundred years is a typing error.
        Some(seconds) if seconds < 1 << 32 => Ok(Duration::from_secs(seconds)),
        _ => Err("is too long".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200)] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            "s",
            "0",
            "0m",
            "-1",
            "1.5m",
            "10min",
            "ten",
            "1e3",
            "5µ",
            "99999999999999999h",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
