"""Test an adapter with small queries; each test gives one result."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TextIO

from agreement.documents.outputs import first_few, plain, quantity
from agreement.documents.recordings import Push, as_lexical
from agreement.documents.requests import read_once, sources
from agreement.engines.adapters import messages
from agreement.engines.adapters.client import RunningAdapter
from lars.dataclass import dataclass
from lars.errors import LarsError, cut
from lars.language.terms import XSD, Iri, Variable
from solver.facts import Triple
from translate.analysis import parts
from translate.model.patterns import Bgp, StreamBlock, TriplePattern
from translate.model.query import EngineQuery
from translate.model.windows import Range

_TO_END: Final = 10.0
"""The maximum number of seconds in which an adapter must end after the end of its input."""
_S: Final = "<http://e/S>"
_REST: Final = "<http://e/z>"
_PATTERN: Final = TriplePattern(Variable("s"), Iri("http://e/p"), Variable("a"))
_PLAIN: Final = re.compile(r"\bRANGE\s+([0-9]+)(?![\w.])", re.IGNORECASE)
"""A window length without a unit; the number counts the unit of the timestamps."""
_BLANK: Final = "_:b"
"""A blank node that the engine may report with any label."""
_KINDS: Final = (
    ("an IRI", "<http://e/a>"),
    ("a text", '"a"'),
    ("a text with quotes and other letters", '"a \\"quoted\\" \\\\ line\\nfeed, é and 𝄞"'),
    ("a text with a language", '"a"@en'),
    ("an integer", f'"1"^^<{XSD}integer>'),
    ("a literal of an unknown datatype", '"x"^^<http://e/unknown>'),
    ("a blank node", _BLANK),
)
"""Terms that the engine must report unchanged, each at least once."""
_OTHER_FORM: Final = f'"01"^^<{XSD}integer>'
"""An integer that engines report as 1 if they store numbers by value."""
_TERMS: Final = (*(term for _, term in _KINDS), _OTHER_FORM, _BLANK)
"""The tested terms. The last term is a second blank node, because a label is valid in one message only."""
_CLOSING: Final = 4
"""The number of window lengths for which further triples are pushed, so that all windows close."""
_RSPQL: Final = (
    "PREFIX : <http://e/>\nREGISTER {register} <http://e/out> AS\nSELECT ?s ?a\n"
    "FROM NAMED WINDOW :w ON {stream} [RANGE {length} STEP {length}]\nWHERE {{\nWINDOW :w {{ ?s :p ?a . }} }}"
)


@dataclass(frozen=True, slots=True)
class _Tried:
    """A query with which an adapter is tested, and the length of its windows in ms or in the adapter's unit.

    If `unitless` is true, the query gives the length without a unit. `patterns` are the triple patterns with
    their streams. `carrier` is the variable whose terms are tested, or None.
    """

    query: str
    length: float
    unitless: bool = False
    patterns: tuple[tuple[str, TriplePattern], ...] = ((_S, _PATTERN),)
    carrier: Variable | None = Variable("a")

    def pushes(self, unit: float, *, apart: bool) -> list[Push]:
        """Return the triples to push in a test: all tested terms in one window, or each in its own window.

        With `apart`, each term has its own window. After the triples with tested terms, further triples close
        the windows. No triple is at a multiple of the window length, because engines assign such a triple to
        different windows. If the length is one time unit, all triples are at multiples of the length.
        """
        length = max(1, int(self.length * (1 if self.unitless else 1 / unit)))
        step = max(1, length // 4)
        inside = [quarter for quarter in (1, 2, 3) if quarter * step < length] or [1]
        pushes: list[Push] = []
        for place, term in enumerate(_TERMS):
            quarters = inside if apart else (inside[place % len(inside)],)
            pushes += (
                Push(
                    (place * length * apart + quarter * step) * unit,
                    stream,
                    self._triple(pattern, term, place),
                )
                for quarter in quarters
                for stream, pattern in self.patterns
            )
        pushes.sort(key=lambda push: push.t)
        last = len(_TERMS) * length * apart
        times = [(last + n * length + step) * unit for n in range(1, _CLOSING + 1)]
        rest = [Push(t, stream, (_REST, "<http://e/p>", _REST)) for t in times for stream in self.streams]
        return [*pushes, *rest]

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that the query reads."""
        return tuple(dict.fromkeys(stream for stream, _ in self.patterns))

    def _triple(self, pattern: TriplePattern, term: str, place: int) -> Triple:
        other = _subject(place)
        subject, predicate, object_ = (
            (term if part == self.carrier else other) if isinstance(part, Variable) else str(part)
            for part in pattern.terms
        )
        return subject, predicate, object_


def _subject(place: int) -> str:
    """Return the subject of the triple whose object is the tested term with the given number."""
    return f"<http://e/s{place}>"


def _tried(text: str) -> _Tried:
    """Return the query that a user gave for the tests.

    If `lars` cannot read the query, only the lengths of its windows are known.
    """
    lengths = [float(number) for number in _PLAIN.findall(text)]
    try:
        query = read_once(text, "query")
    except LarsError:
        return _Tried(text, max(lengths, default=1000), unitless=bool(lengths), carrier=None)
    ranges = [source.window for source in sources(query) if isinstance(source.window, Range)]
    spans = (max(span.length, span.slide or span.length).milliseconds for span in ranges)
    patterns = tuple(_patterns(query)) or ((_S, _PATTERN),)
    inner = {term for _, pattern in patterns for term in (pattern.subject, pattern.predicate)}
    objects = [pattern.object for _, pattern in patterns]
    carriers = (name for name in objects if isinstance(name, Variable) and name not in inner)
    carrier = next((name for name in carriers if name in query.result), None)
    return _Tried(text, max(spans, default=1000), bool(lengths), patterns, carrier)


def _patterns(query: EngineQuery) -> Iterator[tuple[str, TriplePattern]]:
    """Yield the triple patterns of a query, each with the stream that must contain its triples.

    In a language that merges all windows, each pattern is paired with the first stream.
    """
    merged = str(query.merged[0].stream) if query.merged else None
    for part in parts(query.pattern):
        match part:
            case StreamBlock(Iri() as stream, _, Bgp(triples)):
                yield from ((str(stream), triple) for triple in triples)
            case Bgp(triples) if merged is not None:
                yield from ((merged, triple) for triple in triples)
            case _:
                pass


_QUERIES: Final = (
    _Tried(_RSPQL.format(register="RStream", stream="STREAM :S", length="4"), 4, unitless=True),
    _Tried(_RSPQL.format(register="RSTREAM", stream=_S, length="4"), 4, unitless=True),
    _Tried(_RSPQL.format(register="RSTREAM", stream=_S, length="PT4S"), 4000),
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
    """The result of one test of an adapter; `problem` is an error or None, `advice` is a remark or None.

    If `skipped` is true, the test could not be run, for the reason in `advice`.
    """

    name: str
    problem: str | None = None
    advice: str | None = None
    skipped: bool = False

    @property
    def outcome(self) -> str:
        """The first word of the line about the test: ok, WRONG or skipped."""
        return "WRONG" if self.problem is not None else "skipped" if self.skipped else "ok"


def checks_of(
    command: str, silence: float, query: str | None = None, log: TextIO | None = None
) -> Iterator[AdapterCheck]:
    """Yield the results of the tests of an adapter; if its process fails, dependent tests are skipped.

    Args:
        command: The command that starts the adapter.
        silence: The maximum number of seconds to wait for a reply.
        query: A query that the engine accepts, if it rejects the usual queries.
        log: A file for all messages, or None.
    """
    tries = _QUERIES if query is None else (_tried(query),)
    with RunningAdapter(command, silence, log=log) as adapter:
        yield from _guarded(None, _checks(adapter, tries))


def _guarded(name: str | None, checks: Iterator[AdapterCheck]) -> Iterator[AdapterCheck]:
    """Yield the results of tests; if the engine fails, the last result is this failure.

    Without a name, the failure has the name of the message that has no valid reply.
    """
    try:
        yield from checks
    except messages.FailedEngineError as error:
        yield AdapterCheck(name or error.op or "open", str(error))


def _checks(adapter: RunningAdapter, tries: Sequence[_Tried]) -> Iterator[AdapterCheck]:
    refusals: list[str] = []
    for tried in tries:
        registration = messages.open_message(tried.query)
        try:
            session = adapter.open(registration)
        except messages.RefusedQueryError as error:
            refusals.append(str(error))
            continue
        profile = session.profile
        yield AdapterCheck("open", None, _advice(profile))
        session.close()
        yield from _guarded(None, _runs(adapter, registration, tried, profile))
        yield from _guarded("a query that cannot be read", _unreadable(adapter))
        yield from _guarded("the end", _end(adapter, registration))
        return
    sentence = f"the adapter rejects every query of the check, the first with: {refusals[0]}"
    yield AdapterCheck("open", f"{sentence}; use --check with a QUERY that the engine accepts")


def _advice(profile: messages.ProfileReply) -> str | None:
    if not any(character.isdigit() for character in profile.engine):
        return (
            f"the adapter gives only the name {profile.engine!r}; with a version in the name, answers "
            "of different versions can be distinguished later"
        )
    return None


def _runs(
    adapter: RunningAdapter, registration: messages.OpenMessage, tried: _Tried, profile: messages.ProfileReply
) -> Iterator[AdapterCheck]:
    unit = profile.unit.milliseconds
    pushes = tried.pushes(unit, apart=False)
    first = messages.answers_of(adapter, registration, pushes)
    runs = (first, messages.answers_of(adapter, registration, tried.pushes(unit, apart=True)))
    rows = [row for run in runs for row in _rows(run)]
    bracketed = not rows and _takes_brackets(adapter, registration, pushes)
    yield _reported(first, tried, rows, profile, bracketed=bracketed)
    yield _terms(rows, profile, tried)
    yield _blank_nodes(first, profile)
    yield _times(first, pushes)
    problem = (
        f"the adapter answers the message close with {quantity(len(first.flush), 'report')}; "
        "expected no report, or `flushes: true` in the reply to the message open"
    )
    yield AdapterCheck("close", problem if first.flush and not profile.flushes else None)
    second = messages.answers_of(adapter, registration, pushes)
    name = "open starts anew" if profile.fresh else "a process a run"
    problem = (
        'a second run in one process has other answers; return the same answers, or "fresh": '
        "false in the reply to open"
    )
    yield AdapterCheck(name, None if first.same(second) or not profile.fresh else problem)
    adapter.end()
    third = messages.answers_of(adapter, registration, pushes)
    problem = "another process has other answers: the answers come late, or depend on real time or on chance"
    yield AdapterCheck("another process", None if first.same(third) else problem)
    session = adapter.open(registration)
    replies = session.push([Push(unit, "<http://e/unread>", ("<http://e/a>",) * 3)])
    yield AdapterCheck(
        "a stream that is not read", None, replies[0].refused and "refused: " + replies[0].refused
    )
    if profile.advances:
        session.advance(pushes[-1].t)
        yield AdapterCheck("advance")
    session.close()


_Rows = Sequence[Mapping[str, str | None]]


def _rows(answers: messages.EngineAnswers) -> _Rows:
    reports = [report for _, report in answers.reports] + list(answers.flush)
    return [row for report in reports for row in report.rows]


def _takes_brackets(
    adapter: RunningAdapter, registration: messages.OpenMessage, pushes: Sequence[Push]
) -> bool:
    """Return whether the engine gives rows only for stream names in < and >, against the protocol."""
    bracketed = [replace(push, stream=f"<{push.stream}>") for push in pushes]
    return bool(_rows(messages.answers_of(adapter, registration, bracketed)))


def _reported(
    answers: messages.EngineAnswers,
    tried: _Tried,
    rows: _Rows,
    profile: messages.ProfileReply,
    *,
    bracketed: bool,
) -> AdapterCheck:
    name, named = tried.streams[0][1:-1], f"the stream {tried.streams[0][1:-1]}, named without < and >"
    if bracketed:
        return AdapterCheck(
            "push",
            f"the engine returns rows only if the name of the stream is in angle brackets, <{name}>; "
            "use names of streams without < and >",
        )
    if not rows:
        problem = f"no row for {quantity(len(answers.replies), 'push')} to {named}, although windows close"
        advice = messages.silent_hint(profile.time_unit)
        if answers.rejected:
            number, why = next(iter(answers.rejected.items()))
            advice = f"the adapter rejects push {number}: {why}"
        return AdapterCheck(
            "push", f"{problem}; reply to a push only after all reports that the push causes", advice
        )
    single = _singly(answers)
    advice = None if single is None else f"{single}; use one report with all rows of an evaluation"
    return AdapterCheck("push", None, advice or f"the engine reports rows of {named}")


def _singly(answers: messages.EngineAnswers) -> str | None:
    """Return a message about the first push that causes several reports of one time; None if no push does."""
    for number, reply in enumerate(answers.replies):
        kinds = Counter((report.t, report.window_from, report.window_to) for report in reply.reports)
        if kinds and max(kinds.values()) > 1:
            return f"push {number} has {max(kinds.values())} reports of one time"
    return None


def _terms(rows: _Rows, profile: messages.ProfileReply, tried: _Tried) -> AdapterCheck:
    """Return the result of the test whether RDF terms change, and which kinds of terms are missing."""
    seen = {_labelled(text) for row in rows for text in row.values() if text is not None}
    # What a query computes or names elsewhere is in no pushed triple.
    parts_of_patterns = (part for _, pattern in tried.patterns for part in pattern.terms)
    matched = {part.name for part in parts_of_patterns if isinstance(part, Variable)}
    bound = {_labelled(text) for row in rows for name, text in row.items() if text and name in matched}
    pushed = {_labelled(text) for push in tried.pushes(1, apart=True) for text in push.triple}
    wrong = sorted(bound - pushed) if profile.kinds else []
    if wrong:
        return AdapterCheck(
            "terms", f"rows contain {cut(first_few(wrong, 3))}, which no pushed triple contains"
        )
    if not rows:
        return AdapterCheck(
            "terms",
            "the adapter reported no row, so that the kinds of RDF terms were not tested; use an "
            "adapter that reports one row for each pushed triple",
        )
    if tried.carrier is None:
        advice = "the query selects no object of a triple, so that the kinds of terms could not be tested"
        return AdapterCheck("terms", None, advice, skipped=True)
    kinds = {kind: term if profile.kinds else as_lexical(term) for kind, term in _KINDS}
    if not profile.kinds:
        # Engines that print texts alone write a language in many ways, or not at all.
        seen = {as_lexical(term) or "" for term in seen}
        kinds = {kind: text for kind, text in kinds.items() if "language" not in kind}
    missing = [kind for kind, text in kinds.items() if text not in seen]
    problem = (
        (
            f"no row has {first_few(missing, len(missing))}; use an adapter that reports one row for "
            "each pushed triple"
        )
        if missing
        else None
    )
    return AdapterCheck("terms", problem)


def _blank_nodes(answers: messages.EngineAnswers, profile: messages.ProfileReply) -> AdapterCheck:
    """Return the result of the test that equal labels of two messages are two nodes in one report.

    The subject of a row shows which blank node the row contains. Labels of different reports are not
    compared.
    """
    name, one, other = "blank nodes", *map(_subject, (_TERMS.index(_BLANK), len(_TERMS) - 1))
    reports = (*(report for _, report in answers.reports), *answers.flush) if profile.kinds else ()
    tested = False
    for report in reports:
        texts = [frozenset(filter(None, row.values())) for row in report.rows]
        labels = [
            {text for row in texts if own in row and not_own not in row for text in row if text[:2] == "_:"}
            for own, not_own in ((one, other), (other, one))
        ]
        if all(labels):
            if len(set.union(*labels)) == 1:
                return AdapterCheck(
                    name,
                    f"the adapter reports the nodes {_BLANK} of two messages as one node, {min(labels[0])}; "
                    "use different labels for the blank nodes of different messages",
                )
            tested = True
    missing = None if tested else "no report contains two rows with blank nodes"
    return AdapterCheck(name, None, missing, skipped=not tested)


def _labelled(text: str) -> str:
    return _BLANK if text.startswith("_:") else text


def _times(answers: messages.EngineAnswers, pushes: Sequence[Push]) -> AdapterCheck:
    last = max(push.t for push in pushes)
    times = [report.t for _, report in answers.reports]
    hint = messages.unit_hint(times, last)
    odd = [t for t in times if t > 2 * last] or (times if hint else [])
    problem = (
        (
            f"a report has the time {plain(odd[0])} ms, but the last push has the time {plain(last)} ms; "
            f"{hint or 'use times in the time_unit of the adapter'}"
        )
        if odd
        else None
    )
    return AdapterCheck("times of reports", problem)


def _unreadable(adapter: RunningAdapter) -> Iterator[AdapterCheck]:
    name = "a query that cannot be read"
    try:
        adapter.open(messages.open_message("no query {")).close()
    except messages.RefusedQueryError:
        yield AdapterCheck(name)
    else:
        yield AdapterCheck(
            name,
            None,
            'the adapter accepts an invalid query; reply {"error": "REASON"} to an invalid '
            "query, because users "
            "see no problem otherwise",
        )


def _end(adapter: RunningAdapter, registration: messages.OpenMessage) -> Iterator[AdapterCheck]:
    messages.answers_of(adapter, registration, ())
    noise = adapter.noise
    problem = (
        None
        if adapter.end(min(_TO_END, adapter.silence))
        else "the process continues after its standard input ends"
    )
    advice = (
        f"{quantity(noise, 'line')} on standard output are not replies; use standard error for other output"
    )
    yield AdapterCheck("the end", problem, advice if noise else None)
