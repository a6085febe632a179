use std::fmt::Write as _;

use super::super::read;
use crate::capture::{CrashCapture, Frame, Signal, StackEnd};

fn text(text: &str) -> CrashCapture {
    read(text.as_bytes()).unwrap()
}

/// The threads in short: one line each, the crashed one with a star.
fn threads(text: &str) -> String {
    let capture = self::text(text);
    let mut short = String::new();
    for thread in &capture.threads {
        let star = if Some(thread.id) == capture.crashed_thread {
            "*"
        } else {
            ""
        };
        let frames: Vec<String> = thread.frames.iter().map(frame).collect();
        writeln!(
            short,
            "{star}{} {}: {}",
            thread.id,
            thread.name,
            frames.join(" < ")
        )
        .unwrap();
    }
    short
}

fn frame(frame: &Frame) -> String {
    match frame {
        Frame::Python(frame) => {
            let file = frame.file.rsplit('/').next().unwrap();
            format!("{}({file}:{})", frame.function, frame.line.unwrap_or(0))
        }
        Frame::Native(frame) => {
            let name = frame.function.clone().unwrap_or_else(|| "?".to_owned());
            let library = frame
                .library
                .as_ref()
                .map_or(String::new(), |it| format!("@{it}"));
            let offset = frame
                .module_offset
                .map_or(String::new(), |it| format!("+{it}"));
            let source = frame
                .source
                .as_ref()
                .map_or(String::new(), |it| format!(" {}:{}", it.file, it.line));
            format!("{name}{library}{offset}{source}")
        }
    }
}

#[test]
fn faulthandler_tells_python_frames_of_all_threads() {
    let dump = r#"Fatal Python error: Segmentation fault

Thread 0x00007f01 [worker] (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 355 in wait
  File "/usr/lib/python3.12/threading.py", line 1030 in _bootstrap

Current thread 0x00007f02 (most recent call first):
  Garbage-collecting
  File "/home/me/train.py", line 12 in step
  File "/home/me/train.py", line ??? in <module>

Extension modules: numpy.core._multiarray_umath, h5py._errors (total: 2)
"#;
    assert_eq!(
        threads(dump),
        "*1 : step(train.py:12) < <module>(train.py:0)\n2 worker: wait(threading.py:355) < _bootstrap(threading.py:1030)\n"
    );
    let capture = text(dump);
    let modules: Vec<&str> = capture
        .modules
        .known()
        .unwrap()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(modules, ["h5py._errors", "numpy.core._multiarray_umath"]);
    assert_eq!(capture.environment.python.known().unwrap().version, "3.12");
}

#[test]
fn faulthandler_may_know_no_python_frame() {
    let dump = "Fatal Python error: Aborted\n\nCurrent thread 0x00007f02 (most recent call first):\n  <no Python frame>\n";
    assert_eq!(threads(dump), "*1 : \n");
}

#[test]
fn the_c_stack_of_python_3_14_stands_before_the_python_frames() {
    let dump = r#"Fatal Python error: Segmentation fault

Current thread 0x00007f02 (most recent call first):
  File "t.py", line 3 in <module>

Current thread's C stack trace (most recent call first):
  Binary file "/usr/lib/libpython3.14.so.1.0", at _Py_DumpStack+0x5f [0x7f20]
  Binary file "/usr/lib/libpython3.14.so.1.0" [0x7f10]
  Binary file "/lib/libc.so.6", at +0x3c050 [0x7f00]
  Binary file "/x/_bad.so", at crash+0x4 [0x7e00]
"#;
    assert_eq!(threads(dump), "*1 : crash@_bad.so < <module>(t.py:3)\n");
}

#[test]
fn gdb_tells_functions_libraries_and_lines() {
    let dump = r#"Thread 7 "python" received signal SIGSEGV, Segmentation fault.
[Switching to Thread 0x7fff (LWP 5069)]
0x00007ffff0000001 in memcpy () from /lib/libc.so.6
(gdb) bt
#0  0x00007ffff0000001 in memcpy () from /lib/libc.so.6
#1  0x00007ffff0000002 in tensorflow::(anonymous namespace)::Op::Run(int, std::function<void (int)>) const ()
   from /x/libtensorflow.so
#2  type_getattro (type=0x5555 <T>, name=0x0) at Objects/typeobject.c:3401
#3  0x00007ffff0000003 in ?? ()
"#;
    assert_eq!(
        threads(dump),
        "*5069 python: memcpy@libc.so.6 \
         < tensorflow::(anonymous namespace)::Op::Run(int, std::function<void (int)>) const@libtensorflow.so \
         < type_getattro Objects/typeobject.c:3401 < ?\n"
    );
}

#[test]
fn of_all_threads_in_gdb_the_one_that_stopped_is_the_crashed_one() {
    let dump = r#"Program terminated with signal SIGABRT, Aborted.
(gdb) thread apply all bt

Thread 2 (Thread 0x7f01 (LWP 12)):
#0  0x00007f01 in poll () from /lib/libc.so.6
#1  0x00007f02 in clone () from /lib/libc.so.6

Thread 1 (Thread 0x7f00 (LWP 11) "python"):
#0  0x00007f03 in raise () from /lib/libc.so.6
#1  0x00007f04 in faulthandler_fatal_error () from /lib/libpython.so
#2  <signal handler called>
#3  0x00007f05 in boom () from /x/lib.so
"#;
    assert_eq!(
        threads(dump),
        "*11 python: boom@lib.so\n12 : poll@libc.so.6 < clone@libc.so.6\n"
    );
}

#[test]
fn where_gdb_stopped_is_a_frame_even_without_a_backtrace() {
    let dump = "Program received signal SIGSEGV, Segmentation fault.\nupdate_refs (generation=0)\n    at /b/gcmodule.c:243\n";
    assert_eq!(threads(dump), "*1 : update_refs /b/gcmodule.c:243\n");
}

#[test]
fn lldb_tells_the_thread_it_stopped_in() {
    let dump = r"  thread #1, queue = 'com.apple.main-thread'
    frame #0: 0x0000000199b00388 libsystem_kernel.dylib`__psynch_cvwait + 8
* thread #2, name = 'pool', stop reason = EXC_BAD_ACCESS (code=1, address=0x10)
  * frame #0: 0x00000001038b0019 libiomp5.dylib`GOMP_parallel_end + 25
    frame #1: 0x0000000140a00755 libopenblas.0.dylib`exec_blas(args=0x0) + 95 at blas.c:12:3
";
    assert_eq!(
        threads(dump),
        "*1 pool: GOMP_parallel_end@libiomp5.dylib < exec_blas(args=0x0)@libopenblas.0.dylib blas.c:12\n\
         2 : __psynch_cvwait@libsystem_kernel.dylib\n"
    );
    let ending = text(dump).ending;
    assert_eq!(
        (ending.code.as_deref(), ending.address.unwrap().0),
        (Some("SEGV_MAPERR"), 0x10)
    );
}

#[test]
fn the_old_c_library_tells_stack_and_map() {
    let dump = r"*** Error in `python3': double free or corruption (out): 0x0000000010600150 ***
======= Backtrace: =========
/lib/libc.so.6(+0x777e5)[0x7f9cf40777e5]
/lib/libc.so.6(cfree+0x4c)[0x7f9cf408053c]
/x/libcuda.so.1(cuInit+0x4e)[0x7f9c5200080e]
======= Memory map: ========
7f9cf4000000-7f9cf41c0000 r-xp 00000000 08:01 1234                       /lib/libc.so.6
7f9cf41c0000-7f9cf41c1000 rw-p 00000000 00:00 0
";
    assert_eq!(
        threads(dump),
        "*1 : ?@libc.so.6+0x777e5 < cfree@libc.so.6 < cuInit@libcuda.so.1\n"
    );
    let capture = text(dump);
    assert_eq!(capture.ending.signal, Some(Signal::ABRT));
    assert_eq!(capture.maps.known().unwrap().len(), 2);
    let modules = capture.modules.known().unwrap();
    let libc = modules.iter().find(|it| it.name == "libc.so.6").unwrap();
    assert_eq!(
        (libc.start.0, libc.end.0),
        (0x7f9c_f400_0000, 0x7f9c_f41c_0000)
    );
}

#[test]
fn handlers_of_the_signal_are_not_part_of_the_stack() {
    let tensorflow = "*** Received signal 11 ***\n*** BEGIN MANGLED STACK TRACE ***\n\
        /p/libtensorflow_framework.so.2(+0xfecf5b)[0x7f01]\n/lib/libpthread.so.0(+0x110e0)[0x7f02]\n\
        /p/mpi_lib.so(+0x7de31)[0x7f03]\n\
        /p/libtensorflow_framework.so.2(_ZN10tensorflow10OpRegistry6LookUpERKSs+0x4d)[0x7f04]\n\
        *** END MANGLED STACK TRACE ***\n";
    assert_eq!(
        threads(tensorflow),
        "*1 : ?@mpi_lib.so+0x7de31 < tensorflow::OpRegistry::LookUp@libtensorflow_framework.so.2\n"
    );
    let mxnet = "Segmentation fault: 11\n\nStack trace returned 10 entries:\n\
        [bt] (0) /p/libmxnet.so(+0x1e) [0x7f01]\n[bt] (2) /lib/libc.so.6(+0x36cb0) [0x7f02]\n\
        [bt] (6) python(PyGC_Collect+0x28) [0x5031c8]\n";
    assert_eq!(threads(mxnet), "*1 : PyGC_Collect@python\n");
    let glog = "*** Aborted at 1464668121 (unix time) try \"date -d @1464668121\" if you are using GNU date ***\n\
        PC: @        0x10b200442 caffe::Loss<>::Forward()\n\
        *** SIGSEGV (@0x216caa000) received by PID 55425 (TID 0x7fff79100300) stack trace: ***\n\
        \x20   @     0x7fff91800f1a _sigtramp\n    @        0x10b2009d9 caffe::Layer<>::Forward()\n";
    assert_eq!(
        threads(glog),
        "*1 : caffe::Loss<>::Forward() < caffe::Layer<>::Forward()\n"
    );
    let ending = text(glog).ending;
    assert_eq!(
        (ending.signal, ending.address.unwrap().0),
        (Some(Signal::SEGV), 0x216c_aa000)
    );
}

#[test]
fn ranks_of_open_mpi_are_told_apart_although_their_lines_are_mixed() {
    let dump = "[h:1] *** Process received signal ***\n[h:1] Signal: Segmentation fault (11)\n\
        [h:1] Signal code: Address not mapped (1)\n[h:1] Failing at address: (nil)\n\
        [h:1] [ 0] /lib/libc.so.6(+0x3ef20)[0x7f01]\n[h:2] [ 0] /lib/libc.so.6(+0x3ef20)[0x7f11]\n\
        [h:2] [ 1] /p/two.so(+0x2)[0x7f12]\n[h:1] [ 1] /p/one.so(+0x1)[0x7f02]\n";
    let capture = text(dump);
    assert_eq!(capture.process.pid, 1);
    assert_eq!(capture.ending.code.as_deref(), Some("SEGV_MAPERR"));
    assert_eq!(capture.ending.address.unwrap().0, 0);
    assert_eq!(threads(dump), "*1 : ?@one.so+0x1\n2 : ?@two.so+0x2\n");
}

#[test]
fn lines_of_ranks_that_are_torn_apart_are_put_on_lines_of_their_own() {
    let dump = "[1,4]<stderr>:[node:17] [ 1] /p/one.so(+0x1)[0x7f01]\n\
        [1,4]<stderr>:[node:17] [ 2] [1,15]<stderr>:[node:18] Signal: Segmentation fault (11)\n\
        [1,15]<stderr>:[node:18] [ 1] /p/two.so(+0x2)[0x7f02]\n";
    assert_eq!(threads(dump), "*1 : ?@one.so+0x1\n2 : ?@two.so+0x2\n");
    assert_eq!(text(dump).process.pid, 18);
    let nameless =
        "[node] [ 0] /lib/libc.so.6(+0x1)[0x7f01]\n[node] [ 1] /p/one.so(+0x1)[0x7f02]\n";
    assert_eq!(threads(nameless), "*1 : ?@one.so+0x1\n");
}

#[test]
fn ucx_tells_address_and_stack() {
    let dump = "[node:7:0:7] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x10)\n\
        ==== backtrace (tid:      7) ====\n 0 0x0000000000050ba5 ucs_debug_print_backtrace()  ???:0\n\
        \x201  /usr/lib/libucs.so.0(ucs_handle_error+0x2e4) [0x7f01]\n 2 0x00000000000153c0 __funlockfile()  ???:0\n\
        \x203 0x0000000000001234 horovod::Run()  ???:0\n=================================\n";
    assert_eq!(threads(dump), "*1 : horovod::Run+0x1234\n");
    let capture = text(dump);
    assert_eq!(capture.process.pid, 7);
    assert_eq!(capture.ending.code.as_deref(), Some("SEGV_MAPERR"));
}

#[test]
fn reports_of_macos_julia_paddle_and_torch_have_stacks() {
    let macos = "Thread 0:\n0   dyld  \t0x00007fff20600001 start + 1\n\nThread 4 Crashed:\n\
        0   libsystem_pthread.dylib       \t0x00007fff20600d86 pthread_mutex_lock + 4\n\
        1   libarrow.1700.dylib           \t0x000000011e000212 arrow::fs::Register(int, bool) + 82 (fs.cc:12)\n";
    assert_eq!(
        threads(macos),
        "*1 : pthread_mutex_lock@libsystem_pthread.dylib < arrow::fs::Register(int, bool)@libarrow.1700.dylib fs.cc:12\n\
         2 : start@dyld\n"
    );
    let julia = "signal (11): Segmentation fault: 11\nin expression starting at none:0\n\
        uv__io_start at /p/libtorch_cpu.dylib (unknown line)\nstart_reading at ./stream.jl:793\n";
    assert_eq!(
        threads(julia),
        "*1 : uv__io_start@libtorch_cpu.dylib < start_reading ./stream.jl:793\n"
    );
    let paddle = "C++ Traceback (most recent call last):\n--------------------------------------\n\
        0   paddle::imperative::Engine::Execute()\n1   paddle::memory::Free()\n\n\
        Error Message Summary:\nFatalError: `Segmentation fault` is detected by the operating system.\n";
    assert_eq!(
        threads(paddle),
        "*1 : paddle::memory::Free() < paddle::imperative::Engine::Execute()\n"
    );
    let torch = "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f01 in /p/libc10.so)\n\
        frame #1: <unknown function> + 0x1 (0x7f02 in /p/libtorch.so)\n";
    assert_eq!(
        threads(torch),
        "*1 : c10::Error::Error(c10::SourceLocation, std::string)@libc10.so < ?@libtorch.so\n"
    );
}

#[test]
fn the_kernel_tells_where_a_process_was() {
    let line = "[64528.42] python[15876]: segfault at 10 ip 00007f9acff0068d sp 00007f9a9fd00400 error 4 in libx.so.2[7f9acf080000+1b40000]\n";
    assert_eq!(threads(line), "*15876 python: ?@libx.so.2+0xe8068d\n");
    let capture = text(line);
    let ending = &capture.ending;
    assert_eq!(
        (ending.code.as_deref(), ending.address.unwrap().0),
        (Some("SEGV_MAPERR"), 0x10)
    );
    let newer =
        "traps: python[7] trap invalid opcode ip:7f10 sp:7f00 error:0 in libx.so[1010,7f00+1000]\n";
    assert_eq!(threads(newer), "*7 python: ?@libx.so+0x1010\n");
    assert_eq!(text(newer).ending.signal, Some(Signal::ILL));
}

#[test]
fn the_event_log_of_windows_names_a_library() {
    let event = "Faulting application name: python.exe, version: 3.9.1\nFaulting module name: cudnn64_8.dll, version: 6.14\nException code: 0xc0000005\n";
    assert_eq!(threads(event), "*1 : ?@cudnn64_8.dll\n");
    assert_eq!(text(event).ending.signal, Some(Signal::SEGV));
}

#[test]
fn a_stack_of_any_depth_is_bounded() {
    let mut dump = "Program received signal SIGSEGV, Segmentation fault.\n".to_owned();
    for number in 0..5000 {
        writeln!(
            dump,
            "#{number} 0x0000555555600ae2 in visit (n={number}) at v.c:1"
        )
        .unwrap();
    }
    let capture = text(&dump);
    assert_eq!(capture.threads[0].frames.len(), super::MOST_FRAMES);
    assert_eq!(capture.threads[0].end, StackEnd::DepthLimit);
}
