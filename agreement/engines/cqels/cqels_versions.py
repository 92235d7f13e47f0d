"""CQELS as it runs: 1.x with its rules Q1 to Q6, and as it was recorded in 2011 to 2013.

The specification: at each arriving triple the whole query is evaluated over the windows [now - L,
now], SLIDE ignored, and what is new since the arrival before is reported (ISTREAM).
"""

from collections.abc import Sequence
from typing import Final

from agreement.documents.recordings import Push, Recording
from agreement.engines.cqels.join_plan import StaticData
from agreement.engines.cqels.machine import CqelsMachine, CqelsStages, Expiry, LiveJoins
from agreement.engines.cqels.query_text import CqelsBody, WrittenQuery, as_parsed, query_with_text, read_body
from agreement.engines.cqels.reports import CqelsReports, head_of
from agreement.engines.engine import Engine, EngineRule, Off, columns
from lars.errors import LarsError
from solver.facts import Static
from translate.model.query import EngineQuery, Form

_RULES_1X: Final = (
    EngineRule(
        "Q1",
        "each triple pattern in STREAM has a buffer of its own, which only its own matches purge: what has "
        "expired still joins; FILTER in STREAM is ignored; static elements are evaluated once, DISTINCT",
    ),
    EngineRule(
        "Q2",
        "the patterns that a triple matches are gone through one after the other, more constants first",
    ),
    EngineRule(
        "Q3",
        "with SLIDE or TUMBLING a buffer is purged only once per slide; NOW keeps the last match; "
        "durations in h and d lose their last digit",
    ),
    EngineRule(
        "Q4",
        "what shares no variable is not joined: a cross product gives partial rows; a FILTER whose "
        "variables are never all bound is not applied",
    ),
    EngineRule("Q5", "one row for each joined mapping, at once; DISTINCT, ORDER BY and LIMIT are ignored"),
    EngineRule(
        "Q6",
        "aggregates are looked up for each joined mapping in the plan of the first stream pattern; "
        "of nothing they give one row",
    ),
)
_RULES_2011: Final = (
    EngineRule(
        "2011a",
        "the patterns of a STREAM block share one window, which purges the last pattern's buffer only: "
        "the others still see older triples",
    ),
    EngineRule(
        "2011b",
        "patterns that share no variable are never joined, and a FILTER spanning them is dropped",
    ),
    EngineRule(
        "2011c",
        "one evaluation per triple: a row for each mapping that it completes, and none when triples expire",
    ),
)


def _recorded_1x(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what the engine reports, a report for each row.

    FILTERs inside STREAM and durations are seen if the query has its text (`read_written`). Raises
    LarsError for a query that the engine cannot parse or register.
    """
    read = query_with_text(query) if "Q3" in off else as_parsed(query)
    stages = CqelsStages(
        Expiry.ALL if "Q1" in off else Expiry.OWN,
        registered="Q1" not in off,
        one_by_one="Q2" not in off,
        slides="Q3" not in off,
        planned="Q4" not in off,
        each="Q5" not in off,
        looked_up="Q6" not in off,
    )
    return _recorded(CQELS_1X.name, stages, read, static, pushes)


CQELS_1X: Final = Engine("cqels-1.x", "cqels", _RULES_1X, _recorded_1x, timed=False)


def _recorded_2011(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return what the engine reports; raises LarsError but for SELECT with a triple pattern in STREAM."""
    stages = CqelsStages(
        Expiry.ALL if "2011a" in off else Expiry.LAST,
        registered=False,
        one_by_one=False,
        slides=False,
        planned="2011b" not in off,
        each="2011c" not in off,
        looked_up=False,
    )
    return _recorded(CQELS_2011.name, stages, query_with_text(query), static, pushes)


CQELS_2011: Final = Engine("cqels-2011", "cqels", _RULES_2011, _recorded_2011, timed=False)
"""The engine of functional-testing-2013 and csrbench-2013."""


def _recorded(
    name: str, stages: CqelsStages, query: WrittenQuery, static: Static, pushes: Sequence[Push]
) -> Recording:
    """Return what is reported of a query with its text as the engine's parser takes it.

    Raises LarsError for a query that cannot be run: one without a triple pattern in STREAM, or
    other than SELECT; or with elements in STREAM that the engine leaves out, where it is not to.
    """
    if query.form is not Form.SELECT:
        raise LarsError(f"{query.source}: found {query.form.value}; {name} is known for SELECT only")
    body = read_body(query.text, query.source, query.base)
    _check(body, query.source, registered=stages.registered)
    head = head_of(query)
    data = StaticData(static, query.dataset)
    whole = not stages.each if head.group is None else not stages.looked_up
    live = LiveJoins() if whole else None
    machine = CqelsMachine(body, stages, data, head.variables, live)
    return Recording(columns(query), tuple(CqelsReports(machine, head).of(pushes)))


def _check(body: CqelsBody, source: str, *, registered: bool) -> None:
    if not body.triples:
        problem = "found no triple pattern in a STREAM block; accepted: one at least, which triples can match"
        raise LarsError(f"{source}: {problem}")
    if body.errors and not registered:
        raise body.errors[0]
