import ctypes

release = ctypes.pythonapi.Py_DecRef
release.argtypes = [ctypes.py_object]
for _ in range(1_000_000):
    release(None)
