//! Locks of macOS that two runtimes share.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};

/// TensorFlow 2.20 and another library with abseil and protobuf of its own, on macOS.
pub(super) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let failed = facts.sign("mutex-lock-failed");
    let sight = failed.or_else(|| facts.sign("abseil-lock-blocking"))?;
    let tensorflow = facts.involves("tensorflow")?;
    let (name, other) = ["pyarrow", "grpc", "grpcio"]
        .iter()
        .find_map(|name| Some((*name, facts.involves(name)?)))?;
    let headline =
        format!("TensorFlow and {name} each bring abseil and protobuf, and use each other's locks");
    let mut suspicion = Suspicion::new(Cause::ProtobufClash, headline)
        .supported(
            Weight::Strong,
            sight.fact.clone(),
            format!("It said: {}", sight.said()),
        )
        .supported(Weight::Weak, tensorflow, "TensorFlow is in use.")
        .supported(Weight::Weak, other, format!("{name} is in use."));
    let exit = facts.frame_calling(&["__cxa_finalize", "__run_exit_handlers"]);
    if let Some(exit) = exit {
        let claim = "The process was leaving: objects are gone then, and locks with them.";
        suspicion = suspicion.opposed(Weight::Decisive, exit.fact, claim);
    }
    Some(
        suspicion.remedy(
            Remedy::new("Use TensorFlow 2.19 or earlier with it, or import it in another process.")
                .command_if(Pip::install(["tensorflow<2.20"]))
                .risk(Risk::Environment),
        ),
    )
}
