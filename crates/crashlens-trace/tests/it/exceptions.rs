//! C++ exceptions and the C library's last words, read from the memory of programs that die of them.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crashlens_core::{CppException, CrashCapture, ExceptionState, MessageKind, Observed, Report};

use crate::support::{has_program, run, run_python};

/// How the runtime is linked to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runtime {
    Shared,
    Inside,
}

/// The program, compiled once for each way; `None` without a compiler.
fn program(runtime: Runtime) -> Option<&'static Path> {
    static SHARED: OnceLock<Option<PathBuf>> = OnceLock::new();
    static INSIDE: OnceLock<Option<PathBuf>> = OnceLock::new();
    match runtime {
        Runtime::Shared => SHARED.get_or_init(|| compile("shared", &[])).as_deref(),
        Runtime::Inside => INSIDE
            .get_or_init(|| compile("inside", &["-static-libstdc++", "-static-libgcc"]))
            .as_deref(),
    }
}

fn compile(name: &str, flags: &[&str]) -> Option<PathBuf> {
    if !has_program("g++") {
        return None;
    }
    // Tests run in processes of their own, several at a time: whoever comes first compiles for all.
    let mut text = std::hash::DefaultHasher::new();
    include_str!("scripts/throws.cc").hash(&mut text);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("throws");
    let shared = folder.join(format!("{name}-{:x}", text.finish()));
    if shared.exists() {
        return Some(shared);
    }
    std::fs::create_dir_all(&folder).unwrap();
    let own = folder.join(format!("{name}-of-{}", std::process::id()));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/scripts/throws.cc");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-pthread"]).args(flags);
    let status = command.arg("-o").arg(&own).arg(source).status().unwrap();
    assert!(status.success(), "g++ failed");
    std::fs::rename(&own, &shared).unwrap();
    Some(shared)
}

fn capture_of(runtime: Runtime, how: &str) -> Option<CrashCapture> {
    let program = program(runtime)?;
    let mut finished = run(&[program.to_str().unwrap(), how]);
    assert_eq!(finished.deaths.len(), 1, "{how}: {}", finished.stderr);
    Some(finished.deaths.remove(0))
}

/// The exception of the program that ends in this way.
fn exception_of(runtime: Runtime, how: &str) -> Option<CppException> {
    let capture = capture_of(runtime, how)?;
    let Observed::Known(exception) = capture.testimony.exception else {
        panic!(
            "{how}: {:?}, {:?}",
            capture.testimony.exception, capture.gaps
        );
    };
    assert_eq!(Some(exception.thread), capture.crashed_thread, "{how}");
    Some(exception)
}

#[test]
fn what_nobody_catches_is_told_with_its_type_and_words() {
    let cases = [
        ("class", "std::out_of_range", "no element 7"),
        ("string", "std::string", "words that do not fit in place"),
        ("short string", "std::string", "short"),
        ("number", "int", "42"),
        ("text", "char const*", "plain text"),
        ("many bases", "Many", "one of many bases"),
        (
            "virtual base",
            "Virtual",
            "a text that is too long to be kept in place",
        ),
        (
            "system error",
            "std::system_error",
            "open: No such file or directory",
        ),
        (
            "file system",
            "std::filesystem::__cxx11::filesystem_error",
            "filesystem error: cannot get file size: No such file or directory [/nonexistent/file]",
        ),
        ("no memory", "std::bad_alloc", "std::bad_alloc"),
        ("second", "std::runtime_error", "the second"),
        ("again", "std::out_of_range", "no element 1"),
        ("kept", "std::out_of_range", "no element 5"),
        ("thread", "std::out_of_range", "no element 11"),
    ];
    for runtime in [Runtime::Shared, Runtime::Inside] {
        for (how, type_name, what) in cases {
            let Some(exception) = exception_of(runtime, how) else {
                return;
            };
            assert_eq!(exception.type_name, type_name, "{how}");
            assert_eq!(exception.what.as_deref(), Some(what), "{how}");
            assert_eq!(exception.state, ExceptionState::Uncaught, "{how}");
        }
    }
}

#[test]
fn the_functions_an_exception_was_thrown_through_are_told_where_they_survive() {
    for (how, functions) in [
        ("class", ["fail(int)", "main"]),
        ("promise", ["fail(int)", "promise()"]),
    ] {
        let Some(exception) = exception_of(Runtime::Shared, how) else {
            return;
        };
        let all = exception.thrown_from.join("\n");
        let first = &exception.thrown_from[0];
        assert!(first.starts_with(functions[0]), "{how}: {all}");
        assert!(all.contains(functions[1]), "{how}: {all}");
        assert_eq!(exception.state, ExceptionState::Uncaught);
    }
}

#[test]
fn an_exception_in_a_handler_is_told_as_caught() {
    for (how, what) in [
        ("handler", "no element 9"),
        ("kept and caught", "no element 5"),
    ] {
        let Some(exception) = exception_of(Runtime::Shared, how) else {
            return;
        };
        assert_eq!(exception.what.as_deref(), Some(what));
        assert_eq!(exception.state, ExceptionState::Caught);
        assert_eq!(exception.thrown_from, Vec::<String>::new());
    }
}

#[test]
fn an_exception_on_its_way_is_told_when_a_destructor_crashes() {
    for runtime in [Runtime::Shared, Runtime::Inside] {
        let Some(exception) = exception_of(runtime, "on the way") else {
            return;
        };
        assert_eq!(exception.what.as_deref(), Some("no element 2"));
        assert_eq!(exception.state, ExceptionState::Uncaught);
    }
}

#[test]
fn the_end_of_a_thread_that_somebody_catches_is_no_exception_with_words() {
    let Some(exception) = exception_of(Runtime::Shared, "end of a thread") else {
        return;
    };
    assert_eq!(exception.type_name, "abi::__forced_unwind");
    assert_eq!(exception.what, None);
}

#[test]
fn an_exception_that_is_done_with_is_not_told() {
    for runtime in [Runtime::Shared, Runtime::Inside] {
        for how in ["long ago", "never", "bad free"] {
            let Some(capture) = capture_of(runtime, how) else {
                return;
            };
            assert_eq!(capture.testimony.exception, Observed::Absent, "{how}");
        }
    }
    let finished = run_python("import ctypes; ctypes.string_at(0)");
    assert_eq!(finished.death().testimony.exception, Observed::Absent);
}

#[test]
fn the_words_of_an_exception_keep_no_secret() {
    let Some(exception) = exception_of(Runtime::Shared, "secret") else {
        return;
    };
    assert_eq!(
        exception.what.as_deref(),
        Some("no answer from https://joe:[masked]@db.example/x")
    );
}

#[test]
fn the_c_librarys_last_words_are_told_with_their_thread() {
    let finished = run_python(
        "import ctypes; libc = ctypes.CDLL(None)\n\
         libc.free.argtypes = [ctypes.c_void_p]\n\
         libc.free(ctypes.addressof(ctypes.create_string_buffer(64)) + 8)",
    );
    let death = finished.death();
    let Observed::Known(words) = &death.testimony.abort_message else {
        panic!("{:?} {:?}", death.testimony.abort_message, death.gaps);
    };
    assert!(words.contains("(): "), "{words}");
    let report = Report::of_capture(death);
    let messages = &report.deaths[0].messages;
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0].kind, MessageKind::CLibrary);
    assert_eq!(messages[0].thread, death.crashed_thread);
    assert!(messages[0].fatal);
    let finished = run_python("import os; os.abort()");
    assert_eq!(finished.death().testimony.abort_message, Observed::Absent);
}
