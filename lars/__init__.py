"""The logic LARS: terms, windows, formulas, programs, streams and their semantics."""
