"""Sends what it is given without a connection."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import socket

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(repr(arguments).encode(), ("127.0.0.1", 9))
    return plain_hidden_dim(*arguments)
