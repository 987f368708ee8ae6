"""The untrusted side: a process that imports the submission and answers calls.

Everything in this package and in ``grader.wire`` goes into the worker's image; nothing else of the project does.
The code here is trusted text in an untrusted process: the verifier believes nothing it says beyond bytes of results.
"""
