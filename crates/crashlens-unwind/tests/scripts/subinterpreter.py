"""A thread that runs two interpreters, where the version can make them."""
import os

try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        interpreters = None

CODE = "import os\ndef inside():\n    os.write(1, b'ready\\n')\n    os.read(0, 1)\ninside()\n"


def outside():
    if interpreters is None:
        os.write(1, b"impossible\n")
        os.read(0, 1)
    try:
        interpreter = interpreters.create("legacy")
    except TypeError:
        interpreter = interpreters.create()
    interpreters.run_string(interpreter, CODE)  # outside


outside()
