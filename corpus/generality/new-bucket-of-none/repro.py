import ctypes

bucket = ctypes.CDLL("./bucket.so").bucket
bucket.argtypes = [ctypes.c_long, ctypes.c_long]
bucket.restype = ctypes.c_long
buckets = []
print(bucket(1234567, len(buckets)))
