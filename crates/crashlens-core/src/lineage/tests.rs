use super::*;
use crate::capture::*;

const LIBRARY: &str = "/usr/lib/python3.11";

fn frame(file: &str, function: &str) -> PythonFrame {
    PythonFrame {
        file: file.to_owned(),
        line: Some(1),
        function: function.to_owned(),
        source: None,
        trust: FrameTrust::Unplaced,
        locals: Vec::new(),
    }
}

fn library(file: &str, function: &str) -> PythonFrame {
    frame(&format!("{LIBRARY}/{file}"), function)
}

fn package(file: &str, function: &str) -> PythonFrame {
    frame(&format!("{LIBRARY}/site-packages/{file}"), function)
}

fn local(name: &str, argument: bool, text: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        argument,
        value: Value {
            type_name: "str".to_owned(),
            text: Some(text.to_owned()),
            array: None,
        },
    }
}

fn recognise(frames: &[PythonFrame]) -> Option<Worker> {
    let frames: Vec<&PythonFrame> = frames.iter().collect();
    worker::recognise(&frames)
}

/// The outer frames of a forked process.
fn process(name: &str) -> [PythonFrame; 3] {
    let mut bootstrap = library("multiprocessing/process.py", "BaseProcess._bootstrap");
    let text = format!("<ForkProcess name='{name}' parent=7 started>");
    bootstrap.locals = vec![local("self", true, &text)];
    [
        library("multiprocessing/process.py", "BaseProcess.run"),
        bootstrap,
        library("multiprocessing/popen_fork.py", "Popen._launch"),
    ]
}

fn in_process(inner: Vec<PythonFrame>, name: &str) -> Vec<PythonFrame> {
    inner.into_iter().chain(process(name)).collect()
}

#[test]
fn a_plain_process_has_its_target_for_a_task() {
    let mut target = frame("/home/ada/job.py", "worker");
    target.locals = vec![local("path", true, "'7.png'"), local("n", false, "2")];
    let inner = vec![frame("/home/ada/job.py", "parse"), target];
    let worker = recognise(&in_process(inner, "loader-0")).unwrap();
    assert_eq!(worker.kind, "multiprocessing.Process");
    assert_eq!(worker.name.as_deref(), Some("loader-0"));
    assert_eq!(worker.task.as_deref(), Some("worker(path='7.png')"));
}

#[test]
fn workers_are_known_by_the_library_that_runs_them() {
    let cases = [
        (
            vec![library("multiprocessing/pool.py", "mapstar")],
            library("multiprocessing/pool.py", "worker"),
            "multiprocessing.Pool",
        ),
        (
            vec![library("concurrent/futures/process.py", "_process_chunk")],
            library("concurrent/futures/process.py", "_process_worker"),
            "concurrent.futures",
        ),
        (
            vec![package(
                "torch/utils/data/_utils/fetch.py",
                "_MapDatasetFetcher.fetch",
            )],
            package("torch/utils/data/_utils/worker.py", "_worker_loop"),
            "torch DataLoader",
        ),
        (
            vec![package("keras/src/utils/data_utils.py", "get_index")],
            library("multiprocessing/pool.py", "worker"),
            "Keras",
        ),
        (
            vec![package("joblib/parallel.py", "BatchedCalls.__call__")],
            package(
                "joblib/externals/loky/process_executor.py",
                "_process_worker",
            ),
            "joblib",
        ),
    ];
    for (carriers, runner, kind) in cases {
        let mut inner = vec![
            package("numpy/linalg.py", "inv"),
            frame("/home/ada/job.py", "decode"),
        ];
        inner.extend(carriers);
        inner.push(runner);
        let worker = recognise(&in_process(inner, "x")).unwrap();
        assert_eq!(worker.kind, kind);
        assert_eq!(worker.task.as_deref(), Some("decode()"), "{kind}");
    }
}

#[test]
fn a_spawned_process_knows_its_name_from_its_preparation() {
    let mut main = library("multiprocessing/spawn.py", "_main");
    main.locals = vec![local(
        "preparation_data",
        false,
        "{'authkey': …, 'name': 'SpawnPoolWorker-3', 'dir': '/'}",
    )];
    let frames = [
        frame("/home/ada/job.py", "decode"),
        library("multiprocessing/pool.py", "worker"),
        library("multiprocessing/process.py", "BaseProcess._bootstrap"),
        main,
    ];
    let worker = recognise(&frames).unwrap();
    assert_eq!(worker.name.as_deref(), Some("SpawnPoolWorker-3"));
}

#[test]
fn a_program_of_the_users_own_that_looks_alike_is_no_worker() {
    let frames = [
        frame("/home/ada/mypool.py", "worker"),
        frame("/home/ada/notmultiprocessing/pool.py", "worker"),
        frame("/home/ada/data_utils.py", "get_index"),
    ];
    assert_eq!(recognise(&frames), None);
}

fn waiting(source: &str, job: &str) -> Vec<PythonFrame> {
    let mut wait = library("threading.py", "Condition.wait");
    wait.source = Some(source.to_owned());
    let mut result = library("multiprocessing/pool.py", "ApplyResult.wait");
    result.locals = vec![local("self", true, &format!("<MapResult job={job}>"))];
    vec![
        wait,
        library("threading.py", "Event.wait"),
        result,
        library("multiprocessing/pool.py", "ApplyResult.get"),
        library("multiprocessing/pool.py", "Pool.map"),
        frame("/home/ada/job.py", "<module>"),
    ]
}

fn waits(kind: &str, lost: Option<&str>, frames: &[PythonFrame]) -> Option<bool> {
    contexts::waits_for_ever(kind, frames, lost)
}

#[test]
fn a_lost_task_of_a_pool_is_waited_for_in_vain() {
    let for_ever = waiting("waiter.acquire()", "4");
    let limited = waiting("gotit = waiter.acquire(True, timeout)", "4");
    let pool = "multiprocessing.Pool";
    assert_eq!(waits(pool, Some("4"), &for_ever), Some(true));
    assert_eq!(waits(pool, Some("4"), &limited), Some(false));
    assert_eq!(waits(pool, Some("3"), &for_ever), None, "another job");
    assert_eq!(waits(pool, Some("4"), &waiting("", "4")), None);
    assert_eq!(waits(pool, None, &for_ever), None, "no task was lost");
    assert_eq!(waits("concurrent.futures", None, &for_ever), Some(false));
    assert_eq!(waits("gunicorn", None, &for_ever), None);
}

#[test]
fn the_job_of_a_pool_is_known_from_its_worker() {
    let mut worker = library("multiprocessing/pool.py", "worker");
    worker.locals = vec![local("job", false, "4")];
    let busy = [frame("/j.py", "decode"), worker.clone()];
    let idle = [
        library("multiprocessing/queues.py", "SimpleQueue.get"),
        worker,
    ];
    assert_eq!(contexts::multiprocessing::job(&busy.each_ref()), Some("4"));
    assert_eq!(contexts::multiprocessing::job(&idle.each_ref()), None);
}

#[test]
fn joining_a_dead_process_returns() {
    let frames = [
        library("multiprocessing/popen_fork.py", "Popen.poll"),
        library("multiprocessing/popen_fork.py", "Popen.wait"),
        library("multiprocessing/process.py", "BaseProcess.join"),
    ];
    assert_eq!(waits("multiprocessing.Process", None, &frames), Some(false));
    let queue = [library("multiprocessing/queues.py", "Queue.get")];
    assert_eq!(waits("multiprocessing.Process", None, &queue), None);
}
