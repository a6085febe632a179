use super::*;
use crate::capture::{Address, FrameTrust, RunningOp, StackEnd};

const TENSORFLOW: &str = "libtensorflow_cc.so.2";

fn native(library: &str, function: &str) -> Frame {
    Frame::Native(NativeFrame {
        address: Address(0x1000),
        library: Some(library.to_owned()),
        path: None,
        module_offset: None,
        function: Some(function.to_owned()),
        function_offset: None,
        source: None,
        inlined: false,
        trust: FrameTrust::CallFrameInfo,
    })
}

/// A kernel of TensorFlow.
fn kernel_of(class: &str) -> Frame {
    native(
        TENSORFLOW,
        &format!("tensorflow::{class}::Compute(tensorflow::OpKernelContext*)"),
    )
}

/// A frame of a generated wrapper.
fn generated(function: &str, source: Option<&str>) -> Frame {
    python(
        "/venv/lib/python3.11/site-packages/tensorflow/python/ops/gen_math_ops.py",
        function,
        source,
    )
}

fn python(file: &str, function: &str, source: Option<&str>) -> Frame {
    Frame::Python(PythonFrame {
        file: file.to_owned(),
        line: Some(1),
        function: function.to_owned(),
        source: source.map(str::to_owned),
        trust: FrameTrust::Interpreter,
        locals: Vec::new(),
    })
}

fn thread(role: ThreadRole, frames: Vec<Frame>) -> Thread {
    Thread {
        id: 1,
        name: "python".to_owned(),
        role,
        crashed: true,
        holds_gil: None,
        waits_for_crashed: false,
        frames,
        end: StackEnd::Complete,
    }
}

fn record(op: &str) -> RunningOp {
    RunningOp {
        op: op.to_owned(),
        node: None,
        thread: 1,
    }
}

fn named_by(
    record: Option<&RunningOp>,
    crashed: &Thread,
    waiting: Option<&Thread>,
) -> Option<String> {
    name(&Seen {
        record,
        crashed,
        waiting,
    })
}

/// The op by the frames of a main thread alone.
fn by_frames(frames: Vec<Frame>) -> Option<String> {
    named_by(None, &thread(ThreadRole::Main, frames), None)
}

#[test]
fn a_kernel_class_is_found_in_plain_templated_and_wrapped_names() {
    let cases = [
        (
            "BucketMeanOp::Compute(tensorflow::OpKernelContext*)",
            "BucketMeanOp",
        ),
        (
            "tensorflow::BlockLSTMGradOp<Eigen::ThreadPoolDevice, float, false, (tensorflow::GateLayout)1>::Compute(tensorflow::OpKernelContext*)",
            "BlockLSTMGradOp",
        ),
        (
            "tensorflow::data::(anonymous namespace)::SparseTensorSliceDatasetOp<float>::MakeDataset(tensorflow::OpKernelContext*, tensorflow::data::DatasetBase**)",
            "SparseTensorSliceDatasetOp",
        ),
        (
            "tensorflow::UnbatchKernel::ComputeAsync(tensorflow::OpKernelContext*, std::function<void ()>)",
            "UnbatchKernel",
        ),
        (
            "std::_Function_handler<void (long, long), ShardedGatherOp::Compute(tensorflow::OpKernelContext*)::{lambda(long, long)#1}>::_M_invoke(std::_Any_data const&, long&&, long&&)",
            "ShardedGatherOp",
        ),
        (
            "tensorflow::data::ShuffleDatasetOp::Dataset::Iterator::GetNextInternal(tensorflow::data::IteratorContext*, bool*)",
            "ShuffleDatasetOp",
        ),
    ];
    for (kernel, class) in cases {
        assert_eq!(class_of(kernel), Some(class), "{kernel}");
    }
}

#[test]
fn what_runs_kernels_is_no_kernel() {
    let runner = "tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernel*, tensorflow::OpKernelContext*)";
    assert_eq!(class_of(runner), None);
}

#[test]
fn a_python_wrapper_is_spelled_as_its_op_was_registered() {
    let cases = [
        ("quantized_mat_mul", None, "QuantizedMatMul"),
        ("block_lstm_grad_v2", None, "BlockLSTMGradV2"),
        ("conv2d", None, "Conv2D"),
        ("irfft2d", None, "IRFFT2D"),
        ("irfft2d_eager_fallback", None, "IRFFT2D"),
        ("_if", None, "If"),
        ("csr_sparse_matrix_to_dense", None, "CSRSparseMatrixToDense"),
        (
            "anything",
            Some("        _ctx, \"TFRecordReaderV2\", name, \"container\", container)"),
            "TFRecordReaderV2",
        ),
        (
            "lrn",
            Some("  _result = _execute.execute(b\"LRN\", 1, inputs=_inputs_flat,"),
            "LRN",
        ),
        ("op_of_tomorrow", None, "OpOfTomorrow"),
    ];
    for (function, source, op) in cases {
        assert_eq!(
            by_frames(vec![generated(function, source)]).as_deref(),
            Some(op)
        );
    }
}

#[test]
fn a_class_that_serves_one_op_names_it_and_one_that_serves_many_does_not() {
    let cases = [
        (
            "AvgPoolingOp<Eigen::ThreadPoolDevice, float>",
            Some("AvgPool"),
        ),
        ("QuantizedMatMulOp<unsigned char>", Some("QuantizedMatMul")),
        (
            "BinaryOp<Eigen::ThreadPoolDevice, tensorflow::functor::mul<float> >",
            Some("Mul"),
        ),
        ("FFTBase", None),
        ("MatrixDiagPartOp<Eigen::ThreadPoolDevice, int>", None),
        ("NobodyRegistersThisOp", None),
    ];
    for (class, op) in cases {
        assert_eq!(by_frames(vec![kernel_of(class)]).as_deref(), op, "{class}");
    }
}

#[test]
fn an_operator_of_another_library_is_named_by_its_class() {
    let frame = native(
        "bucket.so",
        "BucketMeanOp::Compute(tensorflow::OpKernelContext*)",
    );
    assert_eq!(by_frames(vec![frame]).as_deref(), Some("BucketMean"));
}

#[test]
fn a_wrapper_says_which_of_the_ops_of_a_class_it_was() {
    let frames = vec![kernel_of("FFTBase"), generated("irfft2d", None)];
    assert_eq!(by_frames(frames).as_deref(), Some("IRFFT2D"));
}

#[test]
fn what_runs_inside_of_a_wrappers_op_is_named_before_it() {
    let get_next = || generated("iterator_get_next", None);
    let frames = vec![kernel_of("AvgPoolingOp<float>"), get_next()];
    assert_eq!(by_frames(frames).as_deref(), Some("AvgPool"));
    let frames = vec![kernel_of("FFTBase"), get_next()];
    assert_eq!(by_frames(frames), None);
    let step = native(
        TENSORFLOW,
        "tensorflow::data::TakeDatasetOp::Dataset::Iterator::GetNextInternal(tensorflow::data::IteratorContext*)",
    );
    let outer = kernel_of("data::IteratorGetNextOp");
    let frames = thread(ThreadRole::Main, vec![step, outer, get_next()]);
    assert_eq!(
        named_by(Some(&record("IteratorGetNext")), &frames, None).as_deref(),
        Some("TakeDataset")
    );
}

#[test]
fn the_record_of_the_runtime_is_believed_before_names() {
    let crashed = thread(
        ThreadRole::Pool,
        vec![kernel_of("MatrixDiagPartOp<Eigen::ThreadPoolDevice, int>")],
    );
    let named = |op: &str| named_by(Some(&record(op)), &crashed, None);
    assert_eq!(
        named("MatrixDiagPartV3").as_deref(),
        Some("MatrixDiagPartV3")
    );
    // oneDNN's variant of an op is not what anybody calls.
    assert_eq!(named("_MklNativeConv2D").as_deref(), Some("Conv2D"));
    assert_eq!(named("_MklFusedMatMul").as_deref(), Some("_FusedMatMul"));
    assert_eq!(named("__inference_f_12"), None);
}

#[test]
fn python_code_that_a_kernel_called_is_further_in_than_the_kernel() {
    let frames = vec![
        native(TENSORFLOW, "TFE_Py_FastPathExecute_C(_object*)"),
        generated("matmul", Some("_ctx, \"MatMul\", name, a, b")),
        python("/home/me/train.py", "augment", None),
        kernel_of("PyFuncOp"),
    ];
    let crashed = thread(ThreadRole::TfData, frames);
    assert_eq!(
        named_by(Some(&record("EagerPyFunc")), &crashed, None).as_deref(),
        Some("MatMul")
    );
}

#[test]
fn who_waits_for_a_worker_tells_the_op_unless_it_waits_for_a_pipeline() {
    let waiting = thread(
        ThreadRole::Main,
        vec![generated("max_pool_grad_with_argmax", None)],
    );
    let worker = |role| thread(role, vec![native(TENSORFLOW, "Eigen::internal::run()")]);
    let named = |role| named_by(None, &worker(role), Some(&waiting));
    assert_eq!(
        named(ThreadRole::Pool).as_deref(),
        Some("MaxPoolGradWithArgmax")
    );
    assert_eq!(named(ThreadRole::TfData), None);
}

#[test]
fn a_base_class_of_kernels_names_no_op() {
    assert_eq!(stem_of("ReaderVerbAsyncOpKernel"), None);
    assert_eq!(stem_of("UnbatchKernel"), Some("Unbatch"));
    assert_eq!(stem_of("GainMapOp"), Some("GainMap"));
}
