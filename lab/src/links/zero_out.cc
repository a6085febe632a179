// A custom operation that any TensorFlow can build: for files that belong to one version and are opened in others.
#include <string>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

REGISTER_OP("CrashlensZeroOut")
    .Input("input: float")
    .Output("output: float")
    .Attr("label: string = ''");

class ZeroOut : public tensorflow::OpKernel {
 public:
  explicit ZeroOut(tensorflow::OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("label", &label_));
  }

  void Compute(tensorflow::OpKernelContext* context) override {
    tensorflow::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &output));
    output->flat<float>().setZero();
  }

 private:
  std::string label_;
};

REGISTER_KERNEL_BUILDER(Name("CrashlensZeroOut").Device(tensorflow::DEVICE_CPU), ZeroOut);
