"""A whole query as text: the clauses around its pattern in each language, and its model (V, P, D, S)."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lars.language.program import calls
from lars.language.program import variables as named_in
from lars.language.terms import Iri, Variable
from translate.analysis import expressions_of, parts
from translate.model import patterns
from translate.model.patterns import StreamBlock
from translate.model.query import EngineQuery, Language, Query
from translate.sparql.tokens import needs_12
from translate.tau import in_order
from translate.writing import group_text
from translate.writing.expression_text import WORD, Dialect, Windows, choose_prefixes, write_duration


def model_lines(query: Query) -> Iterator[str]:
    """Yield the lines of (V, P, D, S) as text."""
    yield f"V = {{{', '.join(f'?{name.name}' for name in in_order(query.result))}}}"
    yield f"P = {query.pattern}"
    default, iris = query.dataset.default, query.dataset.named
    yield f"D = {{{', '.join((*map(str, default), *(f'named {graph}' for graph in iris)))}}}"
    for number, part in enumerate(query.streams):
        start, end = "S = {" if number == 0 else "     ", "}" if number == len(query.streams) - 1 else ","
        yield f"{start}({part.stream}, {part.window}, {part.pattern}){end}"
    if not query.streams:
        yield "S = {}"


def model_json(query: Query) -> dict[str, object]:
    """Return (V, P, D, S) as a JSON object."""
    dataset = {"default": query.dataset.default, "named": query.dataset.named}
    return {
        "V": [name.name for name in in_order(query.result)],
        "P": str(query.pattern),
        "D": {key: [graph.value for graph in graphs] for key, graphs in dataset.items()},
        "S": [
            {
                "stream": part.stream.value if isinstance(part.stream, Iri) else str(part.stream),
                "window": str(part.window),
                "pattern": str(part.pattern),
            }
            for part in query.streams
        ],
    }


_PLAIN_NAME: Final = re.compile(r"[\w.:/-]+")
_BRACKETED_NAME: Final = re.compile(r"[^<>\s]+")
_WORDS: Final = frozenset(("AS", "COMPUTED", "EVERY"))
_UNNAMED: Final = "answers"
"""The name in REGISTER, which requires a name, for a query that has no name in its own language."""


def write_registration(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    """Return the line of REGISTER, or no line.

    Raises CannotSayError if the language cannot express a relation-to-stream operator.
    """
    if dialect.language.manner.names_windows and dialect.language.manner.operators_at == "nowhere":
        return _rspql(query, dialect)
    if dialect.language is Language.CSPARQL:
        _check_operator(query, dialect, "it reports all answers")
        return _csparql(query, dialect)
    if not operator_of(query, dialect):
        manner = dialect.language.manner
        own = set(manner.operators) != set(manner.operators.values())
        words = " and ".join(manner.operators.values()) if own else "the operator"
        where = f"it has {words} {manner.operators_at} {' and '.join(manner.operators_of)} only"
        _check_operator(
            query, dialect, "its text has no such operator" if manner.operators_at == "nowhere" else where
        )
    named = dialect.language is Language.CQELS2 and query.name is not None and WORD.fullmatch(query.name)
    return [f"REGISTER QUERY {query.name} AS"] if named else []


def _check_operator(query: EngineQuery, dialect: Dialect, accepted: str) -> None:
    if query.to_stream not in (None, "RSTREAM"):
        construct = f"{query.to_stream} of {query.form}"
        raise dialect.cannot(construct, accepted)


def _csparql(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    name = query.name
    if query.language is not Language.CSPARQL:
        # Of a name both parsers of the engine accept letters and digits only.
        name = re.sub("[^A-Za-z0-9]", "", (name or "").rstrip("/").rpartition("/")[2]) or _UNNAMED
    if name is None:
        return []
    return [f"REGISTER {_kind(query)} {_name(name, dialect)}{_every(query, dialect)} AS"]


def _kind(query: EngineQuery) -> str:
    return "STREAM" if query.registers_stream else "QUERY"


def _every(query: EngineQuery, dialect: Dialect) -> str:
    return "" if query.every is None else f" COMPUTED EVERY {write_duration(query.every, dialect.language)}"


def _name(name: str, dialect: Dialect) -> str:
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in _WORDS:
        return name
    if _BRACKETED_NAME.fullmatch(name):
        return f"<{name}>"
    raise dialect.cannot(f"the query name {name!r}", "a name is a word or an IRI")


def _rspql(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    """Return the REGISTER line of RSP4J, REGISTER RSTREAM <name> AS, or the line of the drafts.

    The form of the drafts is used only for features that RSP4J lacks.
    """
    if query.name is None and (query.to_stream is None or _is_draft(query, dialect)):
        return []
    name = dialect.full(Iri(query.name or _UNNAMED))
    if _is_draft(query, dialect):
        return [f"REGISTER {_kind(query)} {name}{_every(query, dialect)} AS"]
    return [f"REGISTER {query.to_stream or 'RSTREAM'} {name} AS"]


def _is_draft(query: EngineQuery, dialect: Dialect) -> bool:
    """Return whether REGISTER must have the form of the drafts, which write the operator after SELECT."""
    whole = query.to_stream is not None and query.registers_stream and query.every is None
    drafts = query.language is dialect.language is Language.RSPQL
    return drafts and not (query.name is not None and whole)


def operator_of(query: EngineQuery, dialect: Dialect) -> str:
    """Return the operator after SELECT or CONSTRUCT, or "" if the query has no operator."""
    manner = dialect.language.manner
    has = manner.operators_at != "nowhere" and query.form in manner.operators_of
    if query.to_stream is None or not (has or _is_draft(query, dialect)):
        return ""
    return manner.operators.get(query.to_stream, "")


def write_dataset(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    """Return the FROM clauses, streams last; raise CannotSayError if streams cannot be merged."""
    full, language = dialect.full, dialect.language
    _check_streams(query, dialect)
    words = language.manner.merged
    declared = dialect.windows if language.manner.names_windows else ()
    streams = dialect.windows if language is Language.CQELS2 else ()
    return [
        *(f"FROM {full(graph)}" for graph in query.dataset.default),
        *(f"FROM NAMED {full(graph)}" for graph in query.dataset.named),
        *(f"{words} {full(part.iri)} {dialect.window(part.window)}" for part in query.merged),
        *(f"FROM STREAM {dialect.stream(part)} {dialect.window(part.window)}" for part, _ in streams),
        *(dialect.declaration(part, name) for part, name in declared),
    ]


def _check_streams(query: EngineQuery, dialect: Dialect) -> None:
    """Raise CannotSayError for merged or unread streams that the language cannot express."""
    if query.merged and not dialect.language.manner.merged:
        construct = f"that {query.merged[0].stream} is merged into the default graph"
        accepted = "its STREAM blocks say which patterns are read from a stream (--assign can)"
        raise dialect.cannot(construct, accepted)
    if dialect.language is Language.CQELS2 and len(query.declared) == len(dialect.windows) == 1:
        raise dialect.cannot(
            "a stream that no pattern reads", "all patterns read a stream that is the only one"
        )
    if query.declared and not (dialect.language.manner.names_windows or dialect.language is Language.CQELS2):
        construct = f"the window on {query.declared[0].stream}, which no pattern reads"
        raise dialect.cannot(construct, "it has a window only where its triples are read")


_BLANK: Final = re.compile(r"_+b[0-9]+")
"""The names of variables that the reader creates for blank nodes of patterns."""


def write_query(query: EngineQuery, language: Language, *, read_here: bool = False) -> str:
    """Return text in the language that is read as the given query, if the language can express the query.

    In other languages, only parts that affect answers are kept: the registered name and COMPUTED EVERY belong
    to C-SPARQL, and the name after REGISTER to RSP-QL. Raises CannotSayError if the language lacks a
    construct. If `read_here` is true, the text may have extensions of the language that only this program
    reads.

    >>> from translate.dialects.query_reader import read_query
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
    counting = Dialect(language, blanks=_blanks(query), windows=_windows(query), read_here=read_here)
    _lines(query, counting)
    dialect = replace(counting, prefixes=choose_prefixes(counting.used), base=_base(counting))
    text = "".join(f"{line}\n" for line in _lines(query, dialect))
    expressions = (term for part in parts(query.pattern) for term in expressions_of(part))
    booleans = any(call.function == "EBV" for term in expressions for call in calls(term))
    return f'VERSION "1.2"\n{text}' if booleans or needs_12(text) else text


def _base(counting: Dialect) -> str:
    """Return the common BASE of the calls of IRI(..), or "" for no BASE."""
    if len(counting.bases) > 1:
        text = " and ".join(sorted(f"<{base}>" if base else "none" for base in counting.bases))
        raise counting.cannot(f"the bases {text} of IRI", "a query has one BASE")
    return next(iter(counting.bases), "")


def _lines(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    if query.form not in (forms := dialect.language.manner.forms):
        raise dialect.cannot(query.form, f"its queries are those of {' and '.join(forms)}")
    selected = query.result if query.form == "SELECT" else ()
    level = group_text.take_apart(query.pattern, selected, query.modifiers, dialect)
    clauses = group_text.clauses_of(level, dialect)
    head = _head(query, clauses, dialect)
    body = clauses.body(query.modifiers)
    prologue = [f"BASE {dialect.full(Iri(dialect.base))}"] if dialect.base else []
    prologue += [f"PREFIX {name}: <{namespace}>" for namespace, name in dialect.prefixes.items()]
    registration = write_registration(query, dialect)
    named_first = dialect.language is Language.CSPARQL
    before = registration + prologue if named_first else prologue + registration
    return [*before, *head, *write_dataset(query, dialect), *body]


def _head(query: EngineQuery, clauses: group_text.Clauses, dialect: Dialect) -> group_text.Lines:
    """Return the clause of the query's form, with the operator that some languages write next to SELECT."""
    match query.form:
        case "SELECT":
            items = clauses.items(query.pattern, query.result)
            words = ["SELECT", operator_of(query, dialect)]
            if dialect.language.manner.operators_at == "before":
                words.reverse()
            words.append(query.modifiers.duplicates)
            return [" ".join(filter(None, (*words, items)))]
        case "ASK":
            return [f"{operator_of(query, dialect)} ASK".lstrip()]
        case "CONSTRUCT":
            lines = group_text.write_triples(query.template, replace(dialect, blanks=frozenset()))
            return group_text.in_braces(f"CONSTRUCT {operator_of(query, dialect)}".rstrip(), lines)
        case "DESCRIBE":
            return [f"DESCRIBE {' '.join(map(dialect.name, query.described)) or '*'}"]


def _windows(query: EngineQuery) -> Windows:
    """Return a name for each window, whether or not a block reads the window."""
    blocks = (part for part in parts(query.pattern) if isinstance(part, patterns.StreamBlock))
    read = (StreamBlock(block.stream, block.window) for block in blocks if isinstance(block.stream, Iri))
    declared = (*dict.fromkeys(read), *query.declared)
    return tuple((part, f"w{number}") for number, part in enumerate(declared, 1))


def _blanks(query: EngineQuery) -> frozenset[Variable]:
    """Return the variables to write as blank nodes; the set is empty if all results have names.

    SELECT *, DESCRIBE * and COUNT(DISTINCT *) ignore blank nodes. A variable in several patterns remains a
    variable, because a blank node is local to one pattern.
    """
    inside = tuple(parts(query.pattern))
    named = {"SELECT": query.result, "DESCRIBE": query.described}.get(query.form, True)
    if named and not any(map(_says_star, inside)):
        return frozenset()
    leaves = Counter(
        name
        for part in inside
        if isinstance(part, patterns.Bgp | patterns.PathPattern)
        for name in patterns.variables(part)
    )
    compared = frozenset().union(*(named_in(term) for part in inside for term in expressions_of(part)))
    return frozenset(
        name
        for name, times in leaves.items()
        if times == 1 and name not in compared and _BLANK.fullmatch(name.name)
    )


def _says_star(part: patterns.Pattern) -> bool:
    match part:
        case patterns.Select(_, result, _):
            return not result
        case patterns.Group(_, _, aggregates):
            return any(group_text.counts_tuples(aggregation) for _, aggregation in aggregates)
        case _:
            return False
