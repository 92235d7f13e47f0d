"""The language of LARS: terms, windows, formulas, programs, streams."""
