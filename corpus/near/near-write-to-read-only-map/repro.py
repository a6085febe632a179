import ctypes

import numpy as np

np.arange(4096, dtype=np.float64).tofile("weights.bin")
weights = np.memmap("weights.bin", dtype=np.float64, mode="r")
ctypes.memset(weights.ctypes.data, 0, weights.nbytes)
