"""What becomes of joined rows: all variables as they are, or what the rest of the query says of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agreement.engines.engine import answers, columns
from agreement.engines.kolibrie.bindings import TextBinding
from agreement.engines.kolibrie.plan import KolibriePlan
from lars.language.terms import Variable
from solver.facts import Row, Static, constant_of
from translate.model import patterns as algebra
from translate.model.patterns import EMPTY, UNMODIFIED, variables
from translate.model.query import EngineQuery
from translate.tau import in_order


@dataclass(frozen=True, slots=True)
class KolibrieHead:
    """The columns of the answers, and the rows that a bag of bindings becomes."""

    names: tuple[str, ...]
    rows: Callable[[Sequence[TextBinding]], tuple[Row, ...]]


def head_of(  # noqa: PLR0913  (what the rows are, and the two rules that a head depends on)
    query: EngineQuery,
    plan: KolibriePlan,
    static: Static,
    terms: Mapping[str, str],
    *,
    filters: bool,
    selects: bool,
) -> KolibrieHead:
    """Return the head of a query whose rows are texts, which `terms` are the terms of.

    With `filters` what stands outside of windows is honoured, with `selects` what SELECT says: then the
    rows are given to SPARQL as a table, in the place of the windows and of the static patterns.
    """

    def whole(found: Sequence[TextBinding]) -> tuple[Row, ...]:
        return tuple(tuple(terms[row[name]] for name in plan.names) for row in found)

    if not filters and not selects:
        return KolibrieHead(plan.names, whole)
    empty = _asked(query, plan, (), filters=filters, selects=selects)

    def evaluated(found: Sequence[TextBinding]) -> tuple[Row, ...]:
        asked = _asked(query, plan, whole(found), filters=filters, selects=selects)
        return answers(asked, [{}], static)[0]

    return KolibrieHead(columns(empty), evaluated)


def _asked(
    query: EngineQuery, plan: KolibriePlan, rows: Sequence[Row], *, filters: bool, selects: bool
) -> EngineQuery:
    names = tuple(map(Variable, plan.names))
    constants = (tuple(None if text is None else constant_of(text) for text in row) for row in rows)
    table = algebra.Values(names, tuple(constants))
    inner = _below_groups(query.pattern)
    body = _with_table(inner, [table]) if filters else table
    pattern = _above(query.pattern, inner, body) if selects else body
    result = query.result if selects else in_order(variables(body))
    modifiers = query.modifiers if selects else UNMODIFIED
    return replace(query, pattern=pattern, result=tuple(result), modifiers=modifiers, declared=())


def _below_groups(pattern: algebra.Pattern) -> algebra.Pattern:
    """Return what is grouped by a query with aggregates, else its whole pattern."""
    part = pattern
    while isinstance(part, algebra.Extend | algebra.Filter | algebra.Group):
        if isinstance(part, algebra.Group):
            return part.pattern
        part = part.pattern
    return pattern


def _above(pattern: algebra.Pattern, inner: algebra.Pattern, body: algebra.Pattern) -> algebra.Pattern:
    if pattern == inner:
        return body
    assert isinstance(pattern, algebra.Extend | algebra.Filter | algebra.Group)
    return replace(pattern, pattern=_above(pattern.pattern, inner, body))


def _with_table(pattern: algebra.Pattern, table: list[algebra.Pattern]) -> algebra.Pattern:
    """Return the pattern with the table in the place of its first triples, and nothing for the others."""
    match pattern:
        case algebra.Bgp() | algebra.StreamBlock():
            return table.pop() if table else EMPTY
        case algebra.Join(left, right):
            first = _with_table(left, table)
            return algebra.Join(first, _with_table(right, table))
        case algebra.Filter(inner) | algebra.Extend(inner) | algebra.Group(inner):
            return replace(pattern, pattern=_with_table(inner, table))
        case _:
            return pattern
