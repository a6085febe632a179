import ctypes

first = ctypes.CDLL("/opt/lab/lib/libomp.so.5")
print(first.omp_get_max_threads())
second = ctypes.CDLL("/opt/lab/lib/libiomp5.so")
print(second.omp_get_max_threads())
