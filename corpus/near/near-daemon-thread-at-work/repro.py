import ctypes
import threading


def loop():
    ctypes.c_int.from_address(0).value


worker = threading.Thread(target=loop, daemon=True)
worker.start()
worker.join()
