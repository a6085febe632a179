//! What lies where a file should be.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, FlawKind, Part, Setting, flawed};
use crate::remedy::ShellLine;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "FIL022",
    name: "stand-in",
    summary: "A Git LFS pointer, a web page or a server's error message is stored in place of the file.",
    causes: &[Cause::CorruptDataFile],
    since: "0.1.0",
    doc: include_str!("stand_in.md"),
    judge: Judge::File {
        looks_at: Scope::All,
        says: [
            "is not the file, but something in its place",
            "are not the files, but something in their place",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    flawed(facts, setting, FlawKind::StandIn, |flaw| {
        let remedy = if flaw.part.id == Part::GitLfsPointer {
            Remedy::new("Fetch the files that the repository only points to.")
                .command(ShellLine::anywhere("git lfs pull"))
        } else {
            Remedy::new(
                "Download it again and look at what the server says: it asks to log in or to confirm, or refuses.",
            )
        };
        vec![remedy]
    })
}
