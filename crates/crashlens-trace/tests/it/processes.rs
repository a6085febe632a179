//! Trees of processes: children, orphans, other programs.

use crashlens_core::{Role, Signal};

use crate::support::{Supervised, python, run_python, run_shell, start_python};

#[test]
fn a_childs_death_is_told_while_the_parent_lives_on() {
    let mut running = start_python(
        "import os\n\
         child = os.fork()\n\
         if child == 0: os.abort()\n\
         print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n\
         input(); print('parent ends')",
    );
    assert_eq!(running.line(), "-6");
    running.say("go on");
    let finished = running.finish();
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (Some(0), "-6\nparent ends\n")
    );
    let death = finished.death();
    assert_eq!(
        (death.process.role, death.ending.signal),
        (Role::Child, Some(Signal::ABRT))
    );
}

#[test]
fn multiprocessing_and_subprocess_see_their_children_end_as_ever() {
    for method in ["fork", "spawn", "forkserver"] {
        let script = tempfile::NamedTempFile::with_suffix(".py").unwrap();
        std::fs::write(
            script.path(),
            format!(
                "import ctypes, multiprocessing, subprocess, sys\n\
                 def work(n):\n\
                 \x20   if n == 1: ctypes.string_at(0)\n\
                 if __name__ == '__main__':\n\
                 \x20   context = multiprocessing.get_context('{method}')\n\
                 \x20   workers = [context.Process(target=work, args=(n,)) for n in range(3)]\n\
                 \x20   for worker in workers: worker.start()\n\
                 \x20   for worker in workers: worker.join()\n\
                 \x20   print([worker.exitcode for worker in workers])\n\
                 \x20   print(subprocess.run([sys.executable, '-c', 'import os; os.abort()']).returncode)\n"
            ),
        )
        .unwrap();
        let finished = Supervised::new(["run", python(), script.path().to_str().unwrap()]).finish();
        assert_eq!(
            finished.stdout, "[0, -11, 0]\n-6\n",
            "{method}: {}",
            finished.stderr
        );
        let signals: Vec<_> = finished
            .deaths
            .iter()
            .map(|death| death.ending.signal)
            .collect();
        assert_eq!(
            signals,
            [Some(Signal::SEGV), Some(Signal::ABRT)],
            "{method}"
        );
    }
}

#[test]
fn a_pool_that_is_terminated_is_no_death() {
    let finished = run_python(
        "import multiprocessing, signal\n\
         pool = multiprocessing.Pool(3); pool.map(abs, range(9)); pool.terminate(); pool.join()\n\
         worker = multiprocessing.Process(target=signal.pause); worker.start(); worker.kill(); worker.join()\n\
         print(worker.exitcode)",
    );
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (Some(0), "-9\n"),
        "{}",
        finished.stderr
    );
    assert!(finished.deaths.is_empty());
}

#[test]
fn an_orphan_runs_on_when_the_program_has_ended() {
    let finished = run_shell("sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; exit 3");
    assert_eq!(finished.code, Some(3));
    let orphan: i32 = finished.stdout.trim().parse().unwrap();
    let orphan = nix::unistd::Pid::from_raw(orphan);
    let status = std::fs::read_to_string(format!("/proc/{orphan}/status")).unwrap();
    assert!(status.contains("TracerPid:\t0\n"), "{status}");
    nix::sys::signal::kill(orphan, nix::sys::signal::SIGKILL).unwrap();
}

#[test]
fn a_program_that_becomes_another_is_followed() {
    let finished = run_shell("exec /bin/sh -c 'exec /bin/sh -c \"kill -SEGV \\$\\$\"'");
    let death = finished.death();
    assert_eq!(finished.code, Some(139));
    assert_eq!(death.process.command, ["/bin/sh", "-c", "kill -SEGV $$"]);
}

#[test]
fn a_thread_that_becomes_another_program_takes_over_its_process() {
    let finished = run_python(
        "import os, threading\n\
         waiting = threading.Event()\n\
         for _ in range(5): threading.Thread(target=waiting.wait).start()\n\
         threading.Thread(target=os.execv, args=('/bin/sh', ['sh', '-c', 'kill -FPE $$'])).start()\n\
         waiting.wait()",
    );
    let death = finished.death();
    assert_eq!(
        (death.ending.signal, finished.code),
        (Some(Signal::FPE), Some(136))
    );
    assert_eq!(death.threads.len(), 1);
}

#[test]
fn a_crash_in_a_vfork_child_leaves_its_parent_running() {
    let finished = run_python(
        "import subprocess, sys\n\
         for _ in range(3): print(subprocess.run(['/bin/sh', '-c', 'kill -BUS $$']).returncode)",
    );
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (Some(0), "-7\n-7\n-7\n")
    );
    assert_eq!(finished.deaths.len(), 3);
}

#[test]
fn a_hundred_processes_in_quick_succession_are_followed() {
    let finished =
        run_shell("i=0; while [ $i -lt 100 ]; do /bin/true & i=$((i+1)); done; wait; exit 9");
    assert_eq!(finished.code, Some(9));
    assert!(finished.deaths.is_empty());
}

#[test]
fn crashlens_killed_in_mid_run_leaves_the_program_to_finish() {
    let mut running = start_python(
        "import sys, threading\n\
         never = threading.Event(); threading.Thread(target=never.wait, daemon=True).start()\n\
         print('ready', flush=True); input()\n\
         print('to stderr', file=sys.stderr); print('finished', flush=True)",
    );
    assert_eq!(running.line(), "ready");
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    running.say("go on");
    assert_eq!(running.line(), "finished");
    assert_eq!(running.finish().stderr, "to stderr\n");
}
