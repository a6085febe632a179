// Takes a NumPy array apart and makes one, with whatever pybind11 it is compiled with.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;

PYBIND11_MODULE(_strides, module) {
  module.def("item_size", [](py::array array) { return array.itemsize(); });
  module.def("count", [](int length) {
    auto array = py::array_t<double>(length);
    for (int index = 0; index < length; index++) array.mutable_at(index) = index;
    return array;
  });
}
