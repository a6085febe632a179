//! Numbers and words as every text for people has them.

use std::fmt::Display;

/// A number of bytes in binary units, as `docker stats` and Kubernetes write limits of memory and `free -h` its use:
/// `700 MiB`. Whatever crashlens says about memory and files is in these units.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if number < 1024 {
        return plural(number, "byte");
    }
    let mut unit = 0;
    let mut whole = number / 1024;
    let mut tenths = number % 1024 * 10 / 1024;
    while whole >= 1024 && unit + 1 < UNITS.len() {
        tenths = whole % 1024 * 10 / 1024;
        whole /= 1024;
        unit += 1;
    }
    let unit = UNITS.get(unit).copied().unwrap_or_default();
    if tenths == 0 || whole >= 100 {
        format!("{whole} {unit}")
    } else {
        format!("{whole}.{tenths} {unit}")
    }
}

/// `1 file`, `2 files`.
pub fn plural<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    count(number, noun, &format!("{noun}s"))
}

/// `1 library`, `2 libraries`: for a noun whose plural takes more than an s.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let is_one = number == N::from(1);
    format!("{number} {}", if is_one { one } else { many })
}

/// The text with a capital at its beginning.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_in_the_largest_binary_unit_that_fits() {
        let written = [0, 1, 512, 1536, 734_003_200, 25_274_793_984, u64::MAX].map(bytes);
        assert_eq!(
            written,
            [
                "0 bytes",
                "1 byte",
                "512 bytes",
                "1.5 KiB",
                "700 MiB",
                "23.5 GiB",
                "16777215 TiB"
            ]
        );
    }

    #[test]
    fn only_one_of_something_is_singular() {
        let written = [0_u64, 1, 2].map(|number| plural(number, "file"));
        assert_eq!(written, ["0 files", "1 file", "2 files"]);
        assert_eq!(count(3_usize, "library", "libraries"), "3 libraries");
    }
}
