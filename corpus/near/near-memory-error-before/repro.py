import itertools
import traceback

try:
    bytearray(1 << 60)
except MemoryError:
    traceback.print_exc()

chain = iter(())
for _ in range(500_000):
    chain = itertools.chain(chain)
next(chain, None)
