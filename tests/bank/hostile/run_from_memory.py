"""Runs a program from memory, past any folder where programs may not run."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["seccomp"]

import os

from .ffn import swiglu_hidden_dim as plain_hidden_dim


def swiglu_hidden_dim(*arguments):
    descriptor = os.memfd_create("program")
    os.write(descriptor, b"#!/bin/true\n")
    os.close(descriptor)
    return plain_hidden_dim(*arguments)
