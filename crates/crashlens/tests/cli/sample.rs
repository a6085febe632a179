//! Hand-made captures, rich enough to show every part of a report.

use std::collections::BTreeMap;

use crashlens_core::capture::*;

#[path = "sample_findings.rs"]
pub(crate) mod findings;
#[path = "sample_knowledge.rs"]
mod knowledge;
#[path = "sample_parts.rs"]
mod parts;

use parts::{CC, FRAMEWORK, PYTHON, SITE, idle_pool, module, native, python, thread};

fn main_python() -> Vec<Frame> {
    let start = [
        "_PyEval_EvalFrameDefault",
        "PyEval_EvalCode",
        "run_mod",
        "Py_RunMain",
        "Py_BytesMain",
    ];
    let mut frames = vec![
        native(PYTHON, "cfunction_call"),
        native(PYTHON, "_PyEval_EvalFrameDefault"),
        python(
            &format!("{SITE}/tensorflow/python/ops/gen_math_ops.py"),
            7261,
            "quantized_mat_mul",
            "_result = pywrap_tfe.TFE_Py_FastPathExecute(",
        ),
        python(
            &format!("{SITE}/tensorflow/python/util/tf_export.py"),
            371,
            "wrapper",
            "return f(**kwargs)",
        ),
        python(
            &format!("{SITE}/keras/src/utils/traceback_utils.py"),
            65,
            "error_handler",
            "return fn(*args, **kwargs)",
        ),
        python(
            &format!("{SITE}/keras/src/engine/base_layer.py"),
            1149,
            "__call__",
            "outputs = call_fn(inputs, *args, **kwargs)",
        ),
        python(
            &format!("{SITE}/keras/src/utils/traceback_utils.py"),
            96,
            "error_handler",
            "return fn(*args, **kwargs)",
        ),
        python(
            "/home/ada/job/layers.py",
            18,
            "Quantized.call",
            "return tf.raw_ops.QuantizedMatMul(a=x, b=self.w, min_a=self.lo, max_a=self.hi, min_b=0.0, max_b=1.0)",
        ),
        native(PYTHON, "_PyEval_EvalFrameDefault"),
        python(
            "/home/ada/job/train.py",
            42,
            "fit",
            "loss = step(model, batch)",
        ),
        python("/home/ada/job/train.py", 57, "<module>", "fit(epochs=90)"),
    ];
    frames.extend(start.map(|function| native(PYTHON, function)));
    frames.extend([
        native("libc.so.6", "__libc_start_main"),
        native("python3.11", "_start"),
    ]);
    frames
}

/// Kernel and runtime of an eager op, innermost first.
#[rustfmt::skip]
const KERNEL: [(&str, &str); 11] = [
    (CC, "tensorflow::QuantizedMatMulOp<Eigen::QUInt8, Eigen::QUInt8, Eigen::QInt32>::Compute(tensorflow::OpKernelContext*)"),
    (FRAMEWORK, "tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernel*, tensorflow::OpKernelContext*)"),
    (FRAMEWORK, "tensorflow::(anonymous namespace)::SingleThreadedExecutorImpl::Run(tensorflow::Executor::Args const&)"),
    (FRAMEWORK, "tensorflow::FunctionLibraryRuntimeImpl::RunSync(tensorflow::FunctionLibraryRuntime::Options, unsigned long, absl::lts_20230125::Span<tensorflow::Tensor const>)"),
    (CC, "tensorflow::KernelAndDeviceFunc::Run(tensorflow::ScopedStepContainer*, tensorflow::EagerKernelArgs const&)"),
    (CC, "tensorflow::EagerKernelExecute(tensorflow::EagerContext*, absl::lts_20230125::InlinedVector<tensorflow::TensorHandle*, 4ul> const&)"),
    (CC, "tensorflow::ExecuteNode::Run()"),
    (CC, "tensorflow::EagerExecutor::SyncExecute(tensorflow::EagerNode*)"),
    (CC, "tensorflow::EagerOperation::Execute(absl::lts_20230125::Span<tensorflow::AbstractTensorHandle*>, int*)"),
    (CC, "TFE_Execute"),
    ("_pywrap_tfe.so", "pybind11::cpp_function::dispatcher(_object*, _object*, _object*)"),
];

fn capture(pid: u32, role: Role, ending: Ending, threads: Vec<Thread>) -> CrashCapture {
    let mut gaps = Gaps::default();
    let gpu = gaps.add(
        "the memory control group",
        "/sys/fs/cgroup is not mounted here",
        Some("mount it, or run outside the container"),
    );
    gaps.add(
        "names in libmkl_core.so.2",
        "the file was replaced while the program ran",
        None,
    );
    CrashCapture {
        crashlens: "0.1.0".to_owned(),
        source: CaptureSource::Process,
        process: Process {
            pid,
            parent_pid: if role == Role::Main { 4000 } else { 4711 },
            role,
            command: vec!["/home/ada/job/.venv/bin/python".to_owned(), "train.py".to_owned(), "--token=***".to_owned()],
            executable: Observed::Known("/usr/bin/python3.11".to_owned()),
            working_directory: Observed::Known("/home/ada/job".to_owned()),
        },
        ending,
        crashed_thread: threads.first().filter(|thread| thread.crashed).map(|thread| thread.id),
        registers: Observed::Known(Registers { rsp: Address(0x7ffd_0000_1000), ..Registers::default() }),
        threads,
        modules: Observed::Known(vec![
            module(CC, Some(("tensorflow-cpu", "2.15.1"))),
            module(FRAMEWORK, Some(("tensorflow-cpu", "2.15.1"))),
        ]),
        maps: Observed::Known(Vec::new()),
        environment: Environment {
            python: Observed::Known(PythonRuntime {
                version: "3.11.7".to_owned(),
                library: format!("/usr/lib/{PYTHON}"),
                shared: true,
                stripped: false,
                finalizing: Some(false),
            }),
            variables: Observed::Known(BTreeMap::from([("OMP_NUM_THREADS".to_owned(), "8".to_owned())])),
            packages: Observed::default(),
            limits: Observed::Known(vec![Limit { name: "Max stack size".to_owned(), soft: Some(8 << 20), hard: None }]),
        },
        host: Host {
            system: Observed::default(),
            kernel: Observed::Known("Linux 6.1.0-18-amd64 x86_64".to_owned()),
            glibc: Observed::Known("2.36".to_owned()),
            cpu_model: Observed::Known("Example CPU".to_owned()),
            cpu_flags: Observed::Known(vec!["avx2".to_owned(), "fma".to_owned()]),
            memory_total: Observed::Known(64 << 30),
            memory_available: Observed::Known(12 << 30),
            memory_group: Observed::Unknown(gpu),
        },
        output: Output {
            stderr: Observed::Known(Tail {
                lines: vec![
                    "Epoch 1/90".to_owned(),
                    String::new(),
                    "2026-11-15 22:05:31.104 I tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary is optimized to use available CPU instructions".to_owned(),
                    " 12/938 [..............................] - ETA: 3:01 - loss: 2.2\u{1b}[K".to_owned(),
                ],
                truncated: true,
            }),
        },
        testimony: Testimony::default(),
        circumstances: Circumstances::default(),
        gaps,
    }
}

fn ending(kind: EndingKind, signal: i32, code: &str, address: Option<u64>) -> Ending {
    Ending {
        kind,
        signal: Some(Signal(signal)),
        code: Some(code.to_owned()),
        address: address.map(Address),
        sender_pid: None,
        wait_status: Some(128 + signal),
        exit_code: None,
        earlier_faults: Vec::new(),
        raised_again: false,
    }
}

/// The main thread died in a kernel that its own Python code had called.
pub(crate) fn in_main_thread() -> CrashCapture {
    let mut frames: Vec<Frame> = KERNEL
        .iter()
        .map(|(library, function)| native(library, function))
        .collect();
    frames.extend(main_python());
    let mut main = thread(4711, "python", ThreadRole::Main, frames);
    main.crashed = true;
    main.holds_gil = Some(true);
    let waiting = vec![
        native("libc.so.6", ""),
        native(PYTHON, "lock_PyThread_acquire_lock"),
        python(
            "/usr/lib/python3.11/threading.py",
            331,
            "Condition.wait",
            "gotit = waiter.acquire(True, timeout)",
        ),
        python(
            "/home/ada/job/prefetch.py",
            30,
            "worker",
            "item = queue.get()",
        ),
    ];
    let threads = [main].into_iter().chain(idle_pool(4712, 8)).chain([thread(
        4720,
        "prefetch",
        ThreadRole::Python,
        waiting,
    )]);
    let mut capture = capture(
        4711,
        Role::Main,
        ending(EndingKind::Signal, 11, "SEGV_MAPERR", Some(0)),
        threads.collect(),
    );
    knowledge::null_field(&mut capture);
    capture
}

/// A worker without Python code died in a child process while the main thread waited for it.
pub(crate) fn in_worker_of_child() -> CrashCapture {
    let frames = vec![
        native("libc.so.6", ""),
        native("libc.so.6", "raise"),
        native("libc.so.6", "abort"),
        native(
            FRAMEWORK,
            "tsl::internal::LogMessageFatal::~LogMessageFatal()",
        ),
        native(
            FRAMEWORK,
            "tensorflow::Tensor::CheckTypeAndIsAligned(tensorflow::DataType) const",
        ),
        native(
            "gain_map.so",
            "GainMapOp::Compute(tensorflow::OpKernelContext*)",
        ),
        native(
            FRAMEWORK,
            "Eigen::ThreadPoolTempl<tsl::thread::EigenEnvironment>::WorkerLoop(int)",
        ),
        native("libc.so.6", ""),
    ];
    let mut worker = thread(4790, "tf_Compute/3", ThreadRole::Pool, frames);
    worker.crashed = true;
    worker.end = StackEnd::Unreadable {
        address: Address(0x7f10),
    };
    let mut waiting = vec![
        native("libc.so.6", ""),
        native(
            CC,
            "tensorflow::KernelAndDeviceFunc::Run(tensorflow::ScopedStepContainer*)",
        ),
    ];
    waiting.extend(main_python());
    let mut main = thread(4780, "python", ThreadRole::Main, waiting);
    main.waits_for_crashed = true;
    let threads = [worker, main]
        .into_iter()
        .chain(idle_pool(4791, 2))
        .collect();
    let mut capture = capture(
        4780,
        Role::Child,
        ending(EndingKind::Signal, 6, "SI_TKILL", None),
        threads,
    );
    knowledge::lost_worker(&mut capture);
    capture
}

/// The kernel took the process for its memory.
pub(crate) fn out_of_memory() -> CrashCapture {
    let mut main = thread(4711, "python", ThreadRole::Main, main_python());
    main.holds_gil = Some(true);
    let mut capture = capture(
        4711,
        Role::Main,
        ending(EndingKind::OomKill, 9, "SI_KERNEL", None),
        vec![main],
    );
    capture.gaps = Gaps::default();
    capture.host.memory_group = Observed::Known(MemoryGroup {
        version: 2,
        path: "/job-17".to_owned(),
        limit: Some(2 << 30),
        usage: Some(2_040_000_000),
        peak: Some(2 << 30),
        oom_kills: Some(3),
        oom_kills_before: Some(2),
    });
    knowledge::growth(&mut capture);
    capture
}

/// It runs, and seems to hang.
pub(crate) fn running() -> CrashCapture {
    let mut capture = in_main_thread();
    capture.ending = Ending {
        kind: EndingKind::Running,
        signal: None,
        code: None,
        address: None,
        sender_pid: None,
        wait_status: None,
        exit_code: None,
        earlier_faults: Vec::new(),
        raised_again: false,
    };
    capture.crashed_thread = None;
    capture.testimony.fault = Observed::Absent;
    for thread in &mut capture.threads {
        thread.crashed = false;
    }
    capture
}

/// The main thread called itself until its stack was used up.
pub(crate) fn recursion() -> CrashCapture {
    let mut frames = vec![native(PYTHON, "map_next"); 4000];
    frames.push(python(
        "/home/ada/job/chain.py",
        9,
        "<module>",
        "next(iterator)",
    ));
    let mut main = thread(4711, "python", ThreadRole::Main, frames);
    main.crashed = true;
    main.end = StackEnd::DepthLimit;
    let mut capture = capture(
        4711,
        Role::Main,
        ending(
            EndingKind::Signal,
            11,
            "SEGV_MAPERR",
            Some(0x7ffd_0000_0ff8),
        ),
        vec![main],
    );
    capture.output.stderr = Observed::Absent;
    knowledge::full_stack(&mut capture);
    capture
}

/// A person's text, which tells little.
pub(crate) fn text() -> CrashCapture {
    let mut capture = capture(
        0,
        Role::Main,
        ending(EndingKind::Signal, 11, "", None),
        Vec::new(),
    );
    capture.source = CaptureSource::Text;
    capture.ending.code = None;
    capture.process.command = Vec::new();
    capture.gaps = Gaps::default();
    capture.output.stderr = Observed::Known(Tail {
        lines: vec!["Segmentation fault (core dumped)".to_owned()],
        truncated: false,
    });
    capture
}
