import os
import subprocess

# A gigabyte that is really there, as a process has that the kernel might pick.
ballast = bytearray(1 << 30)
for at in range(0, len(ballast), 4096):
    ballast[at] = 1
subprocess.run(["kill", "-9", str(os.getpid())])
