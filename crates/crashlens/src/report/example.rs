//! Inspections as rules make them, for the tests of renderers.

use crashlens_core::evidence::FactRef;
use crashlens_core::hazard::{Hazard, Severity};
use crashlens_core::inspection::{Amount, Check, Inspection, InspectionKind, Seen};
use crashlens_core::rule::{Remedy, Risk};
use crashlens_core::{Cause, Gap, Package};

const SITE: &str = "/home/ada/venv/lib/python3.11/site-packages";

/// An inspection with so many findings, the worst first.
pub(super) fn inspection(findings: usize) -> Inspection {
    let kinds = [add_on(), clash(), shared_memory()];
    let mut findings: Vec<Hazard> = kinds.into_iter().cycle().take(findings).collect();
    findings.sort_by_key(|hazard| std::cmp::Reverse(hazard.severity));
    Inspection {
        kind: InspectionKind::Environment,
        subject: "/home/ada/venv/bin/python".to_owned(),
        overview: vec![
            seen("Python", "3.11.7, /home/ada/venv/bin/python"),
            seen("TensorFlow", "tensorflow-cpu 2.21.0"),
        ],
        looked_at: vec![amount("packages", 48), amount("native files", 212)],
        lacks: None,
        forecasts: Vec::new(),
        checks: checks(&findings),
        findings,
        gaps: vec![Gap {
            part: "the kernel's list of NVIDIA devices".to_owned(),
            reason: "permission denied".to_owned(),
            remedy: None,
        }],
        place: None,
    }
}

/// One whose names were chosen to harm.
pub(super) fn hostile() -> Inspection {
    let mut hostile = clash();
    hostile.headline = format!("evil\u{1b}[2J\u{202e} 1.0 {} is wrong", "x".repeat(5000));
    hostile.files = (0..40)
        .map(|index| {
            format!(
                "{SITE}/{}/\u{1b}]0;owned\u{7}{index}.so",
                "deep/".repeat(60)
            )
        })
        .collect();
    hostile.packages = vec![package("evil\n| **x** <script>", "1.0\u{1b}[31m")];
    Inspection {
        findings: vec![hostile],
        ..inspection(0)
    }
}

fn add_on() -> Hazard {
    let file = format!("{SITE}/tensorflow_text/core/pybinds/tflite_registrar.so");
    signed(
        Hazard::new(
            Severity::WillFail,
            Cause::AbiMismatch,
            "tensorflow-text 2.12.1 was built for another TensorFlow and cannot be loaded with tensorflow-cpu 2.21.0",
        )
        .because(
            FactRef::Module { path: file.clone() },
            "It needs `absl::lts_20220623::Status::Status(int)`, which nothing that it is linked to defines",
        )
        .because(
            FactRef::Package { name: "tensorflow-cpu".to_owned() },
            "TensorFlow 2.21.0 has Abseil of 2025 (`lts_20250127`)",
        )
        .unless("the program never imports tensorflow_text")
        .package(package("tensorflow-text", "2.12.1"))
        .package(package("tensorflow-cpu", "2.21.0"))
        .file(file)
        .remedy(
            Remedy::new("Install the tensorflow-text that goes with TensorFlow 2.21")
                .command("/home/ada/venv/bin/python -m pip install 'tensorflow-text==2.21.*'")
                .risk(Risk::Environment),
        )
        .remedy(
            Remedy::new("Remove it where it is not needed")
                .command("/home/ada/venv/bin/python -m pip uninstall tensorflow-text")
                .risk(Risk::Environment),
        ),
        "LNK001",
        "undefined-symbols",
    )
}

fn clash() -> Hazard {
    let files = ["libtriton.so", "libproton.so", "libextra.so"];
    let hazard = Hazard::new(
        Severity::CanCrash,
        Cause::LibraryClash,
        "triton 3.7.1 crashes when it is imported after tensorflow-cpu 2.21.0: both bring LLVM",
    )
    .because(
        FactRef::Package { name: "triton".to_owned() },
        "libtriton.so exports 35828 symbols that TensorFlow's libraries export too (mlir 26433, llvm 7600)",
    )
    .unless("triton is imported before tensorflow, or never with it")
    .package(package("triton", "3.7.1"))
    .package(package("tensorflow-cpu", "2.21.0"))
    .remedy(Remedy::new("Import triton before tensorflow"));
    let hazard = files.iter().fold(hazard, |hazard, file| {
        hazard.file(format!("{SITE}/triton/_C/{file}"))
    });
    signed(hazard, "LNK004", "global-symbols")
}

fn shared_memory() -> Hazard {
    signed(
        Hazard::new(
            Severity::WorthKnowing,
            Cause::SharedMemoryFull,
            "/dev/shm has room for 32 MiB only",
        )
        .because(
            FactRef::Host {
                field: "shared_memory".to_owned(),
            },
            "Worker processes that share arrays put them there, and die of SIGBUS when it is full",
        )
        .unless("the program shares nothing between processes")
        .remedy(
            Remedy::new("Give the container more")
                .command("docker run --shm-size=2g …")
                .risk(Risk::Environment),
        ),
        "SYS003",
        "small-shared-memory",
    )
}

fn signed(hazard: Hazard, rule: &str, name: &str) -> Hazard {
    Hazard {
        rule: rule.to_owned(),
        name: name.to_owned(),
        ..hazard
    }
}

fn checks(findings: &[Hazard]) -> Vec<Check> {
    let check = |rule: &str, name: &str, asks: &str, scope: &str, blind: &[&str]| Check {
        rule: rule.to_owned(),
        name: name.to_owned(),
        asks: asks.to_owned(),
        scope: scope.to_owned(),
        found: findings.iter().filter(|it| it.rule == rule).count() as u64,
        blind: blind.iter().map(|&part| part.to_owned()).collect(),
    };
    vec![
        check(
            "LNK001",
            "undefined-symbols",
            "symbols that native modules need and nothing defines",
            "212 native files",
            &[],
        ),
        check(
            "LNK004",
            "global-symbols",
            "libraries that define what TensorFlow makes global",
            "TensorFlow 2.21.0 and 171 other files",
            &[],
        ),
        check(
            "CUD001",
            "old-driver",
            "GPU drivers older than what TensorFlow was built with",
            "",
            &["the GPU driver: permission denied"],
        ),
        check(
            "SYS003",
            "small-shared-memory",
            "room in /dev/shm",
            "/dev/shm",
            &[],
        ),
    ]
}

fn package(name: &str, version: &str) -> Package {
    Package {
        name: name.to_owned(),
        version: version.to_owned(),
    }
}

fn seen(what: &str, value: &str) -> Seen {
    Seen {
        what: what.to_owned(),
        value: value.to_owned(),
    }
}

fn amount(what: &str, count: u64) -> Amount {
    Amount {
        what: what.to_owned().into(),
        count,
    }
}
