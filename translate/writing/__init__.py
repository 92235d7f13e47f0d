"""Writing: a query model becomes text in C-SPARQL, CQELS, SPARQLstream or RSP-QL."""

from translate.writing.errors import CannotSayError
from translate.writing.queries import write_query

__all__ = ["CannotSayError", "write_query"]
