use crashlens_core::{Address, FrameTrust, NativeFrame, StackEnd};

use self::process::{CRASHED, LAYOUTS, LIBRARY, OTHER, Process, STACK};
use super::*;

mod process;

fn thread(id: u32, role: ThreadRole, functions: &[&str]) -> Thread {
    let native = |function: &&str| {
        Frame::Native(NativeFrame {
            address: Address(LIBRARY + 0x100),
            library: None,
            path: None,
            module_offset: None,
            function: Some((*function).to_owned()),
            function_offset: None,
            source: None,
            inlined: false,
            trust: FrameTrust::CallFrameInfo,
        })
    };
    Thread {
        id,
        name: String::new(),
        role,
        crashed: id == CRASHED,
        holds_gil: None,
        waits_for_crashed: false,
        frames: functions.iter().map(native).collect(),
        end: StackEnd::Complete,
    }
}

const FFT: &str = "tensorflow::FFTBase::Compute(tensorflow::OpKernelContext*)";
const RUN: &str = "tensorflow::KernelAndDeviceOp::Run()";

/// The op when the crashed thread, alone, has these functions.
fn chosen(process: &Process, functions: &[&str]) -> Option<RunningOp> {
    let kernels = process.look(&[(CRASHED, STACK)]);
    choose(&kernels, &[thread(CRASHED, ThreadRole::Main, functions)])
}

#[test]
fn a_kernel_names_its_op_and_node_in_the_layout_of_every_version() {
    for layout in LAYOUTS {
        let mut process = Process::new(layout);
        let table = process.fft();
        let kernel = process.kernel(table, "net/spectrum", "IRFFT2D", "IRFFT2D");
        process.put_words(STACK + 0x40, &[kernel]);
        assert_eq!(
            chosen(&process, &["abort", FFT, RUN]),
            Some(RunningOp {
                op: "IRFFT2D".to_owned(),
                node: Some("net/spectrum".to_owned()),
                thread: CRASHED,
            })
        );
    }
}

#[test]
fn a_kernel_that_ran_before_is_not_taken_for_the_running_one() {
    let mut process = Process::new(LAYOUTS[1]);
    let table = process.class(&["N10tensorflow8RetvalOpE", "N10tensorflow8OpKernelE"]);
    let kernel = process.kernel(table, "r", "_Retval", "_Retval");
    process.put_words(STACK + 0x40, &[kernel]);
    assert_eq!(chosen(&process, &["abort", FFT, RUN]), None);
}

#[test]
fn of_two_kernels_of_a_class_the_one_that_was_set_up_to_run_is_named() {
    let mut process = Process::new(LAYOUTS[2]);
    let table = process.fft();
    let stale = process.kernel(table, "a", "RFFT2D", "RFFT2D");
    let running = process.kernel(table, "b", "IRFFT2D", "IRFFT2D");
    process.put_words(STACK + 0x40, &[stale, 0, running]);
    assert_eq!(chosen(&process, &["abort", FFT, RUN]), None);
    let device = process.device();
    process.put_words(STACK + 0x240, &[running, device]);
    let op = chosen(&process, &["abort", FFT, RUN]).map(|running| running.op);
    assert_eq!(op.as_deref(), Some("IRFFT2D"));
}

#[test]
fn records_that_do_not_agree_name_nothing() {
    let mut process = Process::new(LAYOUTS[1]);
    let table = process.fft();
    let kernel = process.kernel(table, "n", "IRFFT2D", "RFFT2D");
    process.put_words(STACK + 0x40, &[kernel]);
    assert_eq!(chosen(&process, &["abort", FFT, RUN]), None);
}

#[test]
fn the_kernel_of_a_closure_is_found_through_it() {
    let mut process = Process::new(LAYOUTS[1]);
    let table = process.class(&[
        "N10tensorflow12ReaderReadOpE",
        "N10tensorflow23ReaderVerbAsyncOpKernelE",
        "N10tensorflow8OpKernelE",
    ]);
    let kernel = process.kernel(table, "n", "ReaderReadV2", "ReaderReadV2");
    let closure = process.room(1, 64);
    process.put_words(closure, &[1, 2, kernel]);
    process.put_words(STACK + 0x40, &[closure]);
    let lambda = "std::_Function_handler<void (), tensorflow::ReaderVerbAsyncOpKernel::ComputeAsync(tensorflow::OpKernelContext*, std::function<void ()>)::{lambda()#1}>::_M_invoke(std::_Any_data const&)";
    let op = chosen(&process, &[lambda, RUN]).map(|running| running.op);
    assert_eq!(op.as_deref(), Some("ReaderReadV2"));
}

#[test]
fn a_worker_of_a_pool_works_for_the_only_kernel_that_runs() {
    let mut process = Process::new(LAYOUTS[1]);
    let table = process.fft();
    let kernel = process.kernel(table, "n", "IRFFT2D", "IRFFT2D");
    let other_stack = STACK + 0x1000;
    process.put_words(other_stack + 0x40, &[kernel]);
    let kernels = process.look(&[(CRASHED, STACK), (OTHER, other_stack)]);
    let op = |role, functions: &[&str]| {
        let threads = [
            thread(CRASHED, role, &["Eigen::internal::run()"]),
            thread(OTHER, ThreadRole::Main, functions),
        ];
        choose(&kernels, &threads).map(|running| running.op)
    };
    assert_eq!(
        op(ThreadRole::Pool, &["wait", FFT]).as_deref(),
        Some("IRFFT2D")
    );
    assert_eq!(op(ThreadRole::TfData, &["wait", FFT]), None);
    assert_eq!(op(ThreadRole::Pool, &["wait", RUN]), None);
}

#[test]
fn a_worker_of_a_pool_works_for_nobody_known_if_not_all_could_be_seen() {
    let mut process = Process::new(LAYOUTS[1]);
    let table = process.fft();
    let kernel = process.kernel(table, "n", "IRFFT2D", "IRFFT2D");
    let other_stack = STACK + 0x1000;
    process.put_words(other_stack + 0x40, &[kernel]);
    let kernels = Kernels {
        incomplete: true,
        ..process.look(&[(CRASHED, STACK), (OTHER, other_stack)])
    };
    let threads = [
        thread(CRASHED, ThreadRole::Pool, &["Eigen::internal::run()"]),
        thread(OTHER, ThreadRole::Main, &["wait", FFT]),
    ];
    assert_eq!(choose(&kernels, &threads), None);
}
