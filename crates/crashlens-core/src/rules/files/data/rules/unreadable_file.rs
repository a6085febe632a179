//! Files that cannot be opened or read.

use crate::book::{Judge, Rule, Scope};
use crate::files::{EffectKind, FileFacts, FileFinding, Flaw, FlawKind, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL017",
    name: "unreadable-file",
    summary: "The operating system cannot open or read a file.",
    causes: &[],
    since: "0.1.0",
    doc: include_str!("unreadable_file.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: ["cannot be read", "cannot be read"],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    facts
        .flaws_of(FlawKind::Unreadable)
        .map(|flaw| finding(flaw).part(flaw.part.clone()))
        .collect()
}

/// The reader names a part where it is no permission or disk that stands in the way.
fn finding(flaw: &Flaw) -> FileFinding {
    let detail = flaw.detail.clone();
    let raises = |detail, error| {
        let versions = ["2.15.1", "2.21.0"];
        let finding = FileFinding::new(Severity::WillFail, detail);
        finding.effect(EffectKind::Raises, &versions, error)
    };
    match flaw.part.id {
        Part::Link => raises(detail, "NotFoundError when it is opened").remedy(Remedy::new(
            "Make the link lead to its file again, or remove it; if the file is on a disk that is not mounted, mount it.",
        )),
        Part::SpecialFile => FileFinding::new(Severity::CanCrash, detail)
            .effect(EffectKind::NotTried, &[], "")
            .remedy(Remedy::new(
                "Take it out of the list of files: who opens a pipe waits until somebody writes to it.",
            )),
        _ => raises(
            detail,
            "NotFoundError, PermissionDeniedError or FailedPreconditionError when it is opened",
        )
        .remedy(Remedy::new(
            "Look at its owner, its permissions and whether the disk or the mount is still there.",
        )),
    }
}
