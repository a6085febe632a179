import os
import subprocess

subprocess.run(["kill", "-9", str(os.getpid())])
