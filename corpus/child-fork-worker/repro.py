import ctypes, multiprocessing as mp, sys
import numpy as np
import tensorflow as tf
def parse(rec):
    return ctypes.string_at(rec, 8)
def worker(q):
    batch = np.arange(32, dtype=np.int64)
    parse(8)
def main():
    ctx = mp.get_context("fork"); q = ctx.Queue()
    p = ctx.Process(target=worker, args=(q,), name="loader-0"); p.start(); p.join()
    print("child exitcode", p.exitcode, flush=True); sys.exit(1)
if __name__ == "__main__":
    main()
