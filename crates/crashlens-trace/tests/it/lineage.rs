//! Where a dead process came from.

use crashlens_core::{CrashCapture, Death, Lineage, Origin};

use crate::support::{Finished, Supervised, python, run_python, run_shell};

fn lineage(death: &CrashCapture) -> &Lineage {
    death.circumstances.lineage.known().unwrap()
}

#[test]
fn the_program_itself_was_started_also_when_it_becomes_another() {
    for program in ["kill -SEGV $$", "exec /bin/sh -c 'kill -SEGV $$'"] {
        let finished = run_shell(program);
        assert_eq!(lineage(finished.death()).origin, Origin::Started);
    }
}

#[test]
fn a_forked_child_is_told_from_a_spawned_one() {
    let finished = run_python(
        "import os, subprocess\n\
         print(os.getpid())\n\
         child = os.fork()\n\
         if child == 0: os.abort()\n\
         os.waitpid(child, 0)\n\
         subprocess.run(['/bin/sh', '-c', 'kill -SEGV $$'])",
    );
    let parent: u32 = finished.stdout.trim().parse().unwrap();
    let seen: Vec<_> = finished
        .deaths
        .iter()
        .map(|death| {
            let lineage = lineage(death);
            let threads = lineage.parent_threads_at_fork;
            (lineage.origin, lineage.made_by, threads)
        })
        .collect();
    let expected = [
        (Origin::Forked, Some(parent), Some(1)),
        (Origin::Spawned, Some(parent), None),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn threads_of_the_parent_are_counted_by_who_had_started_them() {
    let finished = run_python(
        "import os, threading\n\
         never = threading.Event()\n\
         for _ in range(7): threading.Thread(target=never.wait, daemon=True).start()\n\
         child = os.fork()\n\
         if child == 0: os.abort()\n\
         os.waitpid(child, 0); os._exit(0)",
    );
    let lineage = lineage(finished.death());
    assert_eq!(lineage.parent_threads_at_fork, Some(8));
    assert_eq!(lineage.tensorflow_threads_at_fork, Some(0));
    let starters = &lineage.starters_at_fork;
    assert_eq!(starters.len(), 1, "{starters:?}");
    assert!(starters[0].library.contains("python"), "{starters:?}");
    assert_eq!(starters[0].threads, 7);
}

/// What the report says of a worker: its kind, its name and its task.
fn told(death: &CrashCapture) -> [String; 3] {
    let worker = Death::new(death).lineage.unwrap().worker;
    let worker = worker.expect("a worker");
    [
        worker.kind,
        worker.name.unwrap_or_default(),
        worker.task.unwrap_or_default(),
    ]
}

fn run_script(program: &str) -> Finished {
    let script = tempfile::NamedTempFile::with_suffix(".py").unwrap();
    std::fs::write(script.path(), program).unwrap();
    Supervised::new(["run", python(), script.path().to_str().unwrap()]).finish()
}

#[test]
fn a_lost_task_of_a_pool_leaves_the_parent_waiting_for_ever() {
    // The helper waits until the main thread is where it stays, lets the worker crash, and ends the program when
    // the worker's end of the pipe is closed.
    let finished = run_python(
        "import ctypes, linecache, multiprocessing, os, sys, threading\n\
         go_read, go_write = os.pipe(); gone_read, gone_write = os.pipe()\n\
         def work(n): os.read(go_read, 1); ctypes.string_at(0)\n\
         def waits():\n\
         \x20   frame = sys._current_frames()[threading.main_thread().ident]\n\
         \x20   line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n\
         \x20   return line.strip() == 'waiter.acquire()'\n\
         def helper():\n\
         \x20   while not waits(): pass\n\
         \x20   os.write(go_write, b'x'); os.read(gone_read, 1); os._exit(5)\n\
         pool = multiprocessing.get_context('fork').Pool(1)\n\
         os.close(gone_write)\n\
         threading.Thread(target=helper, daemon=True).start()\n\
         pool.map(work, [7])",
    );
    assert_eq!(finished.code, Some(5), "{}", finished.stderr);
    let death = finished.death();
    let expected = ["multiprocessing.Pool", "ForkPoolWorker-1", "work(n=7)"];
    assert_eq!(told(death), expected);
    let parent = Death::new(death).lineage.unwrap().parent.unwrap();
    assert_eq!(parent.pid, death.process.parent_pid);
    let functions: Vec<_> = parent.frames.iter().map(|frame| &frame.function).collect();
    assert!(functions[0].ends_with("wait"), "{functions:?}");
    assert_eq!(functions.last().unwrap().as_str(), "<module>");
    assert_eq!(parent.waits_for_ever, Some(true));
}

#[test]
fn workers_are_recognised_however_they_were_made() {
    for (method, origin, name) in [
        ("fork", Origin::Forked, "loader-0"),
        ("spawn", Origin::Spawned, "loader-1"),
        ("forkserver", Origin::Forked, "loader-2"),
    ] {
        let finished = run_script(&format!(
            "import ctypes, multiprocessing\n\
             def work(n): ctypes.string_at(n)\n\
             if __name__ == '__main__':\n\
             \x20   context = multiprocessing.get_context('{method}')\n\
             \x20   worker = context.Process(target=work, args=(0,), name='{name}')\n\
             \x20   worker.start(); worker.join()\n"
        ));
        let death = finished.death();
        assert_eq!(lineage(death).origin, origin, "{method}");
        assert_eq!(told(death), ["multiprocessing.Process", name, "work(n=0)"]);
    }
}

#[test]
fn an_executor_notices_the_death_of_its_worker() {
    let finished = run_script(
        "import ctypes, multiprocessing\n\
         from concurrent.futures import ProcessPoolExecutor, process\n\
         def work(n): ctypes.string_at(0)\n\
         if __name__ == '__main__':\n\
         \x20   try: ProcessPoolExecutor(1, multiprocessing.get_context('spawn')).submit(work, 3).result()\n\
         \x20   except process.BrokenProcessPool: print('broken')\n",
    );
    assert_eq!(finished.stdout, "broken\n", "{}", finished.stderr);
    let expected = ["concurrent.futures", "SpawnProcess-1", "work(n=3)"];
    assert_eq!(told(finished.death()), expected);
    let parent = Death::new(finished.death())
        .lineage
        .unwrap()
        .parent
        .unwrap();
    assert_eq!(parent.waits_for_ever, Some(false));
}

#[test]
fn a_parent_that_is_no_python_is_not_described() {
    let finished = run_shell(&format!("{} -c 'import os; os.abort()'; exit 0", python()));
    let lineage = Death::new(finished.death()).lineage.unwrap();
    assert_eq!(lineage.origin, Origin::Spawned);
    assert_eq!(lineage.parent, None);
}

#[test]
fn a_hung_tree_is_shown_with_all_its_processes_and_goes_on() {
    let mut running = Supervised::new([
        "hang-after",
        "1",
        "run",
        python(),
        "-c",
        "import os, sys\n\
         child = os.fork()\n\
         if child == 0: input(); os._exit(0)\n\
         print(child, flush=True); os.waitpid(child, 0); print('over')",
    ])
    .start();
    let child: u32 = running.line().parse().unwrap();
    running.wait_for_seen("hung");
    running.say("go on");
    let finished = running.finish();
    assert_eq!(finished.stdout, format!("{child}\nover\n"));
    assert!(finished.deaths.is_empty());
    assert_eq!(finished.hangs.len(), 1);
    let [parent, shown] = &finished.hangs[0][..] else {
        panic!("{} processes", finished.hangs[0].len());
    };
    assert_eq!(shown.process.pid, child);
    assert_eq!(shown.process.parent_pid, parent.process.pid);
    assert_eq!(lineage(shown).origin, Origin::Forked);
    assert!(!shown.threads[0].frames.is_empty() && !parent.threads[0].frames.is_empty());
}
