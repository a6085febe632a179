//! The program was built for another kind of processor, and is emulated or refused.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM018",
    name: "wrong-architecture",
    summary: "The program was built for another processor architecture, and is emulated or cannot run.",
    causes: &[Cause::WrongArchitecture],
    since: "0.1.0",
    doc: include_str!("wrong_architecture.md"),
    judge: Judge::Death(judge),
};

/// Signs that prove it, and what they say.
const PROOFS: [(&str, &str); 4] = [
    (
        "qemu-signal",
        "the program ran in QEMU, which emulates another processor",
    ),
    (
        "rosetta-words",
        "the program ran in Rosetta, which emulates another processor",
    ),
    (
        "bucket-limits",
        "numbers came out wrong, as they do in emulation",
    ),
    (
        "incompatible-architecture",
        "the file is for another kind of processor",
    ),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let proof = PROOFS
        .iter()
        .find_map(|(id, meaning)| Some((facts.sign(id)?, meaning)))
        // A file that was refused is of no account for a process that went on and died of a signal.
        .filter(|(sight, _)| {
            let is_refused = facts.sign("incompatible-architecture");
            facts.is_text() || is_refused.is_none_or(|it| it.fact != sight.fact)
        });
    if let Some((sight, meaning)) = proof {
        let headline = "The program is built for another kind of processor than this machine has";
        let claim = format!("`{}`: {meaning}.", excerpt(sight.text));
        let suspicion = Suspicion::new(Cause::WrongArchitecture, headline);
        let fact = sight.fact.clone();
        return Some(advise(suspicion.supported(Weight::Decisive, fact, claim)));
    }
    if let Some(sight) = facts.sign("exec-format").filter(|_| is_refusal(facts)) {
        let headline = "A program was started that may be built for another kind of processor";
        let text = excerpt(sight.text);
        let claim = format!("`{text}`: it is for another processor, or a script without `#!`.");
        let suspicion = Suspicion::new(Cause::WrongArchitecture, headline);
        // The first program of a container is seldom a script that lacks the line.
        let container = sight.group("container");
        let weight = container.map_or(Weight::Weak, |_| Weight::Strong);
        let suspicion = suspicion.supported(weight, sight.fact.clone(), claim);
        return Some(advise(suspicion.remedy(Remedy::new(
            "See what the file is: `file NAME`; a script needs a first line such as `#!/bin/sh`.",
        ))));
    }
    let refused = facts.sign("illegal-hardware-instruction");
    if refused.is_none() && !facts.died_of(Signal::ILL) {
        return None;
    }
    let suspicion = Suspicion::new(
        Cause::WrongArchitecture,
        "An x86 build of Python ran on an Apple processor",
    );
    // An Intel processor that calls itself Apple's is Rosetta inside a Linux machine.
    let model = facts.capture().host.cpu_model.known();
    if let Some(model) = model.filter(|model| model.contains("VirtualApple")) {
        let fact = FactRef::Host {
            field: "cpu_model".to_owned(),
        };
        let claim = format!("The processor calls itself `{model}`: Rosetta emulates it.");
        return Some(advise(suspicion.supported(Weight::Decisive, fact, claim)));
    }
    let sight = facts.sign("apple-silicon")?;
    let claim = format!(
        "The machine has an Apple processor: `{}`.",
        excerpt(sight.text)
    );
    let suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
    Some(advise(match refused {
        Some(refused) => {
            let claim = "It met an instruction that Rosetta does not know, as AVX was.";
            suspicion.supported(Weight::Weak, refused.fact.clone(), claim)
        }
        None => suspicion,
    }))
}

/// Whether a program that was not started can be all there is: nothing died of a signal, or said anything fatal.
fn is_refusal(facts: &Facts<'_>) -> bool {
    facts.signal().is_none() && facts.last_words().is_none()
}

fn advise(suspicion: Suspicion) -> Suspicion {
    let see = Remedy::new("See what Python was built for, and what the machine is.");
    let image = Remedy::new(
        "Take an image for the machine's own processor; TensorFlow has wheels for aarch64 since 2.10.",
    );
    let native = "On macOS use a native arm64 Python, and install TensorFlow into it anew.";
    suspicion
        .remedy(see.command("python -c 'import platform; print(platform.machine())'; uname -m"))
        .remedy(
            image
                .command(ShellLine::anywhere(
                    "docker run --platform linux/arm64 IMAGE",
                ))
                .risk(Risk::Environment),
        )
        .remedy(Remedy::new(native).risk(Risk::Environment))
}
