"""The commands as functions of Python values, and their results; `agreement.api` exports them."""
