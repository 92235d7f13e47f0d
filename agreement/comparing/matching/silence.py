"""Explain why a query never returns a row: find the smallest parts of its graph pattern without a match."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import Final, assert_never

from agreement.documents.outputs import quantity
from agreement.documents.traces import Trace
from lars.language.windows import Interval
from solver.job import Question
from translate.analysis import in_local_names
from translate.analysis import parts as every_part
from translate.model import patterns as algebra
from translate.model.query import MERGING, EngineQuery

MOST: Final = 3
"""The maximum number of parts without a match that a message names."""

_NEAR: Final = 0.7
"""The least similarity of two local names, of which one may be a wrong spelling of the other."""
_CUT: Final = "LIMIT or OFFSET removes every solution"
_IN_STATIC: Final = " in the static data"
_NO_STATIC: Final = "the static data are empty: add static data with --static FILE"
HasRows = Callable[[EngineQuery], bool]
_Within = Callable[[algebra.Pattern], algebra.Pattern]


def silence(
    who: str, query: EngineQuery, has_rows: HasRows, when: str = "", trace: Trace | None = None
) -> str:
    """Return the message that a system never returns a row, with the parts of the query without a match.

    Args:
        who: The name of the system.
        query: The query.
        has_rows: A function that returns whether a query has a row at any time.
        when: The times for which rows were requested, as text; "" means all times.
        trace: The trace, with which the message names predicates of the query that occur nowhere in the data.
    """
    # Branches of a UNION often share patterns, and each search is an evaluation of the trace.
    has_rows = cache(has_rows)
    texts = list(dict.fromkeys(_unmatched(query, query.pattern, _itself, has_rows)))
    if (left := len(texts) - MOST) > 0:
        texts[MOST:] = [f"{quantity(left, 'more part')} {'has' if left == 1 else 'have'} no solution"]
    never = f"returns no row{when}" if when else "never returns a row"
    absent = () if trace is None else tuple(_absent(query, trace))
    unnamed = len(absent) - MOST
    verb = "does" if unnamed == 1 else "do"
    more = [f"{quantity(unnamed, 'more predicate')} {verb} not occur"] if unnamed > 0 else []
    if trace is not None and any(text.endswith(_IN_STATIC) for text in texts):
        more += [_NO_STATIC] if not any(trace.background.get(("triple", 4), ())) else []
    unknown = "".join(f"; {text}" for text in (*absent[:MOST], *more))
    return f"{who} {never}: {' and '.join(texts) or _nothing_made(query, has_rows)}{unknown}"


def _absent(query: EngineQuery, trace: Trace) -> Iterator[str]:
    """Yield a text for each predicate of a query that neither the trace nor the static data contain."""
    known = {predicate for _, predicate in trace.predicates()}
    known.update(row[1] for row in trace.background.get(("triple", 4), ()))
    bgps = (part for part in every_part(query.pattern) if isinstance(part, algebra.Bgp))
    predicates = dict.fromkeys(str(triple.predicate) for bgp in bgps for triple in bgp.triples)
    # Most IRIs of one data set begin with the same letters.
    names = {_local(predicate): predicate for predicate in sorted(known)}
    for predicate in predicates:
        if predicate.startswith("<") and predicate not in known and known:
            near = get_close_matches(_local(predicate), names, 1, _NEAR)
            similar = f", but {names[near[0]]} occurs" if near else ""
            yield f"the predicate {predicate} does not occur in the data{similar}"


def _local(iri: str) -> str:
    """Return the part of an IRI after the last /, # or colon.

    >>> _local("<http://example.org/a#b>"), _local("<urn:p>")
    ('b', 'p')
    """
    return re.split(r"[/#:]", iri.strip("<>"))[-1]


def _nothing_made(query: EngineQuery, has_rows: HasRows) -> str:
    """Return a text with the reason why a query returns no row, although its pattern has solutions."""
    if query.modifiers.slices and has_rows(replace(query, modifiers=algebra.UNMODIFIED)):
        return _CUT
    match query.form:
        case "CONSTRUCT":
            return (
                "its template gives no triple, because a term is unbound, the subject is a literal, or the "
                "predicate is no IRI"
            )
        case "DESCRIBE":
            return "its default graph contains no triple about the described resources"
        case "SELECT" | "ASK":
            return "its pattern has solutions, but they produce no row"
        case _:
            assert_never(query.form)


def rows_on(
    trace: Trace, question: Callable[[EngineQuery], Question], within: Interval | None = None
) -> HasRows:
    """Return a function that returns whether a query has a row at an evaluation time on a trace."""
    plain = trace.without_certification()
    return lambda query: any(size for _, size in plain.answers([question(query)], within)[0].parts)


def _itself(pattern: algebra.Pattern) -> algebra.Pattern:
    return pattern


def _unmatched(
    query: EngineQuery, pattern: algebra.Pattern, within: _Within, has_rows: HasRows
) -> Iterator[str]:
    """Yield messages about the smallest parts of a pattern that have no solution.

    If the pattern has solutions, the function yields nothing. The argument `within` puts a part of the
    pattern into its graph or stream.
    """
    if has_rows(replace(query, form="ASK", result=(), pattern=within(pattern), modifiers=algebra.UNMODIFIED)):
        return
    inside = tuple(_parts(pattern, within))
    texts = [text for part, around in inside for text in _unmatched(query, part, around, has_rows)]
    whole = within(pattern)
    merged = query.language in MERGING and not isinstance(whole, algebra.Graph | algebra.Service)
    where = " at any time of evaluation" if merged or isinstance(whole, algebra.StreamBlock) else _IN_STATIC
    if not isinstance(pattern, algebra.Bgp | algebra.PathPattern) or isinstance(whole, algebra.Service):
        where = ""
    alone = ", although each of its parts has solutions"
    (text,) = in_local_names(f"{whole}") if inside else (f"{whole}",)
    cut = isinstance(pattern, algebra.Select) and pattern.modifiers.slices
    why = f"{_CUT} of {text}" if cut else f"no solution matches {text}{alone if inside else where}"
    yield from texts or [why]


def _parts(pattern: algebra.Pattern, within: _Within) -> Iterable[tuple[algebra.Pattern, _Within]]:
    """Return the direct parts of a pattern: without a match of these parts, the pattern has no solution.

    The direct parts of a union are all its branches, because each solution needs one of the branches.
    """
    match pattern:
        case algebra.Bgp(triples):
            return [(algebra.Bgp((triple,)), within) for triple in triples] if len(triples) > 1 else ()
        case algebra.PathPattern() | algebra.Values():
            return ()
        case algebra.StreamBlock(_, _, inner):
            return [(part, _around(pattern, around)) for part, around in _parts(inner, within)]
        case algebra.Graph(_, inner) | algebra.Service(_, inner):
            return [(inner, lambda part: within(replace(pattern, pattern=part)))]
        case algebra.Join(left, right):
            return [(left, within), (right, within)]
        case algebra.Union():
            return [(branch, within) for branch in _branches(pattern)]
        case algebra.LeftJoin(left, _) | algebra.Minus(left, _):
            return [(left, within)]
        case algebra.Filter(inner) | algebra.Extend(inner) | algebra.Group(inner) | algebra.Select(inner):
            return [(inner, within)]
        case _:
            assert_never(pattern)


def _branches(pattern: algebra.Pattern) -> Iterator[algebra.Pattern]:
    """Yield the branches of a union from left to right.

    A union of n branches is n - 1 nested unions, and none of them has a solution if the whole has none: to
    search each of them again would take n squared evaluations of a branch.
    """
    if isinstance(pattern, algebra.Union):
        yield from _branches(pattern.left)
        yield from _branches(pattern.right)
    else:
        yield pattern


def _around(block: algebra.StreamBlock, within: _Within) -> _Within:
    def found(part: algebra.Pattern) -> algebra.Pattern:
        assert isinstance(part, algebra.Bgp | algebra.PathPattern)
        return within(replace(block, pattern=part))

    return found
