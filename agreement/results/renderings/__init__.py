"""The output of results as text, JSON, tables and HTML reports."""
