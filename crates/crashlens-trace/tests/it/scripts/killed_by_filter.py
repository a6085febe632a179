"""One thread calls what a seccomp filter forbids: killed_by_filter.py process|thread"""
import ctypes
import os
import struct
import sys
import threading

GETPPID = 110  # system call number on x86-64
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW = 0x7FFF0000
KILL = {"process": 0x80000000, "thread": 0}[sys.argv[1]]
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2

steps = [(LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, GETPPID), (RETURN, 0, 0, KILL), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def call():
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))
    # Called without the interpreter lock, which a thread that is killed would keep for ever.
    libc.syscall(GETPPID)


threading.Thread(target=call, daemon=True).start()
while len(os.listdir("/proc/self/task")) > 1:
    pass
os._exit(3)
