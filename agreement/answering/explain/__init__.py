"""`lars explain`, why an atom is in an answer stream or not, and `lars check`, whether a stream is one."""
