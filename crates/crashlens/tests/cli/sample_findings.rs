//! Findings made by hand: what the page looks like is not to change with every rule.

use crashlens_core::CrashCapture;
use crashlens_core::diagnosis::Diagnosis;
use serde_json::{Value, json};

fn evidence(stance: &str, weight: &str, claim: &str, fact: &Value) -> Value {
    json!({"stance": stance, "weight": weight, "claim": claim, "fact": fact})
}

fn remedy(action: &str, command: Option<&str>, risk: &str) -> Value {
    json!({"action": action, "command": command, "risk": risk})
}

fn finding(
    rule: &str,
    cause: &str,
    confidence: &str,
    headline: &str,
    evidence: &[Value],
    remedies: &[Value],
) -> Value {
    json!({"rule": rule, "name": cause, "cause": cause, "confidence": confidence, "headline": headline,
           "evidence": evidence, "remedies": remedies})
}

/// The diagnosis that goes with a sample.
pub(crate) fn of(capture: &CrashCapture) -> Diagnosis {
    let (findings, ruled_out) = match capture.ending.signal.map(|signal| signal.0) {
        None => (Vec::new(), Vec::new()),
        Some(6) => (check(), Vec::new()),
        Some(9) => (memory(), Vec::new()),
        _ if capture.threads.is_empty() => (nothing(), Vec::new()),
        _ => (null_pointer(), ruled_out()),
    };
    serde_json::from_value(json!({"findings": findings, "ruled_out": ruled_out})).unwrap()
}

fn null_pointer() -> Vec<Value> {
    let fault = json!({"kind": "fault"});
    let known = json!({"kind": "known-issue", "id": "GHSA-689c-r7h2-fv9v"});
    vec![
        finding(
            "OPS001",
            "bad-input-value",
            "likely",
            "QuantizedMatMul was given an empty `min_a`, and read its first element through a null pointer",
            &[
                evidence(
                    "for",
                    "strong",
                    "It read 4 bytes at address 0: the buffer of an empty tensor.",
                    &fault,
                ),
                evidence(
                    "for",
                    "strong",
                    "`self.lo` has the shape [0]",
                    &json!({"kind": "culprit"}),
                ),
                evidence(
                    "for",
                    "weak",
                    "GHSA-689c-r7h2-fv9v reports this op for TensorFlow before 2.9.",
                    &known,
                ),
                evidence(
                    "for",
                    "weak",
                    "The op is QuantizedMatMul.",
                    &json!({"kind": "running-op"}),
                ),
                evidence(
                    "against",
                    "weak",
                    "TensorFlow 2.15.1 is said to check this.",
                    &known,
                ),
            ],
            &[
                remedy(
                    "Give `min_a` one number: `self.lo` is empty in line 18 of layers.py",
                    None,
                    "none",
                ),
                remedy(
                    "Install a version that refuses the value with an exception.",
                    Some("pip install 'tensorflow-cpu>=2.16'"),
                    "environment",
                ),
                remedy("Leave the value out.", None, "results"),
            ],
        ),
        finding(
            "MEM001",
            "null-pointer",
            "certain",
            "tensorflow::QuantizedMatMulOp used an object or buffer that was not there",
            &[evidence(
                "for",
                "decisive",
                "It read 4 bytes at address 0 (rax held 0).",
                &fault,
            )],
            &[],
        ),
    ]
}

fn ruled_out() -> Vec<Value> {
    vec![
        json!({"rule": "LIM001", "name": "out-of-memory", "cause": "out-of-memory", "evidence": [
            evidence("for", "weak", "The address is null.", &json!({"kind": "fault"})),
            evidence("against", "decisive", "12.0 GiB of memory could still be had.", &json!({"kind": "host", "field": "memory_available"})),
        ]}),
    ]
}

fn check() -> Vec<Value> {
    let claim = "tensorflow/core/framework/tensor.cc:812] Check failed: dtype() == expected_dtype (1 vs. 2) float \
                 expected, got double";
    vec![finding(
        "OPS002",
        "check-failure",
        "certain",
        "GainMap was given a tensor of doubles where it expects floats, and TensorFlow gave up",
        &[evidence(
            "for",
            "decisive",
            &format!("TensorFlow said: {claim}"),
            &json!({"kind": "message", "index": 0}),
        )],
        &[remedy("Pass `tf.cast(x, tf.float32)`.", None, "none")],
    )]
}

fn memory() -> Vec<Value> {
    vec![finding(
        "LIM001",
        "out-of-memory",
        "certain",
        "The control group /job-17 allows 2.0 GiB, and all of it was used",
        &[evidence(
            "for",
            "decisive",
            "The kernel's counter of kills in /job-17 went from 2 to 3.",
            &json!({"kind": "oom"}),
        )],
        &[remedy(
            "Allow the container more memory: it has 2.0 GiB.",
            Some("docker run --memory 4g …"),
            "none",
        )],
    )]
}

fn nothing() -> Vec<Value> {
    vec![
        finding(
            "VER001",
            "insufficient-evidence",
            "possible",
            "What is known does not tell why it died",
            &[evidence(
                "for",
                "weak",
                "The text has the signal alone: no stack, no message.",
                &json!({"kind": "ending"}),
            )],
            &[remedy(
                "Run the program again under crashlens: it reads the stacks and values at the death.",
                Some("crashlens run -- python train.py"),
                "none",
            )],
        ),
        finding(
            "INS004",
            "library-clash",
            "possible",
            "Two libraries of one name may be loaded",
            &[evidence(
                "for",
                "weak",
                "The text speaks of two.",
                &json!({"kind": "ending"}),
            )],
            &[],
        ),
    ]
}
