"""Shared parts of the functions of `agreement.api`: inputs, results and listeners."""
