import sys

sys.setrecursionlimit(10_000_000)
nested = []
for _ in range(500_000):
    nested = [nested]
print(len(repr(nested)))
