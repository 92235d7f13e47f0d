"""The commands of `lars` as Python functions, and their results; `agreement.api` exports both."""
