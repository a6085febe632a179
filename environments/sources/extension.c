// The smallest module that Python imports; what else it does is chosen by the compiler's options.
#include <Python.h>

#ifdef NEWER
void crashlens_new_symbol(void);
#endif

static PyObject *use(PyObject *self, PyObject *unused) {
#ifdef NEWER
  crashlens_new_symbol();
#endif
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"use", use, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, methods};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&definition); }
