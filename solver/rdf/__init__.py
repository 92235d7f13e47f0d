"""RDF terms, and the values, operators, functions, conditions, order and aggregates of SPARQL."""

from solver.rdf.aggregates import aggregate, order_key, sorted_rows, text_key
from solver.rdf.conditions import Condition, compile_condition, evaluate, test
from solver.rdf.terms import (
    SHARED_BLANK,
    NotATerm,
    blanks_in,
    blanks_numbered,
    canonical,
    data_text,
    is_name_of_stream,
    is_of_file,
    is_triple_term,
    quad_texts,
    read_term,
    short,
    stream_constant,
    syntax_problem,
    text_of_oxigraph,
    text_of_rdflib,
    triple_term_end,
    unquote,
    with_blanks,
)
from solver.rdf.values import (
    BOOLEAN_VALUES,
    INTEGERS,
    ZONE,
    CalendarTime,
    Single,
    Value,
    convert,
    later,
    numeric,
    value,
)
