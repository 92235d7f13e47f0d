"""Two reports side by side: push and pull, an engine and its specification, two engine versions."""
