import os
import subprocess

total = sum(n % 7 for n in range(1_000_000))
subprocess.run(["kill", "-XCPU", str(os.getpid())])
