"""Grade with an answer key: recorded inputs, right answers and signatures of mistakes, in place of the reference.

A student kit holds this room and two data files in it, ``key.json`` and ``key.safetensors.gz``, which ``grader.kit``
writes.
"""
