//! Defects of published versions: the built-in tables, and advisories that a person gives.

/// All defects that are known.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct KnownIssues {}

impl KnownIssues {
    /// The built-in tables.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: std::sync::LazyLock<KnownIssues> =
            std::sync::LazyLock::new(KnownIssues::default);
        &BUILT_IN
    }
}
