"""Runs a program under a seccomp filter that refuses one system call: NUMBER ERRNO PROGRAM ARGUMENTS...

Container runtimes refuse calls in this way. Numbers are those of x86-64.
"""
import ctypes
import os
import struct
import sys

KILL, EXECVE = 62, 59
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER, FIRST_ARGUMENT = 0, 16  # places in what a filter sees of a call
ALLOW, FAIL = 0x7FFF0000, 0x00050000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
EVERYBODY = 0xFFFFFFFF

number, error = int(sys.argv[1]), int(sys.argv[2])
words = [ctypes.create_string_buffer(os.fsencode(word)) for word in sys.argv[3:]]
arguments = (ctypes.c_char_p * (len(words) + 1))(*map(ctypes.addressof, words), None)
program = ctypes.addressof(words[0]) & 0xFFFFFFFF
steps = [
    (LOAD, 0, 0, NUMBER),
    # Where `getpid` is refused, `kill $$` of a shell is `kill -1`: it would end every process of this user.
    (JUMP_IF_EQUAL, 0, 3, KILL),
    (LOAD, 0, 0, FIRST_ARGUMENT),
    (JUMP_IF_EQUAL, 5, 0, EVERYBODY),
    (LOAD, 0, 0, NUMBER),
    (JUMP_IF_EQUAL, 0, 4, number),
    # The program itself is started, and can start no other.
    (JUMP_IF_EQUAL, 0, 2, EXECVE),
    (LOAD, 0, 0, FIRST_ARGUMENT),
    (JUMP_IF_EQUAL, 1, 0, program),
    (RETURN, 0, 0, FAIL | error),
    (RETURN, 0, 0, ALLOW),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
rules = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
    PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(rules)
):
    sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
libc.execv(words[0], arguments)
os._exit(99)
