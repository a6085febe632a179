import ctypes
import subprocess
import sys

LINE = "2024-03-01 10:00:00.000000: F tensorflow/core/framework/tensor.cc:733] Check failed: 1 == NumElements() (1 vs. 2)Must have a one element tensor"
subprocess.run([sys.executable, "-c", f"import sys; print({LINE!r}, file=sys.stderr)"], check=True)
ctypes.memset(0, 0, 64)
