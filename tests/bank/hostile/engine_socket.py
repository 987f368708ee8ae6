"""Looks for a container engine to order about."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import socket


def swiglu_hidden_dim(*_):
    connection = socket.socket(socket.AF_UNIX)
    for path in ("/var/run/docker.sock", "/run/docker.sock"):
        connection.connect(path)
    return 1
