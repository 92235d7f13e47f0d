"""A query model becomes text in C-SPARQL, CQELS, SPARQLstream or RSP-QL."""

from translate.writing.query_text import model_json, model_lines, write_query
from translate.writing.term_text import CannotSayError
