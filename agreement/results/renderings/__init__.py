"""How results are shown: as text, JSON, tables, pages."""
