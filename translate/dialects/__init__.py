"""The languages that a continuous query can be written in."""
