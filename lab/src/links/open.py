"""Opens libraries with every symbol bound at once, each in a process of its own, and says what the loader said.

Standard input: a JSON list of {"before": [[path, globally], ...], "files": [path, ...]}. Whatever is in `before` is opened
first, once; then every file in a fork of that process. Standard output: a JSON list of lists with one answer a file:
null where it was opened, else the loader's words, or how the process died.
"""
import ctypes
import json
import os
import signal
import sys

# For one file. Whatever holds several of them takes as long as they take together.
SECONDS = 120


def opened(path, globally):
    mode = os.RTLD_NOW | (os.RTLD_GLOBAL if globally else os.RTLD_LOCAL)
    try:
        ctypes.CDLL(path, mode=mode)
    except OSError as error:
        return str(error)
    return None


def in_child(work, seconds):
    """What `work` returns in a fork of this process, whatever becomes of it there."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(seconds)
        with os.fdopen(writer, "w") as out:
            json.dump(work(), out)
        # Destructors of what was loaded are nobody's business here.
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        answer = answers.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "died by signal %d" % os.WTERMSIG(status)
    try:
        return json.loads(answer)
    except ValueError:
        return "exited with status %d" % os.WEXITSTATUS(status)


def answers(group):
    for path, globally in group["before"]:
        trouble = opened(path, globally)
        if trouble is not None:
            return [trouble for _ in group["files"]]
    return [in_child(lambda path=path: opened(path, False), SECONDS) for path in group["files"]]


def main():
    groups = json.load(sys.stdin)
    result = []
    for group in groups:
        said = in_child(lambda group=group: answers(group), 0)
        result.append(said if isinstance(said, list) else [said for _ in group["files"]])
    json.dump(result, sys.stdout)


main()
