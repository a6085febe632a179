use super::*;
use crate::capture::Signal;

fn text(text: &str) -> CrashCapture {
    read(text.as_bytes()).unwrap()
}

/// The signal and the exit code of an ending.
fn end(of: &str) -> (Option<Signal>, Option<i32>) {
    let ending = text(of).ending;
    (ending.signal, ending.exit_code)
}

#[test]
fn a_signal_is_known_by_the_words_of_shells_launchers_and_kernels() {
    for (line, signal) in [
        ("Segmentation fault (core dumped)", Signal::SEGV),
        ("zsh: illegal hardware instruction  python -c", Signal::ILL),
        ("[1]  216726 segmentation fault  python", Signal::SEGV),
        ("line 2:  1581 Abort trap: 6", Signal::ABRT),
        ("run.sh: line 3: 8 Aborted server --port=8500", Signal::ABRT),
        (
            "./start.sh: línea 4:  6516 Abortado                (`core' generado) python app.py",
            Signal::ABRT,
        ),
        ("已放弃 (核心已转储)", Signal::ABRT),
        ("已杀死", Signal::KILL),
        ("test/detector_test.py Speicherzugriffsfehler", Signal::SEGV),
        (
            "  0%|     | 0/100 [00:00<?, ?it/s]Segmentation fault (core dumped)",
            Signal::SEGV,
        ),
        (
            "/var/spool/slurm_script: line 26: 118054 Segmentation fault\t (core dumped) python",
            Signal::SEGV,
        ),
        (
            "srun: error: node1: task 15: Segmentation fault",
            Signal::SEGV,
        ),
        (
            "mpirun noticed that process rank 7 with PID 0 on node H exited on signal 9 (Killed).",
            Signal::KILL,
        ),
        (
            "The exit codes of the workers are {SIGKILL(-9)}",
            Signal::KILL,
        ),
        ("Process 10 exit with status code 247", Signal::KILL),
        (
            "\"Pid\": 0, \"ExitCode\": 137, \"Error\": \"\"",
            Signal::KILL,
        ),
        ("Sub-process exited with -6", Signal::ABRT),
        ("[ERROR] Worker (pid:54) was sent code 139!", Signal::SEGV),
        (
            "Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)",
            Signal::SEGV,
        ),
        (
            "Process finished with exit code -1073741819 (0xC0000005)",
            Signal::SEGV,
        ),
        (
            "qemu: uncaught target signal 4 (Illegal instruction) - core dumped",
            Signal::ILL,
        ),
        (
            "RuntimeError: DataLoader worker (pid 13) is killed by signal: Bus error.",
            Signal::BUS,
        ),
        (
            "python[1234]: segfault at 0 ip 00007fce sp 00007fcc error 4 in x.so[7fce+2a]",
            Signal::SEGV,
        ),
        (
            "*** SIGSEGV (@0x216caa000) received by PID 55425 (TID 0x7fff) stack trace: ***",
            Signal::SEGV,
        ),
        ("signal (11): Segmentation fault: 11", Signal::SEGV),
        (
            "* thread #2, stop reason = EXC_BAD_ACCESS (code=1, address=0xfff0)",
            Signal::SEGV,
        ),
        (
            "FatalError: `Process abort signal` is detected by the operating system.",
            Signal::ABRT,
        ),
        (
            "python.service: Main process exited, code=killed, status=9/KILL",
            Signal::KILL,
        ),
    ] {
        assert_eq!(end(line).0, Some(signal), "{line}");
    }
}

#[test]
fn words_about_signals_in_a_sentence_are_no_end() {
    for line in [
        "This could be caused by a segmentation fault while calling the function",
        "\"OOMKilled\": false",
        "Process finished with exit code 0",
        "Program received signal SIGINT, Interrupt.",
        "loss: 0.231 killed it",
    ] {
        let ending = text(line).ending;
        assert_eq!(
            (ending.kind, ending.signal),
            (crate::capture::EndingKind::Unknown, None),
            "{line}"
        );
    }
}

#[test]
fn the_first_death_counts_and_a_request_to_end_does_not() {
    let two =
        "worker exited with exit code -15\nFatal Python error: Bus error\n\nAborted (core dumped)";
    assert_eq!(end(two).0, Some(Signal::BUS));
}

#[test]
fn codes_of_windows_keep_their_number_and_their_name() {
    let ending = text("Process finished with exit code -1073740791 (0xC0000409)").ending;
    assert_eq!(ending.exit_code, Some(-1_073_740_791));
    assert_eq!(ending.code.as_deref(), Some("STATUS_STACK_BUFFER_OVERRUN"));
    assert_eq!(end("died ExitCode: 3, Reason: x"), (None, Some(3)));
    assert_eq!(
        end("libiomp5md.dll\ndied ExitCode: 3, Reason: x").0,
        Some(Signal::ABRT)
    );
    assert_eq!(end("exit code 4294967295"), (None, Some(-1)));
}

#[test]
fn lines_are_what_the_program_wrote() {
    for (raw, clean) in [
        (
            "\x1b[31mAborted\x1b[0m (core dumped)",
            "Aborted (core dumped)",
        ),
        (
            "[1,2]<stderr>:[XXX:40705] Signal: Segmentation fault (11)",
            "[XXX:40705] Signal: Segmentation fault (11)",
        ),
        (
            "trainer-1  | F tensorflow/x.cc:1] Check failed",
            "F tensorflow/x.cc:1] Check failed",
        ),
        ("2024-01-02T03:04:05.123456789Z stderr F Killed", "Killed"),
        (
            "{\"log\":\"Killed\\n\",\"stream\":\"stderr\",\"time\":\"2024\"}",
            "Killed",
        ),
        ("(train pid=12, ip=10.0.0.1) Killed", "Killed"),
        (" 1%|\r 2%|\r 3%|#  |\r\n", " 3%|#  |"),
        (">>> import numpy", ">>> import numpy"),
        ("> Killed", "Killed"),
    ] {
        let capture = text(raw);
        assert_eq!(
            capture.output.stderr.known().unwrap().lines,
            [clean],
            "{raw:?}"
        );
    }
}

#[test]
fn secrets_are_masked() {
    let capture = text("export API_KEY=sk-abcdefghijklmnopqrstuvwx\n");
    let lines = &capture.output.stderr.known().unwrap().lines;
    assert!(!lines[0].contains("abcdefgh"), "{lines:?}");
}

#[test]
fn every_form_of_an_end_has_a_source() {
    for form in endings::Table::read().form {
        assert!(!form.source.is_empty() && !form.seen.is_empty(), "{form:?}");
    }
}

/// Packages that a text names, as `name version`.
fn packages(of: &str) -> Vec<String> {
    let capture = text(of);
    let packages = capture
        .environment
        .packages
        .known()
        .cloned()
        .unwrap_or_default();
    packages
        .iter()
        .map(|it| format!("{} {}", it.name, it.version))
        .collect()
}

#[test]
fn versions_are_read_where_somebody_lists_them() {
    for (line, expected) in [
        ("numpy==1.19.5", "numpy 1.19.5"),
        ("tensorflow                2.4.0", "tensorflow 2.4.0"),
        (
            "protobuf                  3.19.4           py39h2531618_0    conda-forge",
            "protobuf 3.19.4",
        ),
        ("tensorflow 2.4.0", "tensorflow 2.4.0"),
        (
            "TensorFlow version (use command below): v2.4.0-rc4-71-g582c8d236cb 2.4.0",
            "tensorflow 2.4.0",
        ),
        ("- TensorFlow version: 1.15.2", "tensorflow 1.15.2"),
        ("3. Horovod version: Horovod-0.16.4", "horovod 0.16.4"),
        (
            "### TensorFlow version\n\nv2.13.0-rc2-7-g1cb1a030a62 2.13.0",
            "tensorflow 2.13.0",
        ),
        (
            "- TensorFlow installed from (source or binary): tensorflow-gpu==1.12.0 by pip",
            "tensorflow-gpu 1.12.0",
        ),
        (">>> tf.__version__\n'2.4.1'", "tensorflow 2.4.1"),
        (
            "$ python -c 'import numpy as np; print(np.__version__)'\n1.19.5",
            "numpy 1.19.5",
        ),
        (
            "$ pip show h5py\nName: h5py\nVersion: 2.10.0",
            "h5py 2.10.0",
        ),
        ("Successfully installed numpy-1.26.4", "numpy 1.26.4"),
        ("PyTorch version: 1.13.1+cu117", "torch 1.13.1+cu117"),
    ] {
        assert_eq!(packages(line), [expected], "{line}");
    }
    assert_eq!(
        packages("tensorflow 2.20.0rc0, pyarrow 21.0.0, macOS arm64"),
        ["tensorflow 2.20.0rc0", "pyarrow 21.0.0"]
    );
}

#[test]
fn advice_and_requirements_are_no_versions() {
    for line in [
        "Try pip install tensorflow==2.3.0",
        "This needs numpy 1.19 or later.",
        "modules must be compiled with NumPy 2.0.",
        "pip install 'numpy<2'",
        "epoch 12  0.231  0.5",
    ] {
        assert_eq!(packages(line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn the_machine_and_the_variables_are_read() {
    let capture = text(
        "user@host:~$ LD_PRELOAD=/usr/lib/libtcmalloc.so.4 OMP_NUM_THREADS=2 python train.py\n\
         $ uname -a\nLinux host 5.4.0-42-generic #46-Ubuntu SMP Fri Jul 10 2020 x86_64 x86_64 x86_64 GNU/Linux\n\
         ldd (Ubuntu GLIBC 2.31-0ubuntu9) 2.31\n\
         flags\t\t: fpu vme sse sse2 avx\nmodel name\t: Some CPU @ 2.00GHz\nMemTotal:       16384 kB\n\
         Python 3.8.5 (default, Jul 28 2020)\n\
         To turn them off, set the environment variable `TF_ENABLE_ONEDNN_OPTS=0`.\n",
    );
    let variables = capture.environment.variables.known().unwrap();
    let named: Vec<&str> = variables.keys().map(String::as_str).collect();
    assert_eq!(named, ["LD_PRELOAD", "OMP_NUM_THREADS"]);
    let host = &capture.host;
    assert_eq!(
        host.kernel.known().unwrap(),
        "Linux 5.4.0-42-generic x86_64"
    );
    assert_eq!(host.glibc.known().unwrap(), "2.31");
    assert_eq!(host.cpu_flags.known().unwrap().last().unwrap(), "avx");
    assert_eq!(host.cpu_model.known().unwrap(), "Some CPU @ 2.00GHz");
    assert_eq!(host.memory_total.known(), Some(&(16384 << 10)));
    assert_eq!(capture.environment.python.known().unwrap().version, "3.8.5");
}

#[test]
fn what_is_not_said_is_not_known() {
    let capture = text("Killed\n");
    let unknown = |is_unknown: bool, what: &str| assert!(is_unknown, "{what}");
    unknown(matches!(capture.modules, Observed::Unknown(_)), "modules");
    unknown(
        matches!(capture.environment.python, Observed::Unknown(_)),
        "python",
    );
    unknown(matches!(capture.host.glibc, Observed::Unknown(_)), "glibc");
    unknown(
        matches!(capture.environment.packages, Observed::Unknown(_)),
        "packages",
    );
    assert!(capture.threads.is_empty() && capture.crashed_thread.is_none());
    assert_eq!(capture.gaps.0.len(), 1);
}

#[test]
fn a_table_with_the_newest_line_on_top_is_turned_round() {
    let capture = text(
        "Dec 6, 2024, 4:31:41 PM | WARNING | kernel restarted\n\
         Dec 6, 2024, 12:01:39 PM | WARNING | Unable to load any of {libcudnn_cnn.so.9}\n\
         Dec 6, 2024, 11:31:39 AM | INFO | two\nlines\n",
    );
    assert_eq!(
        capture.output.stderr.known().unwrap().lines,
        [
            "two",
            "lines",
            "Unable to load any of {libcudnn_cnn.so.9}",
            "kernel restarted"
        ]
    );
}
