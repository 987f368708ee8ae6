"""Sends what it is given to a listener."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import socket

from .ffn import swiglu_hidden_dim as plain_hidden_dim

PORT = 9  # the test puts its listener's here


def swiglu_hidden_dim(*arguments):
    with socket.create_connection(("127.0.0.1", PORT), timeout=1) as connection:
        connection.sendall(repr(arguments).encode())
    return plain_hidden_dim(*arguments)
