//! What is known of CUDA's versions: the drivers they need, and versions as NVIDIA writes them.
//!
//! Responsible for reading `data/cuda_drivers.toml`. Whether something is wrong is for the rules.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded;

/// The oldest driver for a version of CUDA.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Driver {
    pub(crate) cuda: String,
    #[serde(rename = "driver")]
    pub(crate) oldest: String,
    pub(crate) source: String,
}

/// The oldest driver that serves a CUDA such as `12.5.1`, where the table knows.
pub(crate) fn oldest_driver(cuda: &str) -> Option<&'static Driver> {
    let wanted = numbers(cuda)?;
    drivers()
        .iter()
        .find(|row| numbers(&row.cuda).is_some_and(|family| wanted.starts_with(&family)))
}

/// The numbers of a version such as `525.60.13`; `None` where it has anything else.
pub(crate) fn numbers(version: &str) -> Option<Vec<u64>> {
    version
        .trim()
        .split('.')
        .map(|part| part.parse().ok())
        .collect()
}

/// Its first two numbers.
pub(crate) fn line(version: &str) -> Option<(u64, u64)> {
    let numbers = numbers(version)?;
    Some((*numbers.first()?, numbers.get(1).copied().unwrap_or(0)))
}

fn drivers() -> &'static [Driver] {
    #[derive(Deserialize)]
    struct File {
        driver: Vec<Driver>,
    }
    static TABLE: LazyLock<Vec<Driver>> =
        LazyLock::new(|| embedded::table::<File>(include_str!("../data/cuda_drivers.toml")).driver);
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_source_and_versions_that_are_numbers() {
        for row in drivers() {
            assert!(!row.source.is_empty(), "{}", row.cuda);
            assert!(numbers(&row.cuda).is_some() && numbers(&row.oldest).is_some());
        }
    }

    #[test]
    fn a_release_is_served_by_the_driver_of_its_family() {
        let oldest = |cuda| oldest_driver(cuda).map(|row| row.oldest.as_str());
        assert_eq!(oldest("12.5.1"), Some("525.60.13"));
        assert_eq!(oldest("11.2"), Some("450.80.02"));
        assert_eq!(oldest("10.1"), Some("418.39"));
        assert_eq!(oldest("9.0"), None);
        assert_eq!(oldest("1"), None);
        assert_eq!(oldest("twelve"), None);
    }
}
