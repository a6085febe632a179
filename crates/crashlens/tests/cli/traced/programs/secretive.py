"""Holds secrets in every kind of place, and dies in native code."""
import argparse
import ctypes
import os
import sys
import traceback

URL = "postgres://ada:{in_url}@db/prod"
KEY = """{key}"""


class Session(object):
    def __init__(self, password):
        self.password = password
        self.headers = {"Authorization": "Bearer {github}"}


def crash(password, token, *rest, **options):
    harmless = [1, 2, 3]
    batch_size = 32
    session = Session(password)
    settings = argparse.Namespace(rate=0.5, api_key="{secret}", url=URL)
    raw, array = b"{hugging_face}", bytearray(b"token {github}")
    key_lines = KEY.splitlines()
    key_bytes = KEY.encode()
    pair = ("{id}", "{secret}")
    nested = {"database": {"user": "ada", "password": "{password}", "urls": [URL, {"u": (URL,)}]}}
    flags = ["--password", "{password}", "--rate", "0.1"]
    headers = {b"authorization": b"Bearer {github}", "X-Api-Key": "{secret}"}
    environment = dict(os.environ)
    arguments = list(sys.argv)
    line = "aws_secret_access_key = {secret}"
    key = "{secret}"
    exported = {name: value for name, value in environment.items() if "_" in name}
    try:
        raise ValueError("cannot log in to " + URL + " with password={password}")
    except ValueError as error:
        failure = error
        message = str(error)
    return ctypes.string_at(0), password == "{password}"


def with_secret_lines():
    def inner(secret):
        return crash(password="{password}", token="{hugging_face}", raw_url=URL, client_secret="{secret}", url="https://ada:{in_url}@host/")
    return inner("{secret}")


def complain():
    sys.stderr.write("using {id} with AWS_SECRET_ACCESS_KEY={secret}\n")
    sys.stderr.write("HF_TOKEN={hugging_face} token: {github}\n")
    sys.stderr.write("connecting to " + URL + " password='{password}'\n")
    sys.stderr.write(KEY + "\n")
    try:
        raise RuntimeError("no answer from " + URL + ", password={password}")
    except RuntimeError:
        traceback.print_exc()
    sys.stderr.write("these are its last words\n")
    sys.stderr.flush()


complain()
with_secret_lines()
