"""Starts threads until there can be no more."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.hidden-dim": {"student_error"}}
NEEDS = ["limits"]

import threading
import time


def swiglu_hidden_dim(*_):
    for _ in range(2000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return 1
