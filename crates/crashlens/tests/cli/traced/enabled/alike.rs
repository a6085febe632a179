//! What a program does and sees while it runs is the same with `enable()` and without.

use super::assert_alike;

#[test]
fn a_program_that_waits_for_any_child_finds_only_its_own() {
    let said = assert_alike(
        r"
import os
enable()
def wait():
    try:
        print(os.wait()[1])
    except ChildProcessError:
        print('none')
wait()
if os.fork() == 0: os._exit(3)
wait()
wait()
",
    );
    assert_eq!(said, "none\n768\nnone\n");
}

#[test]
fn a_handler_of_sigchld_runs_for_the_children_of_the_program_alone() {
    let said = assert_alike(
        r"
import os, signal
ended = []
signal.signal(signal.SIGCHLD, lambda *_: ended.append(os.wait()[1]))
enable()
print(ended)
if os.fork() == 0: os._exit(1)
while not ended: signal.pause()
print(ended)
",
    );
    assert_eq!(said, "[]\n[256]\n");
}

#[test]
fn a_program_that_ignores_sigchld_still_does() {
    let said = assert_alike(
        r"
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
enable()
child = os.fork()
if child == 0: os._exit(1)
try:
    os.waitpid(child, 0)
except ChildProcessError:
    print('reaped by the kernel', signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN)
",
    );
    assert_eq!(said, "reaped by the kernel True\n");
}

#[test]
fn a_pending_sigchld_of_another_child_is_kept_and_none_is_added() {
    let said = assert_alike(
        r"
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
enable()
print(signal.sigpending())
child = os.fork()
if child == 0: os._exit(1)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
disable()
enable()
print(signal.sigpending() == {signal.SIGCHLD}, os.waitpid(child, 0)[1])
print(signal.pthread_sigmask(signal.SIG_BLOCK, []) == {signal.SIGCHLD})
",
    );
    assert_eq!(said, "set()\nTrue 256\nTrue\n");
}

#[test]
fn a_reader_of_a_pipe_sees_its_end_when_the_program_closes_it() {
    let said = assert_alike(
        r"
import os
reader, writer = os.pipe()
os.set_inheritable(writer, True)
enable()
os.close(writer)
print(os.read(reader, 1))
print(sorted(os.listdir('/proc/self/fd'))[:4])
",
    );
    assert!(said.starts_with("b''\n"), "{said}");
}

#[test]
fn a_program_has_the_descriptors_that_it_has_alone() {
    assert_alike(
        r"
import os
os.close(0)
enable()
print(sorted(os.listdir('/proc/self/fd')), os.open('/dev/null', os.O_RDONLY))
",
    );
}

#[test]
fn a_program_without_standard_streams_can_be_watched() {
    let said = assert_alike(
        r"
import os
kept = os.dup(1)
for number in range(3): os.close(number)
enable()
os.write(kept, b'%r\n' % os.listdir('/proc/self/fd'))
",
    );
    assert!(!said.is_empty());
}

#[test]
fn handlers_of_signals_run_as_often() {
    let said = assert_alike(
        r"
import os, signal
seen = []
for number in signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGRTMIN + 3:
    signal.signal(number, lambda number, _: seen.append(int(number)))
enable()
for number in signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGRTMIN + 3:
    for _ in range(20):
        os.kill(os.getpid(), number)
print(len(seen), sorted(set(seen)))
",
    );
    assert!(said.starts_with("80 "), "{said}");
}

#[test]
fn a_profiler_that_interrupts_a_thousand_times_a_second_gets_its_signals() {
    let said = assert_alike(
        r"
import signal
count = 0
def tick(*_):
    global count
    count += 1
signal.signal(signal.SIGPROF, tick)
enable()
signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
while count < 50: sum(range(1000))
signal.setitimer(signal.ITIMER_PROF, 0)
print('enough')
",
    );
    assert_eq!(said, "enough\n");
}

#[test]
fn processes_are_forked_and_programs_are_started() {
    let said = assert_alike(
        r"
import os, subprocess, sys
enable()
child = os.fork()
if child == 0:
    enable()
    os._exit(7)
print(os.waitpid(child, 0)[1])
print(subprocess.run(['sh', '-c', 'echo out; exit 3'], capture_output=True))
print(subprocess.run(['sh', '-c', 'kill -TERM $$']).returncode)
print(os.system('exit 4'), os.popen('echo popen').read())
child = os.fork()
if child == 0: os.execv('/bin/sh', ['sh', '-c', 'exit 5'])
print(os.waitpid(child, 0)[1], os.spawnlp(os.P_WAIT, 'true', 'true'))
",
    );
    assert!(said.starts_with("1792\n"), "{said}");
}

/// From a file: `spawn` and `forkserver` run the program again.
#[test]
fn workers_of_every_start_method_work() {
    const PROGRAM: &str = r"
import multiprocessing, os

def work(number):
    return number * 2

if __name__ == '__main__':
    enable()
    for method in 'fork', 'spawn', 'forkserver':
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(work, range(4)))
        process = context.Process(target=os._exit, args=(6,))
        process.start()
        process.join()
        print(process.exitcode)
";
    let said = assert_alike(&format!(
        "import os, sys\n\
        path = os.path.join(os.getcwd(), 'program.py')\n\
        prelude = {:?} if 'crashlens' in sys.modules else {:?}\n\
        open(path, 'w').write(prelude + {PROGRAM:?})\n\
        sys.stdout.flush()\n\
        os.execv(sys.executable, [sys.executable, path])\n",
        super::WATCHED,
        super::ALONE
    ));
    assert_eq!(said.matches("[0, 2, 4, 6]\n6\n").count(), 3, "{said}");
}

#[test]
fn another_program_in_the_same_process_goes_on() {
    let said = assert_alike(
        "import os\nenable()\nos.execv('/bin/sh', ['sh', '-c', 'echo out; exit 9'])\n",
    );
    assert_eq!(said, "out\n");
}

#[test]
fn threads_run_and_end_with_the_program() {
    let said = assert_alike(
        r"
import threading
from concurrent.futures import ThreadPoolExecutor
waiting = threading.Event()
threading.Thread(target=threading.Event().wait, daemon=True).start()
def enable_in_thread():
    enable()
    waiting.set()
threads = [threading.Thread(target=enable_in_thread) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
enable()
with ThreadPoolExecutor(8) as pool:
    print(waiting.is_set(), sum(pool.map(len, ['abc'] * 100)))
threading.Thread(target=threading.Event().wait, daemon=True).start()
",
    );
    assert_eq!(said, "True 300\n");
}

#[test]
fn an_event_loop_and_its_subprocesses_work() {
    let said = assert_alike(
        r"
import asyncio, sys
async def main():
    enable()
    process = await asyncio.create_subprocess_exec('sh', '-c', 'echo out; exit 3', stdout=-1)
    print(await process.communicate(), process.returncode)
    await asyncio.gather(*(asyncio.sleep(0) for _ in range(10)))
asyncio.run(main())
",
    );
    assert_eq!(said, "(b'out\\n', None) 3\n");
}

#[test]
fn a_parent_sees_its_child_stop_and_go_on() {
    let said = assert_alike(
        r"
import os, signal
ready, begin = os.pipe()
child = os.fork()
if child == 0:
    # SIGTSTP stops a job whose parent is in the same session, and no other.
    os.setpgid(0, 0)
    enable()
    os.write(begin, b'x')
    for stop in signal.SIGSTOP, signal.SIGTSTP:
        os.kill(os.getpid(), stop)
    os._exit(5)
os.read(ready, 1)
for _ in range(2):
    status = os.waitpid(child, os.WUNTRACED)[1]
    print(os.WIFSTOPPED(status), os.WSTOPSIG(status))
    os.kill(child, signal.SIGCONT)
    print(os.WIFCONTINUED(os.waitpid(child, os.WCONTINUED)[1]))
print(os.waitpid(child, 0)[1])
",
    );
    assert_eq!(said, "True 19\nTrue\nTrue 20\nTrue\n1280\n");
}

#[test]
fn a_call_inside_a_call_does_no_harm() {
    // A handler that runs while the first call waits, as in a program that reloads its settings.
    let said = assert_alike(
        r"
import signal
signal.signal(signal.SIGALRM, lambda *_: enable_in_handler())
def enable_in_handler():
    try:
        enable()
    except AssertionError:
        pass
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
enable()
signal.setitimer(signal.ITIMER_REAL, 0)
print('enabled')
",
    );
    assert_eq!(said, "enabled\n");
}
