"""Graph patterns as groups of SPARQL text, the inverse of reading them (SPARQL 1.1, 18.2.2).

A group is read element by element: each is joined to, optional to, taken from or bound over all
that stands before it, and its filters apply to the whole group. So the left side of a pattern is
written by the elements before, and a pair of braces around one element changes nothing.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import assert_never

from translate.patterns import (
    Bgp,
    Exists,
    Extend,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    PathPattern,
    Pattern,
    Select,
    Service,
    StreamBlock,
    TriplePattern,
    Union,
    Values,
)
from translate.writing.dialect import Dialect
from translate.writing.expressions import EXISTS, Inline, write_expression, write_operand
from translate.writing.paths import write_path

Lines = list[str]


def braced(head: str, lines: Lines) -> Lines:
    """Return lines in braces, indented, after a head on the line of the {."""
    before = f"{head} " if head else ""
    return [f"{before}{{", *(f"  {line}" for line in lines), "}"] if lines else [f"{before}{{ }}"]


def write_group(pattern: Pattern, dialect: Dialect) -> Lines:
    """Return the lines between the braces of a group that is read as the pattern."""
    match pattern:
        case Filter(inner, condition, exists):
            inline = write_exists(exists, dialect)
            return [
                *_elements(inner, dialect),
                f"FILTER {write_operand(condition, dialect.terms, inline)}",
            ]
        case _:
            return _elements(pattern, dialect)


def write_exists(exists: Iterable[Exists], dialect: Dialect) -> Inline:
    """Return the text of each EXISTS of an expression, on one line."""
    return {test.variable: _exists(test, dialect) for test in exists}


def _exists(test: Exists, dialect: Dialect) -> str:
    lines = braced(EXISTS.strip(), write_group(test.pattern, dialect))
    return " ".join(line.strip() for line in lines)


def _elements(pattern: Pattern, dialect: Dialect) -> Lines:
    """Return lines whose elements, read one after the other, make the pattern."""
    match pattern:
        case Join(left, right):
            return [*_elements(left, dialect), *_joined(left, right, dialect)]
        case LeftJoin(left, right, None, _):
            # A filter of the optional group itself would be the condition.
            optional = braced("OPTIONAL", _elements(right, dialect))
            return [*_elements(left, dialect), *optional]
        case LeftJoin(left, right, condition, exists):
            inline = write_exists(exists, dialect)
            assert condition is not None
            last = f"FILTER {write_operand(condition, dialect.terms, inline)}"
            optional = braced("OPTIONAL", [*_elements(right, dialect), last])
            return [*_elements(left, dialect), *optional]
        case Minus(left, right):
            return [*_elements(left, dialect), *braced("MINUS", write_group(right, dialect))]
        case Extend(inner, variable, expression, exists):
            text = write_expression(expression, dialect.terms, write_exists(exists, dialect))
            bind = f"BIND ({text} AS {dialect.terms.variable(variable)})"
            return [*_elements(inner, dialect), bind]
        case Filter():
            return braced("", write_group(pattern, dialect))
        case _:
            return _element(pattern, dialect)


def _joined(left: Pattern, right: Pattern, dialect: Dialect) -> Lines:
    """Return the one element that joins the right side to what stands before it."""
    match right:
        case Bgp() if _ends_in_triples(left):
            return braced("", _element(right, dialect))
        case Join() | LeftJoin() | Minus() | Extend() | Filter():
            return braced("", write_group(right, dialect))
        case _:
            return _element(right, dialect)


def _ends_in_triples(pattern: Pattern) -> bool:
    """Whether triples that follow would be read as triples of the same basic graph pattern."""
    match pattern:
        case Bgp(triples):
            return bool(triples)
        case Join(left, Bgp(triples)):
            return bool(triples) and not _ends_in_triples(left)
        case _:
            return False


def _element(
    pattern: Bgp | PathPattern | StreamBlock | Union | Graph | Service | Values | Group | Select,
    dialect: Dialect,
) -> Lines:
    terms = dialect.terms
    match pattern:
        case Bgp(triples):
            return write_triples(triples, dialect)
        case PathPattern(subject, path, object_):
            return [f"{terms.term(subject)} {write_path(path, terms)} {terms.term(object_)} ."]
        case StreamBlock(_, _, inner):
            return braced(dialect.block(pattern), _element(inner, dialect))
        case Union(left, right):
            return _union(left, right, dialect)
        case Graph(name, inner):
            return braced(f"GRAPH {terms.name(name)}", write_group(inner, dialect))
        case Service(name, inner, silent):
            head = f"SERVICE {'SILENT ' if silent else ''}{terms.name(name)}"
            return braced(head, write_group(inner, dialect))
        case Values():
            dialect.values_inside()
            return write_values("VALUES", pattern, dialect)
        case Select():
            from translate.writing.select import write_subquery  # which imports this module

            return braced("", write_subquery(pattern, dialect))
        case Group():
            raise dialect.cannot("aggregates outside of SELECT", "the groups of GROUP BY are a query's own")
        case _:
            assert_never(pattern)


def write_triples(triples: Iterable[TriplePattern], dialect: Dialect) -> Lines:
    """Return triple patterns in their order; those that follow each other share their subject."""
    lines: Lines = []
    for subject, shared in groupby(triples, lambda triple: triple.subject):
        pairs = [
            f"{dialect.terms.predicate(one.predicate)} {dialect.terms.term(one.object)}" for one in shared
        ]
        ends = [";"] * (len(pairs) - 1) + ["."]
        rows = [f"{pair} {end}" for pair, end in zip(pairs, ends, strict=True)]
        lines += [f"{dialect.terms.term(subject)} {rows[0]}", *(f"  {row}" for row in rows[1:])]
    return lines


def _union(left: Pattern, right: Pattern, dialect: Dialect) -> Lines:
    before = (
        _union(left.left, left.right, dialect)
        if isinstance(left, Union)
        else braced("", write_group(left, dialect))
    )
    first, *rest = braced("", write_group(right, dialect))
    return [*before[:-1], f"{before[-1]} UNION {first}", *rest]


def write_values(word: str, values: Values, dialect: Dialect) -> Lines:
    """Return the table of VALUES or, with its own brackets, of BINDINGS."""
    terms = dialect.terms
    names = " ".join(map(terms.variable, values.names))
    head = f"{word} ({names})" if word == "VALUES" else f"{word} {names}"
    rows = (" ".join("UNDEF" if term is None else terms.term(term) for term in row) for row in values.rows)
    return braced(head, [f"({row})" for row in rows])
