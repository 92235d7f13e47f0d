"""The commands as Python functions, and their results; `agreement.api` exports the functions and results."""
