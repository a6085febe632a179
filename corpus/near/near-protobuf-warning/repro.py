import ctypes
import warnings

warnings.warn(
    "Protobuf gencode version 5.27.2 is exactly one major version older than the runtime version 6.31.1 at a.proto."
)
ctypes.memset(32, 0, 8)
