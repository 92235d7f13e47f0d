"""The model of CQELS: version 1.x with the rules Q1 to Q6, and the version in recordings of 2011 to 2013.

`cqels_machine.py` implements Q1 to Q4, the joins of triples. `cqels_reports.py` implements Q5 and Q6, the
rows that are reported after a triple has been joined. In the specification, the whole query is evaluated at
each arriving triple over the windows [now - L, now], without SLIDE. The rows that are new since the previous
arrival are reported (ISTREAM).
"""

from collections.abc import Sequence
from typing import Final

from agreement.documents.recordings import Push, Recording
from agreement.engines.engine import Engine, EngineRule, Off, columns
from agreement.engines.versions import cqels_text
from agreement.engines.versions.cqels_machine import CqelsMachine, Expiry, LiveJoins, StaticData
from agreement.engines.versions.cqels_reports import CqelsReports, head_of
from lars.errors import LarsError
from solver.facts import Static
from translate.model.query import EngineQuery, Language

_RULES_1X: Final = (
    EngineRule(
        "Q1",
        "each triple pattern in STREAM has its own buffer. Only a match of this pattern "
        "removes expired triples from the buffer, so expired triples still join. FILTER "
        "inside STREAM is ignored. Static patterns are evaluated once, with DISTINCT",
    ),
    EngineRule(
        "Q2",
        "the patterns that match an arriving triple are processed one after another, patterns "
        "with more constants first",
    ),
    EngineRule(
        "Q3",
        "with SLIDE or TUMBLING, expired triples are removed only once per slide. NOW keeps "
        "the last match. Durations in h and d lose their last digit",
    ),
    EngineRule(
        "Q4",
        "patterns that share no variable are not joined: in place of a cross product, rows "
        "bind only some of the variables. A FILTER whose variables are never all bound is not "
        "applied",
    ),
    EngineRule(
        "Q5", "each joined solution is reported at once, as one row; DISTINCT, ORDER BY and LIMIT are ignored"
    ),
    EngineRule(
        "Q6",
        "aggregates are computed for each joined solution, from the plan of the first stream "
        "pattern. Without solutions, an aggregate gives one row",
    ),
)
_RULES_2011: Final = (
    EngineRule(
        "2011a",
        "the patterns of a STREAM block share one window, but only the buffer of the last "
        "pattern loses old triples: the other patterns still match older triples",
    ),
    EngineRule(
        "2011b",
        "patterns that share no variable are never joined, and a FILTER over several of these "
        "patterns is ignored",
    ),
    EngineRule(
        "2011c",
        "each arriving triple causes one evaluation, which reports only the solutions that "
        "this triple completes. Expired triples cause no evaluation",
    ),
)


def _check_language(query: EngineQuery, engine: str) -> None:
    """Raise LarsError if a text is not in CQELS, or if a query does not name the stream of each pattern."""
    is_other = isinstance(query, cqels_text.WrittenQuery) and query.language is not Language.CQELS
    if is_other or query.merged:
        raise LarsError(
            f"{engine} runs only CQELS queries; use a query with STREAM <iri> [RANGE ..] {{..}}, which `lars "
            "translate --to cqels` writes"
        )


def _selecting(query: cqels_text.WrittenQuery, engine: str) -> cqels_text.WrittenQuery:
    if query.form != "SELECT":
        raise LarsError(
            f"{query.source}: cannot run {query.form}: the rules of {engine} are known only for "
            "SELECT; use SELECT"
        )
    return query


def _recorded_1x(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of CQELS 1.x; each report has one row.

    If the rule Q3 is on and the text of the query is available, the function runs the query that the parser
    of CQELS 1.x reads from the text.

    Raises:
        LarsError: The engine cannot parse or register the query.
    """
    _check_language(query, CQELS_1X.name)
    read = cqels_text.query_with_text(query) if "Q3" in off else cqels_text.as_parsed(query)
    keeping: Expiry = "all" if "Q1" in off else "own"
    return _recorded(keeping, off, _selecting(read, CQELS_1X.name), static, pushes)


CQELS_1X: Final = Engine("cqels-1.x", "cqels", _RULES_1X, _recorded_1x, timed=False)


def _recorded_2011(query: EngineQuery, static: Static, pushes: Sequence[Push], off: Off) -> Recording:
    """Return the reports of CQELS of 2011.

    Raises:
        LarsError: The query is not a SELECT query with a triple pattern in STREAM.
    """
    _check_language(query, CQELS_2011.name)
    keeping: Expiry = "all" if "2011a" in off else "last"
    like_1x = {"2011b": "Q4", "2011c": "Q5"}
    others = frozenset(("Q1", "Q2", "Q3", "Q6", *(like_1x[name] for name in off if name in like_1x)))
    read = _selecting(cqels_text.query_with_text(query), CQELS_2011.name)
    return _recorded(keeping, others, read, static, pushes)


CQELS_2011: Final = Engine("cqels-2011", "cqels", _RULES_2011, _recorded_2011, timed=False)
"""The engine version of the recordings functional-testing-2013 and csrbench-2013."""


def _recorded(
    keeping: Expiry, off: Off, query: cqels_text.WrittenQuery, static: Static, pushes: Sequence[Push]
) -> Recording:
    """Return the reports of CQELS for a query that was read as the engine's parser reads it.

    The rules in `off` do not apply, and `keeping` defines which old triples are removed.

    Raises:
        LarsError: The query has no triple pattern in STREAM, or STREAM contains an unsupported element.
    """
    body = cqels_text.read_body(query.text, query.source, query.base)
    if not body.triples:
        problem = "found no triple pattern in a STREAM block; expected at least one triple pattern"
        raise LarsError(f"{query.source}: {problem}")
    if body.errors and "Q1" in off:
        raise body.errors[0]
    head = head_of(query)
    data = StaticData(static, query.dataset)
    live = LiveJoins() if ("Q5" if head.group is None else "Q6") in off else None
    machine = CqelsMachine(body, keeping, off, data, head.variables, live)
    return Recording(columns(query), tuple(CqelsReports(machine, head).of(pushes)))
