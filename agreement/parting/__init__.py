"""Where two profiles part on a trace, and which rules or parameters part them."""
