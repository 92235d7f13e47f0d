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
from translate.model.manner import Manner, fields_of, fill, with_options
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


_PLAIN_NAME: Final = re.compile(r"(?!(?:AS|COMPUTED|EVERY)\b)[\w.:/-]+", re.ASCII | re.IGNORECASE)
_BRACKETED_NAME: Final = re.compile(r"[^<>\s]+")
_UNNAMED: Final = "answers"
"""The name in REGISTER, which requires a name, for a query that has no name in its own language."""


def write_header(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    """Return the line REGISTER .. before a query, as a list of at most one line.

    Raises CannotSayError if the language cannot express the name or the relation-to-stream operator.
    """
    manner, header = dialect.language.manner, _header(query, dialect)
    said = "operator" in _said(f"{header}{manner.footer}") and query.to_stream in manner.operators
    if query.to_stream not in (None, "RSTREAM") and not (said or operator_of(query, dialect)):
        raise dialect.cannot(f"{query.to_stream} of {query.form}", f"it{_own_operators(manner)}")
    if query.language is not dialect.language and query.to_stream not in (None, *manner.reports):
        raise dialect.cannot(
            f"{query.to_stream} of {query.form}", f"it has {' and '.join(manner.reports)} only"
        )
    return [_filled(header, query, dialect)] if header else []


def write_footer(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    """Return the line after a query, as a list of at most one line."""
    footer = dialect.language.manner.footer
    return [_filled(footer, query, dialect)] if _said(footer) & _given(query, dialect) else []


def _own_operators(manner: Manner) -> str:
    """Return the end of a message that describes the relation-to-stream operators of a language."""
    own = set(manner.operators) != set(manner.operators.values())
    words = " and ".join(manner.operators.values()) if own else "the operator"
    forms = " and ".join(manner.operators_of)
    match manner.operators_at:
        case "nowhere" if "operator" in _said("".join((*manner.header, manner.footer))):
            return f" has {words} only"
        case "nowhere":
            return " reports all answers" if manner.header else "s text has no such operator"
        case "pattern":
            return f" has {words} behind the pattern of {forms} only"
        case place:
            return f" has {words} {place} {forms} only"


def _said(template: str) -> frozenset[str]:
    """Return the parts of a query, such as its name and period, that the template of a header contains."""
    return frozenset("name" if one in ("iri", "word") else one for one in fields_of(template))


def _given(query: EngineQuery, dialect: Dialect) -> frozenset[str]:
    """Return the parts of a header that a query has: name, kind, period (every) and operator.

    The kind is included if the registered name is the name of a query and not of a stream.
    """
    parts = {
        "name": query.name is not None,
        "kind": query.name is not None and not query.registers_stream,
        "every": query.every is not None,
        "operator": query.to_stream in dialect.language.manner.operators,
    }
    return frozenset(name for name, given in parts.items() if given)


def _header(query: EngineQuery, dialect: Dialect) -> str:
    """Return the template of the header of a query, or "" for no header."""
    manner, given = dialect.language.manner, _given(query, dialect)
    own, first = query.language is dialect.language, next(iter(manner.header), "")
    elsewhere = _said(manner.footer)
    if manner.operators_at != "nowhere" and query.form in manner.operators_of:
        elsewhere |= {"operator"}
    if own:
        for template in manner.header:
            required = _said(with_options(template, ())) - {"kind"}
            if required <= given and given - elsewhere <= _said(template):
                return template
    if "word" in fields_of(first) and not (query.name and WORD.fullmatch(query.name)):
        given -= {"name"}
    asked = _said(first) & given - (elsewhere if own else frozenset())
    return first if asked or (manner.header_always and not own) else ""


def _filled(template: str, query: EngineQuery, dialect: Dialect) -> str:
    """Return the text of a header or footer; a query without a name or operator gets a default."""

    def text(part: str) -> str:
        match part:
            case "kind":
                return "STREAM" if query.registers_stream else "QUERY"
            case "operator":
                operators = dialect.language.manner.operators
                return operators.get(query.to_stream or "RSTREAM", operators.get("RSTREAM", ""))
            case "every" if query.every is None:
                raise dialect.cannot("a query without a period", "its header contains the period")
            case "every":
                assert query.every is not None
                return write_duration(query.every, dialect.language)
            case "iri":
                return dialect.full(Iri(query.name or _UNNAMED))
            case "word":
                return query.name or _UNNAMED
            case _:
                return _name(query, dialect)

    given = _given(query, dialect)
    parts = {*given, *(("iri", "word", "kind") if "name" in given else ())}
    return fill(with_options(template, parts), text)


def _name(query: EngineQuery, dialect: Dialect) -> str:
    """Return the name of a query as a word or an IRI.

    If the query is in another language, the text keeps only letters and digits of the name's last segment.
    """
    name = query.name or _UNNAMED
    if query.language is not dialect.language:
        # Both parsers of C-SPARQL accept a name only if it consists of letters and digits.
        name = re.sub("[^A-Za-z0-9]", "", name.rstrip("/").rpartition("/")[2]) or _UNNAMED
    if _PLAIN_NAME.fullmatch(name):
        return name
    if _BRACKETED_NAME.fullmatch(name):
        return f"<{name}>"
    raise dialect.cannot(f"the query name {name!r}", "a name is a word or an IRI")


def operator_of(query: EngineQuery, dialect: Dialect) -> str:
    """Return the operator to write next to the query's form or pattern, or "" for no operator."""
    manner = dialect.language.manner
    has = manner.operators_at != "nowhere" and query.form in manner.operators_of
    said = "operator" in _said(f"{_header(query, dialect)}{manner.footer}")
    if query.to_stream is None or not has or said:
        return ""
    return manner.operators.get(query.to_stream, "")


def write_dataset(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    """Return the FROM clauses, streams last; raise CannotSayError if streams cannot be merged."""
    full, language = dialect.full, dialect.language
    _check_streams(query, dialect)
    words = language.manner.merged
    declared = dialect.windows if language.manner.declares_windows else ()
    return [
        *(f"FROM {full(graph)}" for graph in query.dataset.default),
        *(f"FROM NAMED {full(graph)}" for graph in query.dataset.named),
        *(f"{words} {full(part.iri)} {dialect.window(part.window)}" for part in query.merged),
        *(dialect.declaration(part, name) for part, name in declared),
    ]


def _check_streams(query: EngineQuery, dialect: Dialect) -> None:
    """Raise CannotSayError for merged or unread streams that the language cannot express."""
    if query.merged and not dialect.language.manner.merged:
        construct = f"that {query.merged[0].stream} is merged into the default graph"
        accepted = "its STREAM blocks say which patterns are read from a stream"
        raise dialect.cannot(construct, accepted)
    manner = dialect.language.manner
    if query.declared and not manner.declares_windows:
        construct = f"the window on {query.declared[0].stream}, which no pattern reads"
        raise dialect.cannot(construct, "it has a window only where its triples are read")


_BLANK: Final = re.compile(r"_+b[0-9]+")
"""The names of variables that the reader creates for blank nodes of patterns."""


def write_query(query: EngineQuery, language: Language, *, read_here: bool = False) -> str:
    """Return the text of a query in a language; reading the text gives the same query again.

    If the query was read in another language, the text contains only parts that affect answers. A text in
    C-SPARQL also contains the registered name and COMPUTED EVERY; a text in RSP-QL also contains the
    registered name. Raises CannotSayError for a construct that the language lacks. If `read_here` is true,
    the text may have extensions of the language that only `lars` reads.

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
    counting = Dialect(language, read_here=read_here, every=query.every)
    counting = replace(counting, blanks=_blanks(query), windows=_windows(query), unread=bool(query.declared))
    # This text is not used: writing it counts the namespaces and bases that the second text declares.
    _lines(query, counting)
    if language.manner.declares_all and not (counting.windows or query.merged):
        raise counting.cannot("a query without a window", "each of its queries has a window")
    dialect = replace(counting, prefixes=choose_prefixes(counting.used), base=_base(counting))
    text = "".join(f"{line}\n" for line in _lines(query, dialect))
    expressions = (term for part in parts(query.pattern) for term in expressions_of(part))
    booleans = any(call.function == "EBV" for term in expressions for call in calls(term))
    return f'VERSION "1.2"\n{text}' if booleans or needs_12(text) else text


def _base(counting: Dialect) -> str:
    """Return the BASE for the text, if calls of IRI(..) need one; "" for no BASE."""
    if len(counting.bases) > 1:
        text = " and ".join(sorted(f"<{base}>" if base else "none" for base in counting.bases))
        raise counting.cannot(f"the bases {text} of IRI", "a query has one BASE")
    return next(iter(counting.bases), "")


def _lines(query: EngineQuery, dialect: Dialect) -> group_text.Lines:
    forms, read = dialect.language.manner.forms, query.language is dialect.language
    if query.form not in forms and not read:  # What a grammar reads beyond the language is written again.
        raise dialect.cannot(query.form, f"its queries are those of {' and '.join(forms)}")
    selected = query.result if query.form == "SELECT" else ()
    level = group_text.take_apart(query.pattern, selected, query.modifiers, dialect)
    clauses = group_text.clauses_of(level, dialect)
    head = _head(query, clauses, dialect)
    at_pattern = dialect.language.manner.operators_at == "pattern"
    body = clauses.body(query.modifiers, operator_of(query, dialect) if at_pattern else "")
    prologue = [f"BASE {dialect.full(Iri(dialect.base))}"] if dialect.base else []
    prologue += [f"PREFIX {name}: <{namespace}>" for namespace, name in dialect.prefixes.items()]
    header, first = write_header(query, dialect), dialect.language.manner.header_first
    before = header + prologue if first else prologue + header
    return [*before, *head, *write_dataset(query, dialect), *body, *write_footer(query, dialect)]


def _head(query: EngineQuery, clauses: group_text.Clauses, dialect: Dialect) -> group_text.Lines:
    """Return the clause of the query's form, with the operator that some languages write next to SELECT."""
    at = dialect.language.manner.operators_at
    operator = operator_of(query, dialect) if at in ("before", "behind") else ""
    words = (operator, query.form) if at == "before" else (query.form, operator)
    start = " ".join(filter(None, words))
    match query.form:
        case "SELECT":
            items = clauses.items(query.pattern, query.result)
            return [" ".join(filter(None, (start, query.modifiers.duplicates, items)))]
        case "ASK":
            return [start]
        case "CONSTRUCT":
            lines = group_text.write_triples(query.template, replace(dialect, blanks=frozenset()))
            return group_text.in_braces(start, lines)
        case "DESCRIBE":
            return [f"{start} {' '.join(map(dialect.name, query.described)) or '*'}"]


def _windows(query: EngineQuery) -> Windows:
    """Return each declared window with a name, including windows that no block reads."""
    blocks = (part for part in parts(query.pattern) if isinstance(part, patterns.StreamBlock))
    read = (StreamBlock(block.stream, block.window) for block in blocks if isinstance(block.stream, Iri))
    declared = (*dict.fromkeys(read), *query.declared)
    return tuple((part, f"w{number}") for number, part in enumerate(declared, 1))


def _blanks(query: EngineQuery) -> frozenset[Variable]:
    """Return the variables to write as blank nodes; the set is empty if all results have names.

    Blank nodes keep variables out of SELECT *, DESCRIBE * and COUNT(DISTINCT *). A variable that occurs in
    several basic graph patterns is not written as a blank node, because a blank node is local to one pattern.
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
        if times == 1 and name not in compared.union(query.result) and _BLANK.fullmatch(name.name)
    )


def _says_star(part: patterns.Pattern) -> bool:
    match part:
        case patterns.Select(_, result, _):
            return not result
        case patterns.Group(_, _, aggregates):
            return any(group_text.counts_tuples(aggregation) for _, aggregation in aggregates)
        case _:
            return False
