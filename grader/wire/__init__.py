"""Frames between the verifier and the worker: closed formats, raw bytes, nothing that can execute code."""
