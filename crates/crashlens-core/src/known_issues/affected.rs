//! Which versions have a defect, and which one to go to.

use pep440_rs::Version;

/// The versions that have a defect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Affected {
    spans: Vec<Span>,
    /// Versions that are named one by one.
    versions: Vec<Version>,
}

/// Versions from one on, up to another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    /// The first; `None` for the very first.
    from: Option<Version>,
    end: End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// The first version that does not have it.
    Fixed(Version),
    /// The last version that is known to have it.
    Last(Version),
    /// No version is known to be without it.
    Open,
}

impl Affected {
    /// From the first fixed version of each release line that got one, in any order.
    pub(super) fn by_lines(mut fixed: Vec<Version>) -> Self {
        fixed.sort();
        let mut from = None;
        let mut spans = Vec::new();
        for version in fixed {
            let next = next_line(&version);
            let end = End::Fixed(version);
            spans.push(Span { from, end });
            from = next;
        }
        if spans.is_empty() {
            spans.push(Span {
                from: None,
                end: End::Open,
            });
        }
        Self {
            spans,
            versions: Vec::new(),
        }
    }

    /// Adds the versions from `from` to before `fixed`, or to `last`; without either, all from `from` on.
    pub(super) fn add(
        &mut self,
        from: Option<Version>,
        fixed: Option<Version>,
        last: Option<Version>,
    ) {
        let end = match (fixed, last) {
            (Some(fixed), _) => End::Fixed(fixed),
            (None, Some(last)) => End::Last(last),
            (None, None) => End::Open,
        };
        self.spans.push(Span { from, end });
    }

    /// Adds a version.
    pub(super) fn add_version(&mut self, version: Version) {
        self.versions.push(version);
    }

    /// Whether `version` has the defect.
    pub fn includes(&self, version: &Version) -> bool {
        self.span(version).is_some() || self.versions.contains(version)
    }

    /// The first version after `version` that does not have it: of its own release line where there is one.
    pub fn fix(&self, version: &Version) -> Option<&Version> {
        let own = self.span(version).and_then(Span::fix);
        own.or_else(|| {
            let fixes = self.spans.iter().filter_map(Span::fix);
            fixes.filter(|fix| *fix > version).min()
        })
    }

    fn span(&self, version: &Version) -> Option<&Span> {
        self.spans.iter().find(|span| span.includes(version))
    }
}

impl Span {
    fn includes(&self, version: &Version) -> bool {
        let begun = self.from.as_ref().is_none_or(|from| version >= from);
        begun
            && match &self.end {
                End::Fixed(fixed) => version < fixed,
                End::Last(last) => version <= last,
                End::Open => true,
            }
    }

    fn fix(&self) -> Option<&Version> {
        match &self.end {
            End::Fixed(fixed) => Some(fixed),
            End::Last(_) | End::Open => None,
        }
    }
}

/// The first version of the release line behind that of `version`: `2.5.dev0` for `2.4.2`.
fn next_line(version: &Version) -> Option<Version> {
    let release = version.release();
    let (major, minor) = (release.first()?, release.get(1)?);
    Some(Version::new([*major, minor.checked_add(1)?]).with_dev(Some(0)))
}
