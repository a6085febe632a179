//! The interpreter was handed memory that is no Python object.

use crate::capture::{Place, Signal};
use crate::cause::Cause;
use crate::culprit::{is_interpreter, plain_name};
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::facts::foreign::works_on_object;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM013",
    name: "bad-object",
    causes: &[Cause::BadForeignCall],
    since: "0.1.0",
    doc: include_str!("bad_object.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::SEGV)
        || facts.in_allocator().is_some()
        || facts.foreign_call().is_some()
    {
        return None;
    }
    let access = facts.access()?;
    let top = facts.frames_at_fault().next().filter(works_on_object)?;
    let base = access
        .base
        .as_ref()
        .filter(|base| base.points_into.is_none() && base.value.0 >> 32 != 0)?;
    // A pointer that was right once looks like one; here is data in its place.
    let is_garbage = matches!(facts.place()?, Place::NonCanonical | Place::KernelSpace)
        || (matches!(facts.place()?, Place::NullPage { .. }) && base.value.0 > u64::MAX - 0x10000);
    // Only the interpreter is between the Python code and the fault: no extension had the object in hand.
    let mut between = facts.frames_at_fault().take_while(works_on_object);
    let is_alone = between.by_ref().count() > 0
        && facts
            .frames_at_fault()
            .find(|sight| !works_on_object(sight))
            .is_some_and(|sight| is_interpreter(sight.frame));
    if !is_garbage || !is_alone {
        return None;
    }
    let bridge = facts.modules().find(|module| {
        module.name.starts_with("_ctypes.") || module.name.starts_with("_cffi_backend.")
    });
    let function = plain_name(top.function());
    let line = facts.user_line();
    let at = line
        .as_deref()
        .map_or_else(String::new, |line| format!(" in `{line}`"));
    let headline = format!("Python was given memory that holds no Python object{at}");
    let claim = format!(
        "`{function}` found {} where the address of an object's type should be.",
        base.value
    );
    let mut suspicion = Suspicion::new(Cause::BadForeignCall, headline);
    let weight = if bridge.is_some() && !facts.is_text() {
        Weight::Strong
    } else {
        Weight::Weak
    };
    suspicion = suspicion.supported(weight, FactRef::Fault, claim);
    if let Some(module) = bridge {
        let fact = FactRef::Module {
            path: module.path.clone(),
        };
        suspicion = suspicion.supported(
            Weight::Weak,
            fact,
            "ctypes or cffi is loaded: by it an address becomes an object without any check.",
        );
    }
    Some(
        suspicion
            .remedy(Remedy::new("Look for ctypes.cast(address, ctypes.py_object), id() used as an address, and functions with restype = py_object."))
            .remedy(
                Remedy::new("If there is none, an extension releases objects too often: Python's debugging allocator shows which.")
                    .command("PYTHONMALLOC=debug crashlens run -- python -X dev your_script.py"),
            ),
    )
}
