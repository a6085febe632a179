//! Which defects fit a death, and what they add to a finding.

use pep440_rs::Version;

use super::{Issue, KnownIssues, normal};
use crate::capture::Package;
use crate::cause::{Cause, Depth};
use crate::diagnosis::Finding;
use crate::evidence::{Evidence, FactRef, Weight};
use crate::facts::Facts;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::shell;

/// Defects that a finding names.
const MOST_NAMED: usize = 2;
/// The newest version that the table knows.
const NEWEST: &str = "2.21.0";

impl KnownIssues {
    /// Adds the defects that fit to a finding: the same op or function, a version that has it, and the same way to die.
    /// Where the way to die is another, the defect is only mentioned.
    pub(crate) fn attach(&self, facts: &Facts<'_>, finding: &mut Finding) {
        let can_be_defect =
            finding.cause.depth() == Depth::Mechanism || finding.cause == Cause::BadInputValue;
        let Some(blamed) = Blamed::of(facts).filter(|_| can_be_defect) else {
            return;
        };
        let mut fitting: Vec<&Issue> = self.issues.iter().filter(|it| blamed.fits(it)).collect();
        if fitting.iter().any(|it| it.causes.contains(&finding.cause)) {
            fitting.retain(|it| it.causes.contains(&finding.cause));
            blamed.explain(&fitting, finding);
        } else if let Some(issue) = fitting.first() {
            let claim = format!(
                "{} of {} has a defect, {}, which may be another.",
                blamed.what,
                blamed.version,
                issue.name()
            );
            let id = issue.id.clone();
            finding.evidence.push(Evidence::supports(
                Weight::Weak,
                FactRef::KnownIssue { id },
                claim,
            ));
        }
        finding
            .evidence
            .sort_by_key(|it| it.stance == crate::evidence::Stance::Against);
        finding.remedies.sort_by_key(|it| it.risk);
    }
}

/// The code that died, and the version it is of.
struct Blamed<'a> {
    /// "`QuantizedMatMul`".
    what: String,
    op: Option<String>,
    function: Option<String>,
    package: &'a Package,
    version: Version,
    is_tensorflow: bool,
}

impl<'a> Blamed<'a> {
    fn of(facts: &'a Facts<'_>) -> Option<Self> {
        let culprit = facts.culprit();
        let tensorflow = facts.tensorflow();
        if let (Some(op), Some(tensorflow)) = (&culprit.op, &tensorflow) {
            return Some(Self {
                what: format!("`{op}`"),
                op: Some(op.clone()),
                function: None,
                package: tensorflow.package,
                version: tensorflow.version()?,
                is_tensorflow: true,
            });
        }
        let package = culprit.package.as_ref()?;
        let function = last_name(culprit.function.as_deref()?)?;
        Some(Self {
            what: format!("`{function}`"),
            op: None,
            function: Some(function.to_owned()),
            package,
            version: package.version.parse().ok()?,
            is_tensorflow: tensorflow.is_some_and(|it| it.package == package),
        })
    }

    fn fits(&self, issue: &Issue) -> bool {
        let installed = normal(&self.package.name);
        let is_family = self.is_tensorflow && issue.package.starts_with("tensorflow");
        let names_it = self.op.as_ref().is_some_and(|op| issue.ops.contains(op))
            || self
                .function
                .as_ref()
                .is_some_and(|it| issue.functions.contains(it));
        names_it
            && (issue.package == installed || is_family)
            && issue.affected.includes(&self.version)
    }

    /// Adds the defects, and the version in which all of them are fixed.
    fn explain(&self, issues: &[&Issue], finding: &mut Finding) {
        let mut fixed = None;
        let mut open = false;
        for issue in issues {
            match issue.affected.fix(&self.version) {
                Some(fix) => fixed = fixed.max(Some(fix.clone())),
                None => open = true,
            }
        }
        for issue in issues.iter().rev().take(MOST_NAMED) {
            let claim = self.claim(issue);
            let fact = FactRef::KnownIssue {
                id: issue.id.clone(),
            };
            let place = finding
                .evidence
                .iter()
                .position(|it| it.weight < Weight::Strong);
            let place = place.unwrap_or(finding.evidence.len());
            finding
                .evidence
                .insert(place, Evidence::supports(Weight::Strong, fact, claim));
        }
        let Some(fixed) = fixed.filter(|_| !open) else {
            return;
        };
        let name = normal(&self.package.name);
        let action = format!(
            "Install {name} {fixed}, in which {} raises an exception or works; the input has to be right all the same.",
            self.what
        );
        let remedy = Remedy::new(action)
            .command_if(
                shell::package(&name).and_then(|name| Pip::install([format!("{name}=={fixed}")])),
            )
            .risk(Risk::Environment);
        finding.remedies.push(remedy);
    }

    fn claim(&self, issue: &Issue) -> String {
        let version = &self.version;
        let what = &self.what;
        match (issue.affected.fix(version), &issue.observed) {
            (Some(fix), None) => format!(
                "{}: {what} of {version} is known to die like this; fixed in {fix}.",
                issue.name()
            ),
            (None, None) => format!(
                "{}: {what} of {version} is known to die like this, and no release fixes it.",
                issue.name()
            ),
            (Some(fix), Some(seen)) => {
                format!("{what} was seen to die like this, and not in {fix}: {seen}.")
            }
            (None, Some(seen)) => format!("No release up to {NEWEST} fixes it: {seen}."),
        }
    }
}

/// The name of a function without its class, parameters and template arguments.
fn last_name(function: &str) -> Option<&str> {
    let head = function.split(['(', '<']).next()?;
    head.rsplit("::")
        .next()
        .map(str::trim)
        .filter(|name| name.len() > 3)
}
