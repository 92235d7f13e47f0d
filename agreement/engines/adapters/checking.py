"""What an adapter gets wrong: it is run on small queries, and told in one line for each thing tried."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.documents.outputs import first_few, quantity
from agreement.documents.recordings import Push
from agreement.documents.values import cut
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import (
    EngineAnswers,
    FailedEngineError,
    ProfileReply,
    RefusedQueryError,
    Registration,
    answers_of,
)
from lars.language.terms import XSD

_TO_END: Final = 10.0
"""How many seconds a process has to end once its input has."""
_S: Final = "<http://e/S>"
_TERMS: Final = (
    "<http://e/a>",
    '"a"',
    '"a \\"quoted\\" \\\\ line\\nfeed, é and 𝄞"',
    '"a"@en',
    f'"1"^^<{XSD}integer>',
    f'"01"^^<{XSD}integer>',
    '"x"^^<http://e/unknown>',
)
"""What comes back as it went in."""
_RSPQL: Final = (
    "PREFIX : <http://e/>\nREGISTER {register} <http://e/out> AS\nSELECT ?s ?a\n"
    "FROM NAMED WINDOW :w ON {stream} [RANGE {length} STEP {length}]\nWHERE {{\nWINDOW :w {{ ?s :p ?a . }} }}"
)


@dataclass(frozen=True, slots=True)
class _Tried:
    """A query that answers the object of each triple, in windows so many milliseconds long."""

    query: str
    milliseconds: float


_QUERIES: Final = (
    _Tried(_RSPQL.format(register="RStream", stream="STREAM :S", length="4"), 4),
    _Tried(_RSPQL.format(register="RSTREAM", stream=_S, length="4"), 4),
    _Tried(_RSPQL.format(register="RStream", stream="STREAM :S", length="PT4S"), 4000),
    _Tried(
        "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?s ?a FROM STREAM <http://e/S> "
        "[RANGE 4s STEP 4s] WHERE { ?s :p ?a }",
        4000,
    ),
    _Tried("PREFIX : <http://e/> SELECT ?s ?a WHERE { STREAM <http://e/S> [RANGE 4s] { ?s :p ?a } }", 4000),
)


@dataclass(frozen=True, slots=True)
class AdapterCheck:
    """One thing that was tried; `problem` is what is wrong, None where nothing is, `advice` what might be."""

    name: str
    problem: str | None = None
    advice: str | None = None


def checks_of(command: str, silence: float, query: str | None = None) -> Iterator[AdapterCheck]:
    """Yield what is tried of an adapter; after a failure of the process what needs it is left out.

    `query` is one that its engine takes, where the usual ones are refused.
    """
    tries = _QUERIES if query is None else (_Tried(query, 1000),)
    with RunningAdapter(command, silence) as adapter:
        yield from _guarded("open", _checks(adapter, tries))


def _guarded(name: str, checks: Iterator[AdapterCheck]) -> Iterator[AdapterCheck]:
    """Yield what is tried, and the failure that ends it, if one does."""
    try:
        yield from checks
    except FailedEngineError as error:
        yield AdapterCheck(name, str(error))


def _checks(adapter: RunningAdapter, tries: Sequence[_Tried]) -> Iterator[AdapterCheck]:
    refusals: list[str] = []
    for tried in tries:
        registration = Registration(tried.query)
        try:
            session = adapter.open(registration)
        except RefusedQueryError as error:
            refusals.append(str(error))
            continue
        profile = session.profile
        yield AdapterCheck("open", None, _advice(profile))
        session.close()
        yield from _guarded("push", _runs(adapter, registration, tried, profile))
        yield from _guarded("a query that cannot be read", _unreadable(adapter))
        yield from _guarded("the end", _end(adapter, registration))
        return
    sentence = f"refuses every query that is tried, the first with: {cut(refusals[0])}"
    yield AdapterCheck("open", f"{sentence}; accepted: a QUERY beside --check that the engine takes")


def _advice(profile: ProfileReply) -> str | None:
    if not any(character.isdigit() for character in profile.engine):
        return f"the engine is called {profile.engine!r}: with its version answers can be told apart later"
    return None


def _runs(
    adapter: RunningAdapter, registration: Registration, tried: _Tried, profile: ProfileReply
) -> Iterator[AdapterCheck]:
    pushes = _pushes(tried.milliseconds)
    first = answers_of(adapter, registration, pushes)
    yield _reported(first, len(pushes))
    yield _terms(first, profile)
    yield _times(first, pushes)
    problem = f"{quantity(len(first.flush), 'report')} at close; accepted: none, or flushes: true at open"
    yield AdapterCheck("close", problem if first.flush and not profile.flushes else None)
    second = answers_of(adapter, registration, pushes)
    name = "open starts anew" if profile.fresh else "a process a run"
    problem = "a second run in one process answers otherwise; accepted: the same, or fresh: false at open"
    yield AdapterCheck(name, None if first.same(second) or not profile.fresh else problem)
    adapter.end()
    third = answers_of(adapter, registration, pushes)
    problem = "another process answers otherwise: answers come late, or depend on real time or chance"
    yield AdapterCheck("another process", None if first.same(third) else problem)
    session = adapter.open(registration)
    replies = session.push([Push(tried.milliseconds, "<http://e/unread>", ("<http://e/a>",) * 3)])
    yield AdapterCheck(
        "a stream that is not read", None, replies[0].refused and "refused: " + replies[0].refused
    )
    if profile.advances:
        session.advance(3 * tried.milliseconds)
        yield AdapterCheck("advance")
    session.close()


def _pushes(length: float) -> list[Push]:
    pushes = [
        Push((place + 1) * length / 4, _S, (f"<http://e/s{place}>", "<http://e/p>", term))
        for place, term in enumerate(_TERMS)
    ]
    last = pushes[-1].t
    return [
        *pushes,
        *(Push(last + n * length, _S, ("<http://e/s>", "<http://e/p>", "<http://e/z>")) for n in (1, 2)),
    ]


def _reported(answers: EngineAnswers, pushed: int) -> AdapterCheck:
    rows = sum(len(report.rows) for _, report in answers.reports)
    advice = None
    if not rows:
        advice = f"no row in {quantity(pushed, 'push')} although windows close: is a report waited for?"
    if answers.rejected:
        number, why = next(iter(answers.rejected.items()))
        advice = f"push {number} is refused: {why}"
    return AdapterCheck("push", None, advice)


def _terms(answers: EngineAnswers, profile: ProfileReply) -> AdapterCheck:
    reports = [report for _, report in answers.reports] + list(answers.flush)
    terms = {text for report in reports for row in report.rows for text in row.values() if text is not None}
    known = {*_TERMS, "<http://e/z>", "<http://e/s>", *(f"<http://e/s{n}>" for n in range(len(_TERMS)))}
    wrong = sorted(terms - known) if profile.kinds else []
    problem = f"{cut(first_few(wrong, 3))} in rows: no term that was pushed" if wrong else None
    return AdapterCheck("terms", problem)


def _times(answers: EngineAnswers, pushes: Sequence[Push]) -> AdapterCheck:
    last = max(push.t for push in pushes)
    odd = [report.t for _, report in answers.reports if report.t > 2 * last]
    problem = (
        f"a report at {odd[0]:g} ms, the last push at {last:g}; accepted: times in time_unit" if odd else None
    )
    return AdapterCheck("times of reports", problem)


def _unreadable(adapter: RunningAdapter) -> Iterator[AdapterCheck]:
    name = "a query that cannot be read"
    try:
        adapter.open(Registration("no query {")).close()
    except RefusedQueryError:
        yield AdapterCheck(name)
    else:
        yield AdapterCheck(name, None, 'it is taken; better {"error": "what is wrong"}, or nobody will know')


def _end(adapter: RunningAdapter, registration: Registration) -> Iterator[AdapterCheck]:
    answers_of(adapter, registration, ())
    noise = adapter.noise
    problem = None if adapter.end(_TO_END) else "the process does not end when its standard input does"
    advice = f"{quantity(noise, 'line')} on standard output that are no replies; better on standard error"
    yield AdapterCheck("the end", problem, advice if noise else None)
