import ctypes

ring = ctypes.CDLL("./ring.so")
ring.ring_new(16)
ring.ring_new(-5)
