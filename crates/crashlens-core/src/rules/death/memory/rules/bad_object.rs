//! The interpreter was handed memory that is no Python object.

use crate::book::{Judge, Rule};
use crate::capture::{Access, AccessKind, Place, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::facts::fault::short_name;
use crate::facts::foreign::works_on_object;
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::objects::small_type;

pub(super) static RULE: Rule = Rule {
    id: "MEM022",
    name: "bad-object",
    summary: "The interpreter used memory as a Python object that is not one.",
    causes: &[Cause::BadForeignCall],
    since: "0.1.0",
    doc: include_str!("bad_object.md"),
    judge: Judge::Death(judge),
};

/// Above all addresses that a process has.
const NO_ADDRESS: u64 = 1 << 47;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::SEGV)
        || facts.in_allocator().is_some()
        || facts.foreign_call().is_some()
        || facts.fill().is_some()
    {
        return None;
    }
    let top = facts.frames_at_fault().next().filter(works_on_object)?;
    let garbage = garbage(facts.access()?, facts.place()?).or_else(|| {
        let has_lock = facts.crashed()?.holds_gil == Some(true);
        small_type(facts).filter(|_| has_lock)
    })?;
    // Only the interpreter is between the Python code and the fault: no extension had the object in hand.
    let caller = facts
        .frames_at_fault()
        .find(|sight| !works_on_object(sight))?;
    if !is_interpreter(caller.frame) {
        return None;
    }
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(": `{line}`"));
    let headline = format!("Python was handed memory that holds no Python object{line}");
    let function = short_name(top.function());
    let claim = format!(
        "`{function}` found {garbage:#x} where an object's type, or a method of it, should be."
    );
    let suspicion = Suspicion::new(Cause::BadForeignCall, headline).supported(
        Weight::Strong,
        FactRef::Fault,
        claim,
    );
    let look = "Look for ctypes.cast(address, ctypes.py_object), id() used as an address, and restype = py_object.";
    let check = "If there is none, an extension releases objects too often: Python's debugging allocator shows it.";
    Some(
        suspicion.remedy(Remedy::new(look)).remedy(
            Remedy::new(check).command(
                Again::new()
                    .set("PYTHONMALLOC", "debug")
                    .watched()
                    .flags("-X dev"),
            ),
        ),
    )
}

/// What stood where a pointer should be, where it can never have been one: the address of a type, or of a method in it.
fn garbage(access: &Access, place: &Place) -> Option<u64> {
    let is_wild = matches!(
        place,
        Place::NonCanonical | Place::KernelSpace | Place::NullPage { .. }
    );
    let base = access.base.as_ref();
    let pointer = match access.kind {
        AccessKind::Execute => access.address.0,
        AccessKind::Read | AccessKind::Write => {
            base.filter(|base| base.points_into.is_none())?.value.0
        }
    };
    (is_wild && pointer >= NO_ADDRESS).then_some(pointer)
}
