// A custom op that keeps the first element and clears the others; its attribute makes it need strings of C++.
#include <string>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tf = tensorflow;

REGISTER_OP("ZeroOut")
    .Attr("label: string = 'none'")
    .Input("to_zero: int32")
    .Output("zeroed: int32")
    .SetShapeFn([](tf::shape_inference::InferenceContext* context) {
      context->set_output(0, context->input(0));
      return tf::Status();
    });

class ZeroOut : public tf::OpKernel {
 public:
  explicit ZeroOut(tf::OpKernelConstruction* construction) : tf::OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("label", &label_));
  }

  void Compute(tf::OpKernelContext* context) override {
    const tf::Tensor& given = context->input(0);
    tf::Tensor* result = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, given.shape(), &result));
    auto from = given.flat<tf::int32>();
    auto to = result->flat<tf::int32>();
    for (int index = 0; index < from.size(); index++) to(index) = index == 0 ? from(0) : 0;
  }

 private:
  std::string label_;
};

REGISTER_KERNEL_BUILDER(Name("ZeroOut").Device(tf::DEVICE_CPU), ZeroOut);
