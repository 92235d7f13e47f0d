"""Why an atom is in an answer stream or not, and whether a given stream is an answer stream."""
