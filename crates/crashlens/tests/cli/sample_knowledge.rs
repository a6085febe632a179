//! What the dead processes of the samples knew.

use crashlens_core::capture::*;

fn value(type_name: &str, text: &str) -> Value {
    Value {
        type_name: type_name.to_owned(),
        text: Some(text.to_owned()),
        array: None,
    }
}

fn tensor(kind: ArrayKind, type_name: &str, dtype: &str, shape: &[u64]) -> Value {
    Value {
        type_name: type_name.to_owned(),
        text: None,
        array: Some(Array {
            kind,
            shape: Some(shape.iter().copied().map(Some).collect()),
            dtype: Some(dtype.to_owned()),
            strides: None,
            data: None,
            data_mapped: None,
            by_form: true,
        }),
    }
}

fn variable(name: &str, argument: bool, value: Value) -> Variable {
    Variable {
        name: name.to_owned(),
        argument,
        value,
    }
}

/// A kernel read a field of an object that was not there.
pub(super) fn null_field(capture: &mut CrashCapture) {
    capture.testimony.fault = Observed::Known(FaultSite {
        instruction: Some(Instruction {
            text: "movss xmm0,[rax]".to_owned(),
            bytes: "f30f1000".to_owned(),
            needs: vec!["sse".to_owned()],
            missing: Some(Vec::new()),
        }),
        access: Some(Access {
            kind: AccessKind::Read,
            address: Address(0),
            confirmed: true,
            width: Some(4),
            base: Some(RegisterValue {
                name: "rax".to_owned(),
                value: Address(0),
                points_into: None,
            }),
            index: None,
            called_from: None,
        }),
        place: Some(Place::NullPage { offset: 0 }),
        ..FaultSite::default()
    });
    let locals = vec![
        variable(
            "self",
            true,
            Value {
                text: None,
                ..value("layers.Quantized", "")
            },
        ),
        variable(
            "x",
            true,
            tensor(ArrayKind::EagerTensor, "EagerTensor", "quint8", &[32, 784]),
        ),
        variable("scale", false, value("float", "0.5")),
    ];
    let frames = capture
        .threads
        .iter_mut()
        .flat_map(|thread| &mut thread.frames);
    for frame in frames {
        if let Frame::Python(python) = frame
            && python.function == "Quantized.call"
        {
            python.locals.clone_from(&locals);
        }
    }
}

/// A forked worker of a pool failed a check, and its parent waits.
pub(super) fn lost_worker(capture: &mut CrashCapture) {
    capture.testimony.fault = Observed::Absent;
    if let Observed::Known(tail) = &mut capture.output.stderr {
        tail.lines.push(
            "2026-11-15 22:05:33.871 F tensorflow/core/framework/tensor.cc:812] Check failed: dtype() == expected_dtype (1 vs. 2) float expected, got double"
                .to_owned(),
        );
    }
    capture.circumstances.lineage = Observed::Known(Lineage {
        parent_threads_at_fork: Some(12),
        tensorflow_threads_at_fork: Some(9),
        worker: Some(Worker {
            kind: "multiprocessing.Pool".to_owned(),
            name: Some("ForkPoolWorker-1".to_owned()),
            task: Some("decode(path='/data/7.png')".to_owned()),
        }),
        parent: Some(Parent {
            pid: 4711,
            frames: vec![PythonFrame {
                file: "/usr/lib/python3.11/multiprocessing/pool.py".to_owned(),
                line: Some(774),
                function: "ApplyResult.get".to_owned(),
                source: None,
                trust: FrameTrust::Unplaced,
                locals: Vec::new(),
            }],
            waits_for_ever: Some(true),
        }),
        ..Lineage::new(Origin::Forked)
    });
}

/// Memory grew until the kernel ended it.
pub(super) fn growth(capture: &mut CrashCapture) {
    let sample = |milliseconds, resident| MemorySample {
        milliseconds,
        resident,
        processes: 1,
        group: Some(resident + (10 << 20)),
    };
    capture.circumstances.timeline = Observed::Known(Timeline {
        samples: vec![
            sample(0, 100 << 20),
            sample(5000, 1000 << 20),
            sample(10_000, 2000 << 20),
        ],
        growth_per_second: Some(200 << 20),
        ..Timeline::default()
    });
    capture.circumstances.resources = Observed::Known(vec![ResourceUse {
        resource: Resource::Memory,
        set_by: Limiter::Path("/job-17".to_owned()),
        used: Some(2_040_000_000),
        peak: Some(2 << 30),
        limit: Some(2 << 30),
        met: Some(311),
    }]);
    capture.circumstances.kernel_log = Observed::Known(vec![
        "Memory cgroup out of memory: Killed process 4711 (python) total-vm:5012340kB, anon-rss:1980000kB".to_owned(),
    ]);
}

/// One function called itself until the stack was used up.
pub(super) fn full_stack(capture: &mut CrashCapture) {
    capture.testimony.fault = Observed::Known(FaultSite {
        place: Some(Place::StackOverflow),
        stack: Some(StackUse {
            size: Some(8 << 20),
            limit: Some(8 << 20),
            depth: Some(4010),
            python_frames: Some(1),
            recursion_limit: Some(1000),
            cycle: vec!["map_next (libpython3.11.so.1.0)".to_owned()],
            repeats: 4000,
        }),
        ..FaultSite::default()
    });
}
