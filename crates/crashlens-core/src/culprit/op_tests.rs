use super::*;

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
    ];
    for (kernel, class) in cases {
        assert_eq!(class_of(kernel), Some(class), "{kernel}");
    }
}

#[test]
fn what_runs_kernels_is_no_kernel() {
    let runner = "tensorflow::ThreadPoolDevice::Compute(tensorflow::OpKernel*, tensorflow::OpKernelContext*)";
    assert!(!KERNEL_METHODS.iter().any(|method| runner.contains(method)));
}

#[test]
fn an_op_is_spelled_by_its_source_its_kernel_or_its_wrapper() {
    let cases = [
        (
            "quantized_mat_mul",
            None,
            Some("QuantizedMatMul"),
            "QuantizedMatMul",
        ),
        (
            "block_lstm_grad_v2",
            None,
            Some("BlockLSTMGrad"),
            "BlockLSTMGradV2",
        ),
        (
            "matrix_diag_part_v2",
            None,
            Some("MatrixDiagPart"),
            "MatrixDiagPartV2",
        ),
        ("conv2d", None, None, "Conv2D"),
        ("irfft2d", None, Some("FFTBase"), "IRFFT2D"),
        ("sparse_dense_cwise_div", None, None, "SparseDenseCwiseDiv"),
        (
            "anything",
            Some("        _ctx, \"TFRecordReaderV2\", name, \"container\", container)"),
            None,
            "TFRecordReaderV2",
        ),
        (
            "lrn",
            Some("  _result = _execute.execute(b\"LRN\", 1, inputs=_inputs_flat,"),
            None,
            "LRN",
        ),
    ];
    for (function, source, class, op) in cases {
        assert_eq!(Wrapper { function, source }.op(class), op);
    }
}

#[test]
fn a_base_class_of_kernels_names_no_op() {
    assert_eq!(stem_of("ReaderVerbAsyncOpKernel"), None);
    assert_eq!(stem_of("UnbatchKernel"), Some("Unbatch"));
    assert_eq!(stem_of("GainMapOp"), Some("GainMap"));
}
