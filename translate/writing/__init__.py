"""A query model becomes text in C-SPARQL, CQELS, SPARQLstream or RSP-QL."""

from translate.writing.model_text import model_json, model_lines
from translate.writing.query_text import write_query
