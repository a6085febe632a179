use super::*;
use crate::capture::*;
use crate::culprit::{CodeOwner, Culprit, owner};

fn native(function: &str, library: &str) -> Frame {
    Frame::Native(NativeFrame {
        address: Address(0x1000),
        library: Some(library.to_owned()),
        path: Some(format!("/lib/{library}")),
        module_offset: Some(Address(0x10)),
        function: Some(function.to_owned()),
        function_offset: None,
        source: None,
        inlined: false,
        trust: FrameTrust::CallFrameInfo,
    })
}

fn python(file: &str, line: u32, function: &str) -> Frame {
    Frame::Python(PythonFrame {
        file: file.to_owned(),
        line: Some(line),
        function: function.to_owned(),
        source: Some("    work()".to_owned()),
        trust: FrameTrust::Interpreter,
        locals: Vec::new(),
    })
}

fn thread(id: u32, name: &str, frames: Vec<Frame>) -> Thread {
    Thread {
        id,
        name: name.to_owned(),
        role: if id == 1 {
            ThreadRole::Main
        } else {
            ThreadRole::Pool
        },
        crashed: false,
        holds_gil: Some(false),
        waits_for_crashed: false,
        frames,
        end: StackEnd::Complete,
    }
}

fn capture(signal: Signal, threads: Vec<Thread>) -> CrashCapture {
    let mut gaps = Gaps::default();
    let gap = gaps.add(
        "processor model",
        "no permission",
        Some("run as the same user"),
    );
    let crashed_thread = threads
        .iter()
        .find(|thread| thread.crashed)
        .map(|thread| thread.id);
    CrashCapture {
        crashlens: "0.1.0".to_owned(),
        source: CaptureSource::Process,
        process: Process {
            pid: 1,
            parent_pid: 0,
            role: Role::Main,
            command: vec!["python".to_owned(), "train.py".to_owned()],
            executable: Observed::Absent,
            working_directory: Observed::Absent,
        },
        ending: Ending {
            kind: EndingKind::Signal,
            signal: Some(signal),
            code: Some("SEGV_MAPERR".to_owned()),
            address: Some(Address(0)),
            sender_pid: None,
            wait_status: Some(139),
            exit_code: None,
            earlier_faults: Vec::new(),
            raised_again: false,
        },
        crashed_thread,
        registers: Observed::Absent,
        threads,
        modules: Observed::Known(vec![Module {
            name: "mine.so".to_owned(),
            path: "/lib/mine.so".to_owned(),
            start: Address(0x1000),
            end: Address(0x2000),
            bias: Address(0),
            build_id: None,
            package: Some(Package {
                name: "mine".to_owned(),
                version: "1.0".to_owned(),
            }),
        }]),
        maps: Observed::Absent,
        environment: Environment {
            python: Observed::Absent,
            variables: Observed::Absent,
            packages: Observed::default(),
            limits: Observed::Absent,
        },
        host: Host {
            system: Observed::default(),
            kernel: Observed::Known("Linux 6.1".to_owned()),
            glibc: Observed::Absent,
            cpu_model: Observed::Unknown(gap),
            cpu_flags: Observed::Absent,
            memory_total: Observed::Absent,
            memory_available: Observed::Absent,
            memory_group: Observed::Absent,
        },
        output: Output {
            stderr: Observed::Absent,
        },
        testimony: Testimony::default(),
        circumstances: Circumstances::default(),
        gaps,
    }
}

fn crashed(mut thread: Thread) -> Thread {
    thread.crashed = true;
    thread
}

#[test]
fn an_ordinary_end_has_no_deaths() {
    let report = Report::new(
        Run {
            exit_code: Some(0),
            ..Run::default()
        },
        [],
    );
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["schema"], "crashlens.report/1");
    assert_eq!(json["deaths"], serde_json::json!([]));
    assert_eq!(json["inspections"], serde_json::json!([]));
}

#[test]
fn a_death_names_its_place_its_package_and_its_gaps() {
    let frames = vec![
        native("work", "mine.so"),
        python("/home/me/train.py", 7, "fit"),
    ];
    let report = Report::of_capture(&capture(
        Signal::SEGV,
        vec![crashed(thread(1, "python", frames))],
    ));
    let json = serde_json::to_value(&report).unwrap();
    let death = &json["deaths"][0];
    assert_eq!(death["culprit"]["function"], "work");
    assert_eq!(death["culprit"]["package"]["name"], "mine");
    assert_eq!(death["culprit"]["python"]["line"], 7);
    assert_eq!(death["culprit"]["python"]["source"], "work()");
    assert_eq!(death["host"]["cpu_model"], serde_json::Value::Null);
    assert_eq!(death["gaps"][0]["part"], "processor model");
    assert_eq!(json["run"]["exit_code"], 139);
}

#[test]
fn a_report_reads_back_as_it_was_written() {
    let frames = vec![
        native("work", "mine.so"),
        python("/home/me/train.py", 7, "fit"),
    ];
    let report = Report::of_capture(&capture(
        Signal::SEGV,
        vec![crashed(thread(1, "python", frames))],
    ));
    let text = serde_json::to_string(&report).unwrap();
    let read: Report = serde_json::from_str(&text).unwrap();
    // A command is its text in JSON, and read as no more than that.
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

#[test]
fn idle_threads_in_the_same_place_are_one_entry_after_the_crashed_one() {
    let idle = || vec![native("futex_wait", "libc.so.6")];
    let threads = vec![
        thread(2, "tf_Compute/1", idle()),
        thread(3, "tf_Compute/2", idle()),
        thread(4, "tf_Compute/3", vec![native("busy", "mine.so")]),
        crashed(thread(1, "python", idle())),
        thread(5, "other", idle()),
        thread(6, "tf_Compute/44", idle()),
    ];
    let report = Report::of_capture(&capture(Signal::SEGV, threads));
    let shape: Vec<_> = report.deaths[0]
        .threads
        .iter()
        .map(|thread| (thread.id, thread.also.clone()))
        .collect();
    assert_eq!(
        shape,
        [(1, vec![]), (2, vec![3, 6]), (4, vec![]), (5, vec![])]
    );
}

#[test]
fn the_waiting_thread_lends_its_python_line_to_a_worker_without_one() {
    let mut main = thread(
        1,
        "python",
        vec![
            native("wait", "libc.so.6"),
            python("/home/me/train.py", 9, "fit"),
        ],
    );
    main.waits_for_crashed = true;
    let worker = crashed(thread(2, "tf_data", vec![native("work", "mine.so")]));
    let report = Report::of_capture(&capture(Signal::SEGV, vec![worker, main]));
    let culprit = &report.deaths[0].culprit;
    assert_eq!(
        culprit.python.as_ref().and_then(|python| python.line),
        Some(9)
    );
    assert_eq!(culprit.thread.as_ref().map(|thread| thread.id), Some(2));
}

#[test]
fn the_users_own_line_is_named_although_a_library_is_deeper() {
    let library = "/venv/lib/python3.11/site-packages/numpy/core/numeric.py";
    assert_eq!(owner(library), CodeOwner::Package);
    let frames = vec![
        native("work", "mine.so"),
        python("<string>", 3, "wrapper"),
        python(library, 50, "copy"),
        python("/home/me/train.py", 12, "fit"),
        python("/home/me/main.py", 1, "<module>"),
    ];
    let report = Report::of_capture(&capture(
        Signal::SEGV,
        vec![crashed(thread(1, "python", frames))],
    ));
    assert_eq!(
        report.deaths[0]
            .culprit
            .python
            .as_ref()
            .and_then(|python| python.line),
        Some(12)
    );
}

#[test]
fn a_signal_from_outside_accuses_no_function() {
    let frames = vec![
        native("work", "mine.so"),
        python("/home/me/train.py", 7, "fit"),
    ];
    for (signal, sender) in [
        (Signal(24), None),
        (Signal::KILL, None),
        (Signal::SEGV, Some(99)),
    ] {
        let mut capture = capture(signal, vec![crashed(thread(1, "python", frames.clone()))]);
        capture.ending.sender_pid = sender;
        let culprit = Report::of_capture(&capture).deaths.remove(0).culprit;
        assert_eq!(culprit.function, None, "{}", signal.name());
        assert_eq!(culprit.python.and_then(|python| python.line), Some(7));
    }
}

#[test]
fn a_process_that_lost_its_memory_is_placed_where_it_was_seen_last() {
    let mut capture = capture(Signal::KILL, vec![thread(1, "python", Vec::new())]);
    let Frame::Python(frame) = python("/home/me/train.py", 12, "load") else {
        return;
    };
    let seen = TopLine {
        milliseconds: 900,
        pid: 1,
        frames: vec![frame],
    };
    capture.circumstances.timeline = Observed::Known(Timeline {
        on_top: vec![seen],
        ..Timeline::default()
    });
    assert_eq!(Culprit::choose(&capture).python, None, "killed by hand");
    capture.ending.kind = EndingKind::OomKill;
    let line = Culprit::choose(&capture).python.unwrap();
    assert_eq!(
        (line.file.as_str(), line.line),
        ("/home/me/train.py", Some(12))
    );
}
