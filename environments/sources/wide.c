// A module whose one function adds eight numbers with one instruction of AVX-512.
#include <Python.h>
#include <immintrin.h>

// Visible to others, so that the compiler cannot add them up by itself.
double numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static PyObject *total(PyObject *self, PyObject *unused) {
  __m512d all = _mm512_loadu_pd(numbers);
  return PyFloat_FromDouble(_mm512_reduce_add_pd(_mm512_add_pd(all, all)));
}

static PyMethodDef methods[] = {{"total", total, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_wide", NULL, -1, methods};

PyMODINIT_FUNC PyInit__wide(void) { return PyModule_Create(&definition); }
