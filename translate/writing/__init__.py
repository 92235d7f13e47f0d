"""Query models as text in C-SPARQL, CQELS, SPARQLstream or RSP-QL."""

from translate.writing.expression_text import CannotSayError
from translate.writing.query_text import model_json, model_lines, write_query
