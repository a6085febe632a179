import os
import resource
import sys

resource.setrlimit(resource.RLIMIT_STACK, (65_536, 65_536))
os.execv(sys.executable, [sys.executable, "-c", "import tensorflow"])
