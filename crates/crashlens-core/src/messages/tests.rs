use super::*;
use crate::capture::{
    Address, CppException, ExceptionState, Observed, Registers, Signal, Testimony,
};
use crate::sample::{capture, native, thread};

fn said(lines: &[&str]) -> Vec<Message> {
    of(&capture(Vec::new(), lines))
}

/// Kind, text and whether it is fatal, of the only message.
fn only(lines: &[&str]) -> (MessageKind, String, bool) {
    let mut messages = said(lines);
    assert_eq!(messages.len(), 1, "{messages:?}");
    let message = messages.remove(0);
    (message.kind, message.text, message.fatal)
}

#[test]
fn every_form_names_its_source() {
    for entry in forms::Table::read() {
        assert!(
            !entry.source.is_empty() && !entry.seen.is_empty(),
            "{entry:?}"
        );
    }
    assert!(forms::recognise("nothing to see").is_none());
}

/// A line, its kind, what it says and whether it is fatal.
#[rustfmt::skip]
const LINES: &[(&str, MessageKind, &str, bool)] = &[
    (
        "2024-12-10 09:00:00.000000: F tensorflow/core/framework/tensor_shape.cc:356] Check failed: d >= 0 (0 vs. -1)",
        MessageKind::CheckFailure,
        "tensorflow/core/framework/tensor_shape.cc:356] Check failed: d >= 0 (0 vs. -1)",
        true,
    ),
    (
        "F tensorflow/core/kernels/conv_ops.cc:659] Check failed: stream->parent()->GetConvolveAlgorithms(&algorithms)",
        MessageKind::CheckFailure,
        "tensorflow/core/kernels/conv_ops.cc:659] Check failed: stream->parent()->GetConvolveAlgorithms(&algorithms)",
        true,
    ),
    (
        "F0000 00:00:1700000000.123456   12345 tensor.cc:12] Check failed: IsAligned()",
        MessageKind::CheckFailure,
        "tensor.cc:12] Check failed: IsAligned()",
        true,
    ),
    (
        "F20230801 21:50:32.905575  4768 threadpool_pthread_impl.cc:51] Check failed: res == 0 (11 vs. 0) pthread_create failed",
        MessageKind::CheckFailure,
        "threadpool_pthread_impl.cc:51] Check failed: res == 0 (11 vs. 0) pthread_create failed",
        true,
    ),
    (
        "[mutex.cc : 2416] RAW: Check w->waitp->cond == nullptr failed: Mutex::Fer while waiting on Condition",
        MessageKind::CheckFailure,
        "Check w->waitp->cond == nullptr failed: Mutex::Fer while waiting on Condition",
        true,
    ),
    (
        "python: src/linear.c:12: solve: Assertion `n > 0' failed.",
        MessageKind::CheckFailure,
        "src/linear.c:12: solve: Assertion `n > 0' failed.",
        true,
    ),
    (
        "*** Error in `python3': double free or corruption (out): 0x0000000010600150 ***",
        MessageKind::CLibrary,
        "double free or corruption (out): 0x0000000010600150",
        true,
    ),
    (
        "munmap_chunk(): invalid pointer",
        MessageKind::CLibrary,
        "munmap_chunk(): invalid pointer",
        true,
    ),
    (
        "free(): invalid next size (fast)",
        MessageKind::CLibrary,
        "free(): invalid next size (fast)",
        true,
    ),
    (
        "corrupted double-linked list",
        MessageKind::CLibrary,
        "corrupted double-linked list",
        true,
    ),
    (
        "corrupted size vs. prev_size",
        MessageKind::CLibrary,
        "corrupted size vs. prev_size",
        true,
    ),
    (
        "*** stack smashing detected ***: terminated",
        MessageKind::CLibrary,
        "*** stack smashing detected ***: terminated",
        true,
    ),
    (
        "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.",
        MessageKind::OpenMp,
        "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.",
        true,
    ),
    (
        "Fatal Python error: Segmentation fault",
        MessageKind::PythonFatal,
        "Fatal Python error: Segmentation fault",
        false,
    ),
    (
        "Fatal Python error: none_dealloc: deallocating None",
        MessageKind::PythonFatal,
        "Fatal Python error: none_dealloc: deallocating None",
        true,
    ),
    (
        "ImportError: /usr/lib/libgomp.so.1: cannot allocate memory in static TLS block",
        MessageKind::Loader,
        "ImportError: /usr/lib/libgomp.so.1: cannot allocate memory in static TLS block",
        false,
    ),
    (
        "2019-02-21 16:00:00.000000: E tensorflow/stream_executor/cuda/cuda_event.cc:48] Error polling for event status: failed to query event: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
        MessageKind::Cuda,
        "2019-02-21 16:00:00.000000: E tensorflow/stream_executor/cuda/cuda_event.cc:48] Error polling for event status: failed to query event: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
        false,
    ),
    (
        "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
        MessageKind::Loader,
        "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
        true,
    ),
    (
        "OpenBLAS blas_thread_init: pthread_create failed for thread 30 of 32: Resource temporarily unavailable",
        MessageKind::ThreadLimit,
        "OpenBLAS blas_thread_init: pthread_create failed for thread 30 of 32: Resource temporarily unavailable",
        false,
    ),
    (
        "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        MessageKind::Processor,
        "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        true,
    ),
    (
        "mmap failed: Cannot allocate memory",
        MessageKind::OutOfMemory,
        "mmap failed: Cannot allocate memory",
        false,
    ),
];

#[test]
fn a_line_is_read_in_the_form_its_writer_gave_it() {
    for (line, kind, text, fatal) in LINES {
        assert_eq!(only(&[line]), (*kind, (*text).to_owned(), *fatal), "{line}");
    }
}

#[test]
fn ordinary_lines_are_no_messages() {
    let lines = [
        "2024-05-01 10:00:00.000000: I tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
        "To enable the following instructions: AVX2 FMA, in other operations, rebuild TensorFlow with the appropriate compiler flags.",
        "WARNING:tensorflow:5 out of the last 5 calls to <function f> triggered tf.function retracing.",
        "Epoch 1/3",
        "  File \"train.py\", line 3, in <module>",
        "    raise RuntimeError('Check failed')",
        "F1 score: 0.93 file.py",
        "free memory: 12 GB",
        "I0000 00:00:1700000000.123456   12345 cuda_executor.cc:1015] CUDNN_STATUS_SUCCESS",
    ];
    assert_eq!(said(&lines), []);
}

#[test]
fn an_exception_is_told_with_its_words() {
    let lines = [
        "terminate called after throwing an instance of 'std::out_of_range'",
        "  what():  vector::_M_range_check: __n (which is 7) >= this->size() (which is 4)",
        "Fatal Python error: Aborted",
        "",
        "Current thread 0x00007f0000000740 (most recent call first):",
    ];
    let messages = said(&lines);
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].kind, MessageKind::Terminate);
    assert_eq!(messages[0].text, lines[..2].join("\n"));
    assert_eq!(messages[0].line, Some(0));
    assert!(messages[0].fatal && !messages[1].fatal);
}

#[test]
fn a_sentence_goes_on_in_the_next_line() {
    let lines = [
        "[libprotobuf FATAL google/protobuf/descriptor.cc:2021] CHECK failed: GeneratedDatabase()->Add(encoded_file_descriptor, size):",
        "terminate called after throwing an instance of 'google::protobuf::FatalException'",
        "  what():  CHECK failed: GeneratedDatabase()->Add(encoded_file_descriptor, size): ",
        "Aborted (core dumped)",
    ];
    let messages = said(&lines);
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].kind, MessageKind::Protobuf);
    assert!(messages[1].text.ends_with("size):"), "{}", messages[1].text);
    let (_, text, _) = only(&[
        "2024-01-01 10:00:00.000000: F tensorflow/compiler/xla/shape.cc:1] Check failed: Compatible(",
        "  f32[3,4], f32[4,3])",
        "unrelated",
    ]);
    assert!(
        text.ends_with("Compatible(\n  f32[3,4], f32[4,3])"),
        "{text}"
    );
}

#[test]
fn a_message_is_found_behind_a_progress_bar() {
    let line = "2024-12-10 09:00:00.000000: F a/b.cc:1] Check failed: x";
    for before in [
        "1/10 [==>...........................] - ETA: 3s\r2/10 [====>...] - ETA: 2s\r",
        " 50%|#####     | 5/10 [00:01<00:01]",
        "  File \"/home/u",
    ] {
        let (kind, text, _) = only(&[&format!("{before}{line}\r")]);
        assert_eq!(
            (kind, text.as_str()),
            (MessageKind::CheckFailure, "a/b.cc:1] Check failed: x")
        );
    }
}

#[test]
fn only_the_last_of_a_kind_can_be_the_reason() {
    let messages = said(&[
        "2024-01-01 10:00:00.000000: F a.cc:1] Check failed: first",
        "free(): invalid pointer",
        "2024-01-01 10:00:09.000000: F a.cc:2] Check failed: second",
        "something else, seconds later",
    ]);
    let fatal: Vec<bool> = messages.iter().map(|message| message.fatal).collect();
    assert_eq!(fatal, [false, true, true]);
}

#[test]
fn what_the_c_library_kept_is_told_once() {
    let mut capture = capture(
        vec![thread(7, vec![native("abort")])],
        &["free(): invalid pointer"],
    );
    capture.testimony = Testimony {
        abort_message: Observed::Known("free(): invalid pointer".to_owned()),
        ..Testimony::default()
    };
    let messages = of(&capture);
    assert_eq!(messages.len(), 1);
    assert_eq!((messages[0].line, messages[0].thread), (Some(0), Some(7)));
    capture.output.stderr = Observed::Absent;
    let messages = of(&capture);
    assert_eq!(messages.len(), 1);
    assert_eq!((messages[0].line, messages[0].thread), (None, Some(7)));
    assert_eq!(messages[0].kind, MessageKind::CLibrary);
    capture.ending.signal = Some(Signal::SEGV);
    assert_eq!(of(&capture)[0].thread, None);
}

#[test]
fn a_failed_check_belongs_to_the_thread_whose_number_it_has() {
    let line = "F0000 00:00:1700000000.123456   12 tensor.cc:12] Check failed: IsAligned()";
    let threads = || vec![thread(7, vec![native("abort")]), thread(12, Vec::new())];
    assert_eq!(of(&capture(threads(), &[line]))[0].thread, Some(12));
    let foreign = line.replace(" 12 ", " 13 ");
    assert_eq!(of(&capture(threads(), &[&foreign]))[0].thread, None);
}

#[test]
fn a_failed_check_belongs_to_the_only_thread_that_logs() {
    let line = "2024-01-01 10:00:00.000000: F a.cc:1] Check failed: x";
    let logs = || {
        vec![
            native("abort"),
            native("tsl::internal::LogMessageFatal::~LogMessageFatal()"),
        ]
    };
    let one = vec![thread(7, logs()), thread(8, vec![native("f")])];
    assert_eq!(of(&capture(one, &[line]))[0].thread, Some(7));
    let two = vec![thread(7, logs()), thread(8, logs())];
    assert_eq!(of(&capture(two, &[line]))[0].thread, None);
}

#[test]
fn pythons_words_belong_to_the_thread_they_name() {
    let lines = [
        "Fatal Python error: Segmentation fault",
        "Current thread 0x00007f0000000740 (most recent call first):",
    ];
    let mut capture = capture(vec![thread(7, Vec::new())], &lines);
    assert_eq!(of(&capture)[0].thread, None);
    capture.registers = Observed::Known(Registers {
        fs_base: Address(0x7f00_0000_0740),
        ..Registers::default()
    });
    assert_eq!(of(&capture)[0].thread, Some(7));
}

#[test]
fn a_termination_belongs_to_the_thread_of_the_exception() {
    let line = "terminate called after throwing an instance of 'std::bad_alloc'";
    let mut capture = capture(vec![thread(7, Vec::new()), thread(9, Vec::new())], &[line]);
    assert_eq!(of(&capture)[0].thread, None);
    capture.testimony.exception = Observed::Known(CppException {
        type_name: "std::bad_alloc".to_owned(),
        what: None,
        state: ExceptionState::Uncaught,
        thread: 9,
        thrown_from: Vec::new(),
    });
    assert_eq!(of(&capture)[0].thread, Some(9));
}

#[test]
fn a_flood_of_messages_leaves_the_last() {
    let lines = vec!["free(): invalid pointer"; 500];
    let messages = said(&lines);
    assert_eq!(messages.len(), MOST_MESSAGES);
    assert_eq!(messages.last().unwrap().line, Some(499));
    let long = format!("free(): invalid {}", "é".repeat(100_000));
    assert!(only(&[&long]).1.len() <= LONGEST);
}
