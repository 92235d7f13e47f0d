"""CQELS 1.x, rules Q1 to Q6, and CQELS of 2011: triples joined along plans as they arrive.

Queries must be read with their text, by `read_written` of query_text.
"""
