"""``grader selftest``: proof on this machine that verdicts are right, over a bank of known submissions."""
