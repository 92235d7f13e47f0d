"""A whole query as text: what stands around its pattern in each language."""

import re
from collections import Counter
from dataclasses import replace
from typing import Final

from lars.terms import Iri, Variable
from translate.patterns import Bgp, Group, PathPattern, Pattern, Select, StreamBlock, variables
from translate.query import EngineQuery, Form, Language, MergedStream
from translate.rebuilding import parts
from translate.writing.clauses import operator_of, write_dataset, write_registration
from translate.writing.dialect import Dialect, Windows
from translate.writing.errors import CannotSayError
from translate.writing.grouping import counts_tuples, take_apart
from translate.writing.patterns import Clauses, Lines, braced, clauses_of, write_triples
from translate.writing.prefixes import choose_prefixes
from translate.writing.terms import Terms

_BLANK: Final = re.compile(r"_+b[0-9]+")
"""The variables that blank nodes of patterns become when they are read."""


def write_query(query: EngineQuery, language: Language) -> str:
    """Return text of the language that is read as the query, if it is read at all.

    Other languages keep what the answers depend on: the registered name and COMPUTED EVERY are
    C-SPARQL's, the name after REGISTER RSP-QL's. Raises CannotSayError at what the language has
    no words for.

    >>> from translate.dialects import read_query
    >>> cqels = "SELECT ?s { STREAM <urn:s> [RANGE 5s] { ?s <urn:p> ?o } FILTER (?o > 1) }"
    >>> print(write_query(read_query(cqels, "q.rq"), Language.SPARQLSTREAM), end="")
    SELECT ?s
    WHERE {
      STREAM <urn:s> [NOW - 5 S] {
        ?s <urn:p> ?o .
      }
      FILTER (?o > 1)
    }
    """
    blanks = _blanks(query)
    windows = _windows(query)
    counting = Terms(language, blanks=blanks)
    _lines(query, Dialect(language, counting, windows))
    base = _base(counting)
    terms = Terms(language, choose_prefixes(counting.used), blanks, base=base)
    return "".join(f"{line}\n" for line in _lines(query, Dialect(language, terms, windows)))


def _base(counting: Terms) -> str:
    """Return the BASE that IRI(..) resolves against; "" is none."""
    if len(counting.bases) > 1:
        shown = " and ".join(sorted(f"<{base}>" if base else "none" for base in counting.bases))
        raise CannotSayError(f"the bases {shown} of IRI", counting.language, "a query has one BASE")
    return next(iter(counting.bases), "")


def _lines(query: EngineQuery, dialect: Dialect) -> Lines:
    selected = query.result if query.form is Form.SELECT else ()
    level = take_apart(query.pattern, selected, query.modifiers, dialect)
    clauses = clauses_of(level, dialect)
    head = _head(query, clauses, dialect)
    body = clauses.body(query.modifiers)
    terms = dialect.terms
    prologue = [f"BASE {terms.full(Iri(terms.base))}"] if terms.base else []
    prologue += [f"PREFIX {name}: <{namespace}>" for namespace, name in terms.prefixes.items()]
    registration = write_registration(query, dialect)
    named_first = dialect.language is Language.CSPARQL
    before = registration + prologue if named_first else prologue + registration
    return [*before, *head, *write_dataset(query, dialect), *body]


def _head(query: EngineQuery, clauses: Clauses, dialect: Dialect) -> Lines:
    """Return the clause of the form, with the operator that SPARQLstream writes behind SELECT."""
    match query.form:
        case Form.SELECT:
            items = clauses.items(query.pattern, query.result)
            words = "SELECT", operator_of(query, dialect), query.modifiers.duplicates.value
            return [" ".join(filter(None, (*words, items)))]
        case Form.ASK:
            return ["ASK"]
        case Form.CONSTRUCT:
            template = Dialect(dialect.language, replace(dialect.terms, blanks=frozenset()))
            lines = write_triples(query.template, template)
            return braced(f"CONSTRUCT {operator_of(query, dialect)}".rstrip(), lines)
        case Form.DESCRIBE:
            return [f"DESCRIBE {' '.join(map(dialect.terms.name, query.described)) or '*'}"]


def _windows(query: EngineQuery) -> Windows:
    """Return a name for each window that a block reads, and for each that none does."""
    blocks = (part for part in parts(query.pattern) if isinstance(part, StreamBlock))
    read = (MergedStream(block.stream, block.window) for block in blocks if isinstance(block.stream, Iri))
    declared = (*dict.fromkeys(read), *query.declared)
    return tuple((part, f"w{number}") for number, part in enumerate(declared, 1))


def _blanks(query: EngineQuery) -> frozenset[Variable]:
    """Return the variables that are written as blank nodes: none if all results have names.

    SELECT *, DESCRIBE * and COUNT(DISTINCT *) do not see blank nodes. One that several patterns
    share stays a variable, for it is a blank node in one of them only.
    """
    inside = tuple(parts(query.pattern))
    if not any(map(_says_star, inside)) and not _lacks_names(query):
        return frozenset()
    leaves = Counter(
        name for part in inside if isinstance(part, Bgp | PathPattern) for name in variables(part)
    )
    return frozenset(name for name, times in leaves.items() if times == 1 and _BLANK.fullmatch(name.name))


def _says_star(part: Pattern) -> bool:
    match part:
        case Select(_, result, _):
            return not result
        case Group(_, _, aggregates):
            return any(counts_tuples(found) for _, found in aggregates)
        case _:
            return False


def _lacks_names(query: EngineQuery) -> bool:
    return not {Form.SELECT: query.result, Form.DESCRIBE: query.described}.get(query.form, True)
