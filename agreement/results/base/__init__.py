"""Shared parts of the library's functions: inputs, results and listeners."""
