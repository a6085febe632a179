use super::*;
use crate::capture::{Address, FrameTrust, StackEnd, ThreadRole};

/// A thread with frames `library!function`, `??` for no name; addresses count from 100.
fn thread(frames: &[&str]) -> Thread {
    let native = |(index, text): (usize, &&str)| {
        let (library, function) = text.split_once('!').unwrap();
        Frame::Native(NativeFrame {
            address: Address(100 + index as u64),
            library: (library != "[anon]").then(|| library.to_owned()),
            path: None,
            module_offset: None,
            function: (function != "??").then(|| function.to_owned()),
            function_offset: None,
            source: None,
            inlined: library == "inlined",
            trust: FrameTrust::CallFrameInfo,
        })
    };
    Thread {
        id: 1,
        name: "python".to_owned(),
        role: ThreadRole::Main,
        crashed: true,
        holds_gil: None,
        waits_for_crashed: false,
        frames: frames.iter().enumerate().map(native).collect(),
        end: StackEnd::Complete,
    }
}

fn chosen(frames: &[&str]) -> (Option<String>, Option<String>) {
    let thread = thread(frames);
    let frame = frame(&thread, None).unwrap();
    (frame.library.clone(), frame.function.clone())
}

const NUMPY: &str = "_multiarray_umath.cpython-311-x86_64-linux-gnu.so";

/// Frames as real deaths have them, and the library and function to name.
type Case = (&'static [&'static str], (&'static str, &'static str));

const DEATHS: &[Case] = &[
    // A failed CHECK is in the caller of the logger.
    (
        &[
            "libc.so.6!??",
            "libc.so.6!raise",
            "libc.so.6!abort",
            "libtensorflow_framework.so.2!tsl::internal::LogMessageFatal::~LogMessageFatal()",
            "libtensorflow_framework.so.2!tsl::internal::LogMessageFatal::~LogMessageFatal()",
            "libtensorflow_framework.so.2!tensorflow::Tensor::CheckTypeAndIsAligned(tensorflow::DataType) const",
            "wrong_dtype.so!GainMapOp::Compute(tensorflow::OpKernelContext*)",
        ],
        (
            "libtensorflow_framework.so.2",
            "tensorflow::Tensor::CheckTypeAndIsAligned(tensorflow::DataType) const",
        ),
    ),
    // Copying is done for somebody, and a stripped C library has no names.
    (
        &[
            "libc.so.6!??",
            "_multiarray_umath.cpython-311-x86_64-linux-gnu.so!_contig_to_contig",
        ],
        (NUMPY, "_contig_to_contig"),
    ),
    // The allocator notices a damaged heap; who freed is a bystander too, but the nearest one.
    (
        &[
            "libc.so.6!??",
            "libc.so.6!raise",
            "libc.so.6!abort",
            "libc.so.6!??",
            "libc.so.6!??",
            "libc.so.6!cfree",
            "_multiarray_umath.cpython-311-x86_64-linux-gnu.so!array_dealloc",
            "libpython3.11.so.1.0!list_dealloc",
        ],
        (NUMPY, "array_dealloc"),
    ),
    // Called from Python through libffi: nobody else stands behind the C library's function.
    (
        &[
            "libc.so.6!??",
            "libc.so.6!abort",
            "libc.so.6!??",
            "libc.so.6!cfree",
            "libffi.so.8.1.2!??",
            "libffi.so.8.1.2!ffi_call",
            "_ctypes.cpython-311-x86_64-linux-gnu.so!_ctypes_callproc",
        ],
        ("libc.so.6", "cfree"),
    ),
    (
        &[
            "libc.so.6!??",
            "_ctypes.cpython-311-x86_64-linux-gnu.so!string_at",
            "libffi.so.8.1.2!??",
            "libffi.so.8.1.2!ffi_call",
        ],
        ("_ctypes.cpython-311-x86_64-linux-gnu.so", "string_at"),
    ),
    // An exception without a catcher: the function that threw, not the helper that throws for it.
    (
        &[
            "libc.so.6!abort",
            "libstdc++.so.6.0.30!??",
            "libstdc++.so.6.0.30!std::terminate()",
            "libstdc++.so.6.0.30!__cxa_throw",
            "libtensorflow_framework.so.2!std::__throw_out_of_range_fmt(char const*, ...) [clone .cold]",
            "throws.so!ParseRowOp::Compute(tensorflow::OpKernelContext*)",
        ],
        (
            "throws.so",
            "ParseRowOp::Compute(tensorflow::OpKernelContext*)",
        ),
    ),
    // The noexcept boundary that an exception met is a fact about its library.
    (
        &[
            "libc.so.6!abort",
            "libc.so.6!__libc_fatal",
            "libc.so.6!??",
            "libstdc++.so.6.0.30!std::terminate()",
            "_pywrap_tensorflow_internal.so!__clang_call_terminate",
            "_pywrap_tensorflow_internal.so!TFE_Py_FastPathExecute_C(_object*)",
        ],
        ("_pywrap_tensorflow_internal.so", "__clang_call_terminate"),
    ),
    // The interpreter can be the one.
    (
        &[
            "libpython3.11.so.1.0!PyErr_Occurred",
            "_pywrap_tfe.so!pybind11::detail::raise_err(_object*, char const*)",
        ],
        ("libpython3.11.so.1.0", "PyErr_Occurred"),
    ),
    // A function expanded into another is passed over for the one that contains it.
    (
        &[
            "inlined!_PyThreadState_GET",
            "libpython3.11.so.1.0!PyErr_Occurred",
        ],
        ("libpython3.11.so.1.0", "PyErr_Occurred"),
    ),
    // faulthandler raises again; without first-chance registers its frames are known by name.
    (
        &[
            "libc.so.6!pthread_kill",
            "libc.so.6!raise",
            "libpython3.11.so.1.0!faulthandler_fatal_error",
            "libc.so.6!__restore_rt",
            "mine.so!work",
        ],
        ("mine.so", "work"),
    ),
];

#[test]
fn the_top_meaningful_frame_is_named() {
    for (frames, (library, function)) in DEATHS {
        let expected = (Some((*library).to_owned()), Some((*function).to_owned()));
        assert_eq!(chosen(frames), expected, "{frames:?}");
    }
}

#[test]
fn a_library_without_symbols_is_named_alone() {
    let frames = [
        "cv2.abi3.so!??",
        "cv2.abi3.so!??",
        "libpython3.11.so.1.0!PyObject_Vectorcall",
    ];
    assert_eq!(chosen(&frames), (Some("cv2.abi3.so".to_owned()), None));
}

#[test]
fn where_nothing_is_meaningful_the_top_frame_stands() {
    assert_eq!(
        chosen(&["libc.so.6!raise", "libc.so.6!abort"]),
        (Some("libc.so.6".to_owned()), Some("raise".to_owned()))
    );
}

#[test]
fn code_without_a_file_is_meaningful() {
    assert_eq!(
        chosen(&["[anon]!??", "libtensorflow_cc.so.2!xla::Run()"]),
        (None, None)
    );
}

#[test]
fn the_account_begins_at_the_first_chance_of_any_handler() {
    let thread = thread(&[
        "libc.so.6!raise",
        "mine.so!my_handler",
        "libc.so.6!??",
        "mine.so!work",
        "mine.so!main",
    ]);
    let registers = Registers {
        rip: Address(103),
        ..Registers::default()
    };
    assert_eq!(
        frame(&thread, Some(&registers))
            .unwrap()
            .function
            .as_deref(),
        Some("work")
    );
}

#[test]
fn a_call_to_a_null_pointer_is_its_callers_doing() {
    let mut thread = thread(&[
        "[anon]!??",
        "plugin.so!fire_hook",
        "libpython3.11.so.1.0!cfunction_call",
    ]);
    if let Frame::Native(caller) = &mut thread.frames[1] {
        caller.trust = FrameTrust::CallTarget;
    }
    let found = frame(&thread, None).unwrap();
    assert_eq!(found.function.as_deref(), Some("fire_hook"));
}
