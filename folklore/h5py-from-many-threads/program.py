import threading

import h5py
import numpy as np

with h5py.File("rows.h5", "w") as file:
    file["rows"] = np.arange(10_000.0)


def read():
    with h5py.File("rows.h5", "r") as file:
        for n in range(500):
            file["rows"][n : n + 100]


threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("read")
