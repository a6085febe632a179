//! The processor does not know an instruction of the program.

use crate::capture::{Instruction, MessageKind, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Risk, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM010",
    name: "illegal-instruction",
    causes: &[Cause::IllegalInstruction],
    since: "0.1.0",
    doc: include_str!("illegal_instruction.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let words = facts.fatal_message(MessageKind::Processor);
    if let Some(sight) = facts.sign("compiled-for-instructions") {
        let features = sight.group("features").unwrap_or_default();
        let headline = format!(
            "TensorFlow was built to use {features} instructions, which this processor does not have"
        );
        let claim = format!("TensorFlow says `{}`.", sight.text.trim());
        let suspicion = Suspicion::new(Cause::IllegalInstruction, headline).supported(
            Weight::Decisive,
            sight.fact.clone(),
            claim,
        );
        return Some(advise(suspicion));
    }
    if let Some((fact, message)) = words {
        let headline = "A library was built for instructions that this processor does not have";
        let suspicion = Suspicion::new(Cause::IllegalInstruction, headline).supported(
            Weight::Strong,
            fact,
            format!("It said `{}`.", message.text.trim()),
        );
        return Some(advise(suspicion));
    }
    if let Some(sight) = facts.sign("xbyak-error") {
        let headline = "oneDNN's code generator (Xbyak) cannot make code for this processor";
        let claim = format!(
            "It said `{}`: so it does on processors whose features it does not recognise.",
            sight.text.trim()
        );
        let suspicion = Suspicion::new(Cause::IllegalInstruction, headline).supported(
            Weight::Strong,
            sight.fact.clone(),
            claim,
        );
        return Some(advise(suspicion));
    }
    let windows = facts.sign("windows-illegal-instruction");
    if windows.is_none() && (!facts.died_of(Signal::ILL) || facts.signal_was_sent()) {
        return None;
    }
    let suspicion = match facts.fault().and_then(|fault| fault.instruction.as_ref()) {
        Some(instruction) => of_instruction(facts, instruction)?,
        None => of_signal(facts),
    };
    Some(advise(openblas(facts, suspicion)))
}

fn of_instruction(facts: &Facts<'_>, instruction: &Instruction) -> Option<Suspicion> {
    let actor = facts.actor();
    if is_trap(&instruction.text) {
        let headline = format!(
            "{actor} stopped itself with a trap instruction (`{}`): no processor feature is missing",
            instruction.text
        );
        let claim = format!(
            "The instruction is `{}`, which compilers put where a program must not get to.",
            instruction.text
        );
        let action = format!(
            "Find the check in {actor} that failed: __builtin_trap, an unreachable branch, or a sanitizer's trap."
        );
        return Some(
            Suspicion::new(Cause::IllegalInstruction, headline)
                .supported(Weight::Strong, FactRef::Fault, claim)
                .remedy(Remedy::new(action)),
        );
    }
    let missing = instruction.missing.as_deref().unwrap_or_default();
    let headline = if missing.is_empty() {
        format!("{actor} ran an instruction that this processor refused")
    } else {
        format!(
            "{actor} was built for {}, which this processor does not have",
            missing.join(", ")
        )
    };
    let suspicion = Suspicion::new(Cause::IllegalInstruction, headline);
    Some(if missing.is_empty() {
        suspicion.supported(
            Weight::Strong,
            FactRef::Fault,
            format!("The processor refused `{}`.", instruction.text),
        )
    } else {
        let claim = format!(
            "`{}` needs {}, which is not among the processor's features.",
            instruction.text,
            missing.join(", ")
        );
        suspicion.supported(Weight::Decisive, FactRef::Fault, claim)
    })
}

/// The signal, and nothing of the instruction.
fn of_signal(facts: &Facts<'_>) -> Suspicion {
    let version = facts
        .tensorflow()
        .filter(|installed| installed.package.version == "2.4.0");
    let headline = match &version {
        Some(_) => {
            "TensorFlow 2.4.0 was built for AVX2, which this processor may not have".to_owned()
        }
        None => "The program has an instruction that this processor does not know".to_owned(),
    };
    let claim = "It died of an illegal instruction (SIGILL), as code does that was built for a newer processor.";
    let suspicion = Suspicion::new(Cause::IllegalInstruction, headline).supported(
        Weight::Strong,
        FactRef::Ending,
        claim,
    );
    match version {
        Some(installed) => suspicion
            .supported(
                Weight::Weak,
                installed.fact,
                "TensorFlow 2.4.0 is installed; 2.4.1 runs without AVX2 again.",
            )
            .remedy(
                Remedy::new("Install 2.4.1, which was built without AVX2.")
                    .command("pip install 'tensorflow==2.4.1'")
                    .risk(Risk::Environment),
            ),
        None => suspicion,
    }
}

/// NumPy's OpenBLAS takes some ARM processors for others.
fn openblas(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let arm = facts.sign("arm-machine");
    let Some(arm) =
        arm.filter(|_| facts.package("numpy").is_some() || facts.sign("numpy-named").is_some())
    else {
        return suspicion;
    };
    suspicion
        .supported(
            Weight::Weak,
            arm.fact.clone(),
            "The machine is an ARM, whose model OpenBLAS in NumPy 1.19.5 mistakes.",
        )
        .remedy(
            Remedy::new("Tell OpenBLAS which processor it is.")
                .command("OPENBLAS_CORETYPE=ARMV8 python your_script.py"),
        )
        .remedy(
            Remedy::new("Take another NumPy than 1.19.5.")
                .command("pip install 'numpy!=1.19.5'")
                .risk(Risk::Environment),
        )
}

fn is_trap(text: &str) -> bool {
    ["ud2", "ud1", "ud0"].contains(&text.split_whitespace().next().unwrap_or_default())
}

fn advise(suspicion: Suspicion) -> Suspicion {
    suspicion
        .remedy(Remedy::new("See which features the processor has; virtual machines may hide some.").command("grep -m1 flags /proc/cpuinfo"))
        .remedy(Remedy::new("Install a build for this processor: an older version, conda's, or one that you build with -march=native on this machine.").risk(Risk::Environment))
}
