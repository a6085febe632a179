//! Deaths of watched programs and of what they start, and when their reports come.

use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output};

use super::memory_group::MemoryGroup;
use super::{python, run, with_package};
use crate::{stderr, stdout};

const LIMIT: u64 = 192 << 20;
const GROW: &str =
    "keep = []\nwhile True:\n    keep.append(bytearray(4 << 20)); sum(range(1 << 20))\n";

/// Runs a program as the first process of a container; nothing where containers cannot be made.
fn in_container(program: &str) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    let mut unshare = Command::new("unshare");
    unshare.args(["--pid", "--fork", "--mount-proc", "python3", "-c", program]);
    let output = with_package(unshare, folder.path()).output().unwrap();
    (!stderr(&output).starts_with("unshare:")).then_some(output)
}

fn enters(group: &MemoryGroup) -> String {
    let members = group.members();
    format!("open('{}', 'w').write('0')\n", members.display())
}

#[test]
fn children_of_every_kind_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program.py");
    std::fs::write(
        &program,
        "import crashlens, multiprocessing, os, subprocess, sys\n\
        if __name__ == '__main__':\n\
        \x20   assert crashlens.enable()\n\
        \x20   if os.fork() == 0: os.abort()\n\
        \x20   os.wait()\n\
        \x20   subprocess.run([sys.executable, '-c', 'import os; os.abort()'])\n\
        \x20   for method in 'fork', 'spawn', 'forkserver':\n\
        \x20       process = multiprocessing.get_context(method).Process(target=os.abort)\n\
        \x20       process.start()\n\
        \x20       process.join()\n\
        \x20       print(process.exitcode)\n",
    )
    .unwrap();
    let output = python(folder.path()).arg(&program).output().unwrap();
    let said = stderr(&output);
    assert_eq!(stdout(&output), "-6\n-6\n-6\n", "{said}");
    assert_eq!(said.matches("died of SIGABRT").count(), 5, "{said}");
}

#[test]
fn a_program_that_the_process_becomes_is_reported() {
    let output = run("import crashlens, os\n\
        crashlens.enable()\n\
        os.execv('/bin/sh', ['sh', '-c', 'kill -SEGV $$'])");
    assert_eq!(output.status.signal(), Some(11));
    assert!(
        stderr(&output).contains("died of SIGSEGV"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_faulthandler_prints_and_the_report_are_both_there() {
    let folder = tempfile::tempdir().unwrap();
    let output = python(folder.path())
        .env("PYTHONFAULTHANDLER", "1")
        .args([
            "-c",
            "import crashlens, ctypes\ncrashlens.enable()\nctypes.string_at(0)",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.signal(), Some(11));
    let said = stderr(&output);
    let dump = said.find("Fatal Python error: Segmentation fault").unwrap();
    let report = said.find("`string_at` was called by ctypes").unwrap();
    assert!(dump < report, "{said}");
}

#[test]
fn a_shell_says_its_words_after_the_report_also_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let script = "import os, pty, sys\n\
        shell, terminal = pty.fork()\n\
        if shell == 0:\n\
        \x20   program = 'import crashlens, os; crashlens.enable(); os.abort()'\n\
        \x20   os.execvp('sh', ['sh', '-c', '\"$0\" -c \"$1\"; echo the prompt', sys.executable, program])\n\
        said = b''\n\
        try:\n\
        \x20   while True: said += os.read(terminal, 4096)\n\
        except OSError: pass\n\
        os.waitpid(shell, 0)\n\
        sys.stdout.buffer.write(said)\n";
    let output = python(folder.path()).args(["-c", script]).output().unwrap();
    let said = stdout(&output);
    let (report, end, prompt) = (
        said.find("it gave up and ended itself").unwrap(),
        said.find("crashlens diagnose").unwrap(),
        said.find("the prompt").unwrap(),
    );
    assert!(report < end && end < prompt, "{said}");
}

#[test]
fn last_words_come_from_the_file_that_is_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let errors = folder.path().join("errors");
    let program = "import crashlens, os, sys\n\
        crashlens.enable(file='report')\n\
        os.remove('errors')\n\
        print('the last words', file=sys.stderr, flush=True)\n\
        os.abort()\n";
    let status = python(folder.path())
        .args(["-c", program])
        .stderr(File::create(&errors).unwrap())
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(6));
    let report = std::fs::read_to_string(folder.path().join("report")).unwrap();
    assert!(report.contains("the last words"), "{report}");
}

#[test]
fn a_kill_from_outside_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let program = "import os, signal, subprocess, sys\n\
        program = 'import crashlens, time; crashlens.enable(); print(flush=True); input()'\n\
        child = subprocess.Popen([sys.executable, '-c', program], stdin=-1, stdout=-1, stderr=-1)\n\
        child.stdout.readline()\n\
        child.kill()\n\
        print(child.wait(), b'SIGKILL' in child.stderr.read())\n";
    let output = python(folder.path())
        .args(["-c", program])
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "-9 True\n", "{}", stderr(&output));
}

#[test]
fn a_kill_for_memory_is_reported() {
    let Some(group) = MemoryGroup::with_limit(LIMIT) else {
        return;
    };
    let output = run(&format!(
        "{}import crashlens\ncrashlens.enable()\n{GROW}",
        enters(&group)
    ));
    assert_eq!(output.status.signal(), Some(9));
    let said = stderr(&output);
    assert!(
        said.contains("the kernel killed it") && said.contains("(certain)"),
        "{said}"
    );
}

#[test]
fn the_first_process_of_a_container_is_reported_however_it_dies() {
    for (end, words) in [
        ("import ctypes; ctypes.string_at(0)", "died of SIGSEGV"),
        ("import os; os.abort()", "died of SIGABRT"),
    ] {
        let program = format!("import crashlens\nassert crashlens.enable()\n{end}");
        let Some(output) = in_container(&program) else {
            return;
        };
        let said = stderr(&output);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn the_first_process_of_a_container_that_is_killed_for_memory_is_reported() {
    let Some(group) = MemoryGroup::with_limit(LIMIT) else {
        return;
    };
    let program = format!(
        "{}import crashlens\nassert crashlens.enable()\n{GROW}",
        enters(&group)
    );
    let Some(output) = in_container(&program) else {
        return;
    };
    let said = stderr(&output);
    assert!(said.contains("the kernel killed it"), "{said}");
}

/// The one thing that a program can see: the helper is an orphan, and the first process adopts those.
#[test]
fn the_first_process_of_a_container_has_the_helper_for_a_child() {
    let program = "import crashlens, os\n\
        assert crashlens.enable()\n\
        print(os.waitpid(-1, os.WNOHANG))\n\
        crashlens.disable()\n\
        print(os.wait()[1])\n";
    let Some(output) = in_container(program) else {
        return;
    };
    assert_eq!(stdout(&output), "(0, 0)\n0\n", "{}", stderr(&output));
    // Below another first process, the helper is not its child.
    let below =
        format!("import os, subprocess, sys\nsubprocess.run([sys.executable, '-c', {program:?}])");
    let output = in_container(&below).unwrap();
    assert!(
        stderr(&output).contains("ChildProcessError"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_first_process_of_a_container_that_is_killed_from_outside_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    // The helper is in the container too, and is killed with it.
    let program = "import os, subprocess, sys\n\
        program = 'import crashlens; crashlens.enable(); print(flush=True); input()'\n\
        container = ['unshare', '--pid', '--fork', '--mount-proc', sys.executable, '-c', program]\n\
        unshare = subprocess.Popen(container, stdin=-1, stdout=-1, stderr=-1)\n\
        if not unshare.stdout.readline(): sys.exit(77)\n\
        with open('/proc/%d/task/%d/children' % (unshare.pid, unshare.pid)) as children:\n\
        \x20   os.kill(int(children.read()), 9)\n\
        print(b'SIGKILL' in unshare.communicate()[1])\n";
    let output = python(folder.path())
        .args(["-c", program])
        .output()
        .unwrap();
    // No container can be made here.
    if output.status.code() != Some(77) {
        assert_eq!(stdout(&output), "True\n", "{}", stderr(&output));
    }
}
