use super::*;
use crate::capture::{Address, FrameTrust};

fn frame(library: &str, function: &str) -> NativeFrame {
    NativeFrame {
        address: Address(1),
        library: Some(library.to_owned()),
        path: None,
        module_offset: None,
        function: (function != "??").then(|| function.to_owned()),
        function_offset: None,
        source: None,
        inlined: false,
        trust: FrameTrust::CallFrameInfo,
    }
}

#[test]
fn what_carries_out_a_death_is_machinery() {
    let cases = [
        ("libc.so.6", "??"),
        ("libc.so.6", "raise"),
        ("libc.so.6", "__memmove_avx_unaligned_erms"),
        ("libc.so.6", "__memcpy_chk"),
        ("libc.so.6", "__strlen_evex"),
        ("ld-linux-x86-64.so.2", "??"),
        ("libstdc++.so.6.0.30", "??"),
        ("libstdc++.so.6.0.30", "std::terminate()"),
        (
            "libstdc++.so.6.0.30",
            "operator delete(void*, unsigned long)",
        ),
        (
            "libtensorflow_framework.so.2",
            "tsl::internal::LogMessageFatal::~LogMessageFatal()",
        ),
        (
            "_pywrap_tensorflow_internal.so",
            "tensorflow::internal::LogMessageFatal::~LogMessageFatal()",
        ),
        (
            "libtensorflow_framework.so.2",
            "absl::lts_20250814::log_internal::LogMessage::FailWithoutStackTrace()",
        ),
        (
            "libtensorflow_framework.so.2",
            "std::__throw_out_of_range_fmt(char const*, ...) [clone .cold]",
        ),
        ("libpython3.11.so.1.0", "faulthandler_fatal_error"),
        ("libpython3.11.so.1.0", "PyObject_Free"),
        ("libjemalloc.so.2", "je_free_default"),
    ];
    for (library, function) in cases {
        assert_eq!(
            part(&frame(library, function)),
            Part::Machinery,
            "{library} {function}"
        );
    }
}

#[test]
fn code_that_acts_on_its_own_account_is_not() {
    let cases = [
        ("cv2.abi3.so", "??"),
        ("libpython3.11.so.1.0", "PyErr_Occurred"),
        ("_pywrap_tensorflow_internal.so", "__udivti3"),
        ("_pywrap_tensorflow_internal.so", "__clang_call_terminate"),
        (
            "libtensorflow_framework.so.2",
            "tensorflow::Tensor::Slice(long, long) const [clone .cold]",
        ),
        (
            "libtensorflow_framework.so.2",
            "tensorflow::(anonymous namespace)::Buffer<double>::~Buffer()",
        ),
        ("_ctypes.cpython-311-x86_64-linux-gnu.so", "string_at"),
        ("libmine.so", "memset_my_way"),
        ("libmine.so", "void run<free>(int)"),
        ("libcrypto.so.3", "??"),
    ];
    for (library, function) in cases {
        assert_eq!(
            part(&frame(library, function)),
            Part::Actor,
            "{library} {function}"
        );
    }
}

#[test]
fn libffi_is_known_by_its_file_and_by_its_functions() {
    for (library, function) in [
        ("libffi.so.8.1.2", "??"),
        ("libffi-9ec3a7c2.so.8", "ffi_call"),
        ("_ctypes.cpython-312-x86_64-linux-gnu.so", "ffi_call_unix64"),
    ] {
        assert_eq!(
            part(&frame(library, function)),
            Part::ForeignCall,
            "{library} {function}"
        );
    }
}

#[test]
fn the_interpreter_is_known_shared_and_static() {
    for library in [
        "libpython3.11.so.1.0",
        "python3.11",
        "python",
        "python3",
        "libpython2.7.so.1.0",
    ] {
        assert!(is_interpreter(&frame(library, "x")), "{library}");
    }
    for library in [
        "pythonnet.so",
        "libpythonic.so",
        "_pywrap_tensorflow_internal.so",
    ] {
        assert!(!is_interpreter(&frame(library, "x")), "{library}");
    }
}
