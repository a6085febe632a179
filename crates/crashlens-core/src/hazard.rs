//! A hazard: something that will fail or can crash, found before it has.

use serde::{Deserialize, Serialize};

use crate::capture::Package;
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::files::Effect;
use crate::rule::Remedy;

/// Something that will fail or can crash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hazard {
    /// Id of the rule that found it; set by [`crate::inspection`].
    pub rule: String,
    /// Name of that rule.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// The cause of death that it would be.
    pub cause: Cause,
    /// What is wrong, as a sentence without its end.
    pub headline: String,
    /// What that rests on.
    pub grounds: Vec<Ground>,
    /// What would show that it is no hazard here, as a sentence.
    pub refuted_by: String,
    /// Packages that take part, the one to change first.
    pub packages: Vec<Package>,
    /// Files that take part, the most telling first.
    pub files: Vec<String>,
    /// How many more files there are than are named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_files: u64,
    /// What TensorFlow does with the files, the worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// What to do, the riskless first.
    pub remedies: Vec<Remedy>,
}

impl Hazard {
    /// A hazard that rests on nothing yet. The headline says what is wrong, naming package, version and value.
    pub fn new(severity: Severity, cause: Cause, headline: impl Into<String>) -> Self {
        Self {
            rule: String::new(),
            name: String::new(),
            severity,
            cause,
            headline: headline.into(),
            grounds: Vec::new(),
            refuted_by: String::new(),
            packages: Vec::new(),
            files: Vec::new(),
            more_files: 0,
            effects: Vec::new(),
            remedies: Vec::new(),
        }
    }

    /// With something it rests on.
    #[must_use]
    pub fn because(mut self, fact: FactRef, claim: impl Into<String>) -> Self {
        let claim = claim.into();
        self.grounds.push(Ground { claim, fact });
        self
    }

    /// With what would show that it is none.
    #[must_use]
    pub fn unless(mut self, refuted_by: impl Into<String>) -> Self {
        self.refuted_by = refuted_by.into();
        self
    }

    /// With a package that takes part.
    #[must_use]
    pub fn package(mut self, package: Package) -> Self {
        self.packages.push(package);
        self
    }

    /// With a file that takes part.
    #[must_use]
    pub fn file(mut self, path: impl Into<String>) -> Self {
        self.files.push(path.into());
        self
    }

    /// With something to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: Remedy) -> Self {
        self.remedies.push(remedy);
        self
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What a hazard rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ground {
    /// What is claimed, as a sentence.
    pub claim: String,
    /// Where the fact is in the survey.
    pub fact: FactRef,
}

word_enum! {
    /// How bad a hazard is, the least first.
    pub enum Severity {
        /// Nothing fails for it alone; it matters when something else does.
        WorthKnowing,
        /// A program that uses it the wrong way, or enough of it, dies or computes wrong results.
        CanCrash,
        /// Whoever uses it meets a failure: an import error at best, a crash at worst.
        WillFail,
    }
}
