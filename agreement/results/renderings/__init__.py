"""Output of results: as text, JSON, tables, pages."""
