//! The processor does not know an instruction of the program.

use crate::book::{Judge, Rule};
use crate::capture::{Instruction, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::remedy::Again;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::memory::is_trap;

pub(super) static RULE: Rule = Rule {
    id: "MEM015",
    name: "illegal-instruction",
    summary: "The program executed an instruction that this processor does not support.",
    causes: &[Cause::IllegalInstruction],
    since: "0.1.0",
    doc: include_str!("illegal_instruction.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let instruction = facts.fault().and_then(|fault| fault.instruction.as_ref());
    let windows = facts.windows_sign("windows-illegal-instruction");
    let suspicion = match (instruction, windows) {
        (_, Some(sight)) => {
            let claim = format!(
                "Windows said `{}`: an illegal instruction.",
                excerpt(sight.text)
            );
            of_signal(facts, sight.fact.clone(), &claim)
        }
        _ if !facts.died_of(Signal::ILL) || facts.signal_was_sent() => return None,
        (Some(instruction), _) if is_trap(instruction) => return None,
        (Some(instruction), _) => of_instruction(facts, instruction),
        (None, _) => {
            let claim = "It died of an illegal instruction (SIGILL), as code does that is built for a newer processor.";
            of_signal(facts, FactRef::Ending, claim)
        }
    };
    let suspicion = openblas(facts, suspicion);
    let see = Remedy::new("See which features the processor has; virtual machines may hide some.");
    let other = "Install a build for this processor: another version, conda's, or one that you build on this machine.";
    Some(
        suspicion
            .remedy(see.command("grep -m1 flags /proc/cpuinfo"))
            .remedy(Remedy::new(other).risk(Risk::Environment)),
    )
}

fn of_instruction(facts: &Facts<'_>, instruction: &Instruction) -> Suspicion {
    let missing = instruction.missing.as_ref();
    let missing = missing.map_or_else(String::new, |it| it.join(", "));
    let (actor, text) = (facts.actor(), &instruction.text);
    if !facts.is_code_of_file() {
        // Any bytes decode as something: what that would need says nothing.
        let headline = "Memory of no library was run as code";
        let claim = format!("The processor refused `{text}`, in memory of no library.");
        let suspicion = Suspicion::new(Cause::IllegalInstruction, headline);
        return suspicion.supported(Weight::Weak, FactRef::Fault, claim);
    }
    if missing.is_empty() {
        let headline = format!("{actor} ran an instruction that this processor refused");
        return Suspicion::new(Cause::IllegalInstruction, headline).supported(
            Weight::Strong,
            FactRef::Fault,
            format!("The processor refused `{text}`."),
        );
    }
    let headline = format!("{actor} was built for {missing}, which this processor does not have");
    let claim = format!("`{text}` needs {missing}, which is not among the processor's features.");
    Suspicion::new(Cause::IllegalInstruction, headline).supported(
        Weight::Decisive,
        FactRef::Fault,
        claim,
    )
}

/// The signal, and nothing of the instruction.
fn of_signal(facts: &Facts<'_>, fact: FactRef, claim: &str) -> Suspicion {
    let old = facts
        .tensorflow()
        .filter(|installed| installed.package.version == "2.4.0");
    let Some(installed) = old else {
        let headline = "The program has an instruction that this processor does not know";
        return Suspicion::new(Cause::IllegalInstruction, headline).supported(
            Weight::Strong,
            fact,
            claim,
        );
    };
    let headline = "TensorFlow 2.4.0 was built for AVX2, which this processor may not have";
    let remedy = Remedy::new("Install 2.4.1, which was built without AVX2 again.");
    Suspicion::new(Cause::IllegalInstruction, headline)
        .supported(Weight::Strong, fact, claim)
        .supported(
            Weight::Weak,
            installed.fact,
            "TensorFlow 2.4.0 is installed, whose wheels need AVX2.",
        )
        .remedy(
            remedy
                .command_if(Pip::install(["tensorflow==2.4.1"]))
                .risk(Risk::Environment),
        )
}

/// NumPy's `OpenBLAS` took some ARM processors for others.
fn openblas(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let has_numpy = facts.package("numpy").is_some() || facts.sign("numpy-named").is_some();
    let Some(arm) = facts.sign("arm-machine").filter(|_| has_numpy) else {
        return suspicion;
    };
    let claim = "The machine is an ARM; OpenBLAS in NumPy 1.19.5 mistakes some of their models.";
    let tell = Remedy::new("Tell OpenBLAS which processor it is.");
    let other = Remedy::new("Take another NumPy than 1.19.5.").risk(Risk::Environment);
    suspicion
        .supported(Weight::Weak, arm.fact.clone(), claim)
        .remedy(tell.command(Again::new().set("OPENBLAS_CORETYPE", "ARMV8")))
        .remedy(other.command_if(Pip::install(["numpy!=1.19.5"])))
}
