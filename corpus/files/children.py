"""Reads files in children that may die, hang or want all the memory."""
import gc
import os
import resource
import select
import signal
import time

MEMORY = 10 << 30
PROCESSOR_SECONDS, WALL_SECONDS = 15, 120
RANKS = ["same", "different", "exception", "hang", "signal"]


def child(attempt, jobs, way, pipe):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for label, path in jobs:
        outcome = attempt(label, path, way)
        # What a reading broke shows when its memory is given back.
        gc.collect()
        os.write(pipe, (outcome + "\n").encode("utf8", "replace"))
    os._exit(0)


def processor_seconds(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(attempt, jobs, way):
    """Outcomes of the first jobs, and how the child ended before all were done."""
    ours, theirs = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(ours)
        try:
            child(attempt, jobs, way, theirs)
        finally:
            os._exit(99)
    os.close(theirs)
    text, ended = b"", None
    since, used = time.monotonic(), 0.0
    while True:
        ready, _, _ = select.select([ours], [], [], 1)
        if ready:
            more = os.read(ours, 1 << 16)
            if not more:
                break
            text += more
            since, used = time.monotonic(), processor_seconds(process)
        elif processor_seconds(process) - used > PROCESSOR_SECONDS or time.monotonic() - since > WALL_SECONDS:
            ended = "hang"
            os.kill(process, signal.SIGKILL)
            break
    os.close(ours)
    _, status = os.waitpid(process, 0)
    if ended is None and status != 0:
        ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exception exit {os.WEXITSTATUS(status)}"
    return text.decode("utf8", "replace").splitlines(), ended


def alone(attempt, job, ways):
    """The worst outcome of one file."""
    outcomes = []
    for way in range(ways):
        lines, ended = run(attempt, [job], way)
        outcomes.append(ended or lines[0])
    if ways == 1:
        return outcomes[0]
    # What was read is `same` or `different`; which of them is found out later.
    return max(outcomes, key=lambda outcome: RANKS.index(outcome.split()[0].replace("read", "same")))


def together(attempt, jobs):
    """The outcomes of many files in one child, or each alone where that child died."""
    if not jobs:
        return []
    lines, ended = run(attempt, jobs, 0)
    if ended is None:
        return lines
    # A file that was read before may have broken what this one died of.
    suspects = jobs[max(0, len(lines) - 8) : len(lines) + 1]
    kept = lines[: max(0, len(lines) - 8)]
    return kept + [alone(attempt, job, 1) for job in suspects] + together(attempt, jobs[len(lines) + 1 :])
