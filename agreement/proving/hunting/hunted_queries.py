"""Provide the queries of a hunt for faults: given queries, or generated queries in the engine's language."""

import re
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from fractions import Fraction
from math import inf, lcm
from time import monotonic
from typing import Final

from agreement.documents.outputs import plain
from agreement.documents.recordings import Push, static_of
from agreement.documents.requests import sources
from agreement.engines.adapters.messages import (
    FailedEngineError,
    OpenMessage,
    RefusedQueryError,
    StreamEngine,
    TimeIsUpError,
    answers_of,
    open_message,
    profile_of,
)
from agreement.engines.engine import read_with_text
from agreement.engines.specifications import NAMES
from agreement.proving.hunting.alphabets import Letter, alphabet
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from solver.facts import Static
from translate.model.query import EngineQuery, Language
from translate.model.windows import Range

_S: Final = "<http://e/S>"
_T: Final = "<http://e/T>"
_SECOND: Final = 1000.0


@dataclass(frozen=True, slots=True)
class HuntedQuery:
    """A query in a hunt for faults of an engine, with the data from which test streams are made.

    `tick` is a number of ms that divides the lengths of all windows. `windows` contains RANGE and STEP of
    each window, in ticks. `letters` contains the triples of test streams, each with its stream; the triples
    of a row come first.
    """

    name: str
    registration: OpenMessage
    read: EngineQuery
    static: Static
    tick: float
    windows: tuple[tuple[int, int], ...]
    letters: tuple[Letter, ...]


def hunted_query(
    name: str, registration: OpenMessage, language: Language | None = None, unit: Duration = MILLISECOND
) -> HuntedQuery:
    """Return a query for a hunt, with the sizes of windows as multiples of the engine's unit of time.

    Raises:
        LarsError: The query is unreadable, has no time-based window, or its windows are not multiples of the
        engine's unit.
    """
    read = read_with_text(registration.query, name, language)
    ranges = [source.window for source in sources(read) if isinstance(source.window, Range)]
    if not ranges:
        raise LarsError(f"{name}: no window with a RANGE; expected queries over windows of time")
    lengths = [span.length.milliseconds for span in ranges]
    slides = [None if span.slide is None else span.slide.milliseconds for span in ranges]
    # Engines accept whole milliseconds, and adapters whole units, so a tick is a multiple of both.
    least = float(lcm(unit.nanoseconds, MILLISECOND.nanoseconds) // MILLISECOND.nanoseconds)
    sizes = (*lengths, *filter(None, slides))
    tick = next((n for n in (_SECOND, least) if not n % least and not any(size % n for size in sizes)), 1.0)
    if tick % least:
        raise LarsError(
            f"{name}: the windows are not multiples of the adapter's time_unit, {unit}; use a RANGE and STEP "
            "that are multiples of this time_unit"
        )
    windows = tuple(
        (max(round(length / tick), 1), max(round((slide or tick) / tick), 1))
        for length, slide in zip(lengths, slides, strict=True)
    )
    held = static_of(registration.static)
    return HuntedQuery(
        name,
        registration,
        read,
        held,
        tick,
        windows,
        _ordered(alphabet(read, held)) if read.modifiers.order else alphabet(read, held),
    )


def _ordered(letters: tuple[Letter, ...]) -> tuple[Letter, ...]:
    """Return the triples without texts that have a language tag.

    SPARQL does not define the order of texts with a language tag.
    """
    return tuple(letter for letter in letters if '"@' not in letter[1][2])


_SIZES: Final = re.compile(r"\[\s*(?:RANGE|NOW)[^\]]*\]", re.IGNORECASE)
"""The RANGE and STEP of a window in the text of a query, in each query language."""


def with_exchanged_windows(query: HuntedQuery) -> HuntedQuery | None:
    """Return a query whose windows have their sizes in the reverse order; None for windows of one size.

    The query tells faults apart that use the size of the last, or of the shortest window for all windows.
    """
    text = query.registration.query
    sizes = _SIZES.findall(text)
    if len(set(query.windows)) < 2 or len(sizes) != len(query.windows):  # noqa: PLR2004
        return None
    turned = iter(sizes[::-1])
    message = query.registration.model_copy(update={"query": _SIZES.sub(lambda _: next(turned), text)})
    name = f"{query.name}, with the sizes of its windows exchanged"
    try:
        return hunted_query(name, message, query.read.language, Duration(int(query.tick * 10**6)))
    except LarsError:
        return None


@dataclass(frozen=True, slots=True)
class QueryFamily:
    """A generated query that can be written in several notations.

    `windows` contains stream, RANGE, STEP and patterns of each window. If `body` is given, it is the content
    of WHERE, and only RSP-QL can express the query. `select` contains the selected variables, or ASK, or
    CONSTRUCT {..}. `texts` contains the texts of the query in languages that need another wording. If `flat`
    is true, the query is written on one line.
    """

    name: str
    windows: tuple[tuple[str, int, int, str], ...]
    select: str = "?s ?a"
    outside: str = ""
    group: str = ""
    operator: str = "RStream"
    static: tuple[str, ...] = field(default=())
    body: str = ""
    texts: tuple[tuple[str, str], ...] = ()
    flat: bool = False

    @property
    def form(self) -> str:
        """The query form as the query contains it, such as SELECT with its variables."""
        return self.select if self.select.startswith(("ASK", "CONSTRUCT")) else f"SELECT {self.select}"


_ONE: Final = "?s :p ?a ."
_EITHER: Final = "{{ WINDOW :w1 {{ ?s :p ?a . }} }} UNION {{ WINDOW :w2 {{ ?s :{} ?a . }} }}"
_FAMILIES: Final = (
    QueryFamily("tumbling", ((_S, 4, 4, _ONE),)),
    QueryFamily("sliding", ((_S, 4, 2, _ONE),)),
    QueryFamily("istream", ((_S, 4, 2, _ONE),), operator="IStream"),
    QueryFamily("dstream", ((_S, 4, 2, _ONE),), operator="DStream"),
    QueryFamily("filter", ((_S, 4, 2, _ONE),), outside="FILTER(?a >= 2)"),
    QueryFamily("projection", ((_S, 4, 4, _ONE),), select="?s"),
    QueryFamily("join", ((_S, 4, 2, f"{_ONE} ?s :q ?b ."),), select="?s ?a ?b"),
    QueryFamily("two-streams", ((_S, 4, 2, _ONE), (_T, 4, 2, "?s :r ?b .")), select="?s ?a ?b"),
    QueryFamily("two-alike", ((_S, 4, 4, _ONE), (_T, 4, 4, "?t :p ?b .")), select="?s ?a ?t ?b"),
    # Rows of one window alone tell a window that shows nothing from an engine that does not report.
    QueryFamily("either-stream", ((_S, 4, 4, _ONE), (_T, 4, 4, "?s :r ?a .")), body=_EITHER.format("r")),
    QueryFamily("either-window", ((_S, 4, 4, _ONE), (_S, 2, 2, "?s :q ?a .")), body=_EITHER.format("q")),
    QueryFamily("two-windows", ((_S, 4, 4, _ONE), (_S, 2, 2, "?s :q ?b .")), select="?s ?a ?b"),
    # Its first window has the shorter sizes, and no size of the other is a multiple of them.
    QueryFamily("two-slides", ((_S, 3, 2, _ONE), (_S, 4, 3, "?s :q ?b .")), select="?s ?a ?b"),
    QueryFamily("count", ((_S, 4, 2, _ONE),), select="?s (COUNT(?a) AS ?n)", group="GROUP BY ?s"),
    QueryFamily("total", ((_S, 2, 2, _ONE),), select="(COUNT(?a) AS ?n)"),
    QueryFamily("optional", ((_S, 4, 2, f"{_ONE} OPTIONAL {{ ?s :q ?b . }}"),), select="?s ?a ?b"),
    QueryFamily(
        "static",
        ((_S, 4, 2, _ONE),),
        select="?s ?a ?k",
        outside="?s :kind ?k .",
        static=(
            "<http://e/s> <http://e/kind> <http://e/k> .",
            "<http://e/s> <http://e/kind> <http://e/k3> .",
        ),
    ),
    QueryFamily(
        "static-optional",
        ((_S, 4, 2, _ONE),),
        select="?s ?a ?k",
        outside="OPTIONAL { ?s :kind ?k . }",
        static=("<http://e/s> <http://e/kind> <http://e/k> .",),
    ),
    QueryFamily(
        "optional-window",
        ((_S, 4, 2, _ONE), (_T, 4, 2, "?s :r ?b .")),
        select="?s ?a ?b",
        body=f"WINDOW :w1 {{ {_ONE} }} OPTIONAL {{ WINDOW :w2 {{ ?s :r ?b . }} }}",
    ),
    QueryFamily("hopping", ((_S, 2, 3, _ONE),)),
    QueryFamily("ask", ((_S, 4, 2, _ONE),), select="ASK"),
    QueryFamily("distinct", ((_S, 4, 2, _ONE),), select="DISTINCT ?s"),
    QueryFamily("union", ((_S, 4, 2, f"{{ {_ONE} }} UNION {{ ?s :q ?a . }}"),)),
    QueryFamily(
        "union-join", ((_S, 4, 2, f"{{ {_ONE} }} UNION {{ ?s :q ?a . }} ?s :r ?b ."),), select="?s ?a ?b"
    ),
    QueryFamily(
        "union-two-streams",
        ((_S, 4, 2, f"{{ {_ONE} }} UNION {{ ?s :q ?a . }}"), (_T, 4, 2, "?s :r ?b .")),
        select="?s ?a ?b",
    ),
    QueryFamily("not-exists", ((_S, 4, 2, f"{_ONE} FILTER NOT EXISTS {{ ?s :q ?b . }}"),)),
    QueryFamily("limit", ((_S, 4, 2, _ONE),), group="ORDER BY ?a ?s LIMIT 1"),
    QueryFamily("limit-descending", ((_S, 4, 2, _ONE),), group="ORDER BY DESC(?a) ?s LIMIT 1"),
    QueryFamily("equal", ((_S, 4, 2, _ONE),), outside="FILTER(?a = 2.0)"),
    QueryFamily(
        "having",
        ((_S, 4, 2, _ONE),),
        select="?s (COUNT(?a) AS ?n)",
        group="GROUP BY ?s HAVING(COUNT(?a) > 1)",
    ),
    QueryFamily("sum", ((_S, 4, 2, _ONE),), select="?s (SUM(?a) AS ?n)", group="GROUP BY ?s"),
    QueryFamily("minus", ((_S, 4, 2, f"{_ONE} MINUS {{ ?s :q ?b . }}"),)),
    QueryFamily("minus-apart", ((_S, 4, 2, f"{_ONE} MINUS {{ ?t :q ?b . }}"),)),
    QueryFamily("average", ((_S, 4, 2, _ONE),), select="?s (AVG(?a) AS ?n)", group="GROUP BY ?s"),
    QueryFamily("minimum", ((_S, 4, 2, _ONE),), select="?s (MIN(?a) AS ?n)", group="GROUP BY ?s"),
    QueryFamily("bind", ((_S, 4, 2, f"{_ONE} BIND(STR(?a) AS ?b)"),), select="?s ?b"),
    QueryFamily("values", ((_S, 4, 2, _ONE),), outside="VALUES ?s { :s :s2 }"),
    # With the space before +, an engine that reads word by word does not take the path for a predicate.
    QueryFamily("path", ((_S, 4, 2, "?s :p + ?a ."),)),
)
_PREFIX: Final = "PREFIX : <http://e/>"


@dataclass(frozen=True, slots=True)
class QueryWriting:
    """A notation of a query language that some engines can read.

    Engines for RSP-QL have different notations for streams and durations.
    """

    dialect: str
    stream: str = "{iri}"
    length: str = "{n}"
    capital: bool = False
    scale: int = 1
    """The factor of all durations, by which a time point becomes a multiple of the engine's unit."""

    def for_unit(self, unit: Duration) -> "QueryWriting":
        """Return this notation, with the shortest time points that are multiples of an engine's unit of time.

        >>> QueryWriting("rspql").for_unit(Duration(10**7)).scale
        10
        """
        return replace(self, scale=Fraction(self._point, unit.nanoseconds).denominator)

    @property
    def _point(self) -> int:
        """The length of a time point in nanoseconds, before its multiplication by `scale`.

        If durations are plain numbers in RSP-QL, a time point is 1 ms; otherwise, a time point is 1 s.
        """
        by_number = self.dialect == "rspql" and self.length == "{n}"
        return (MILLISECOND if by_number else SECOND).nanoseconds

    @property
    def milliseconds(self) -> int:
        """The length of a time point in ms."""
        return self.scale * self._point // MILLISECOND.nanoseconds

    @property
    def language(self) -> Language:
        """The query language of this notation."""
        return Language(self.dialect)

    def expresses(self, of: QueryFamily) -> bool:
        """Return whether this notation can express a generated query.

        Only RSP-QL assigns parts of WHERE to windows. SPARQLstream has no ASK, and C-SPARQL and CQELS have no
        ISTREAM or DSTREAM.
        """
        match self.dialect:
            case "rspql":
                return True
            case "sparqlstream":
                return not of.body and of.form.startswith("SELECT")
            case _:
                return not of.body and of.operator == "RStream"

    def text(self, of: QueryFamily) -> str:
        """Return the text of a generated query in this notation, which must be able to express the query."""
        scaled = ((stream, n * self.scale, m * self.scale, text) for stream, n, m, text in of.windows)
        return _WRITERS[self.dialect](self, replace(of, windows=tuple(scaled)))


def _rspql(how: QueryWriting, of: QueryFamily) -> str:
    def window(number: int, stream: str, length: int, step: int) -> str:
        name = stream[len("<http://e/") : -1]
        on = how.stream.format(iri=stream, name=name)
        sizes = (how.length.format(n=place) for place in (length, step))
        return f"FROM NAMED WINDOW :w{number} ON {on} [RANGE {' STEP '.join(sizes)}]"

    declared = [window(n, *block[:3]) for n, block in enumerate(of.windows, 1)]
    blocks = [f"WINDOW :w{n} {{ {block[3]} }}" for n, block in enumerate(of.windows, 1)]
    where = [of.body] if of.body else [*blocks, *filter(None, (of.outside,))]
    operator = of.operator.upper() if how.capital else of.operator
    lines = (
        _PREFIX,
        f"REGISTER {operator} <http://e/out> AS",
        of.form,
        *declared,
        "WHERE {",
        *where,
        f"}} {of.group}".rstrip(),
    )
    return (" " if of.flat else "\n").join(lines) + "\n"


def _csparql(_: QueryWriting, of: QueryFamily) -> str:
    streams = (
        f"FROM STREAM {stream} [RANGE {length}s STEP {step}s]" for stream, length, step, _ in of.windows
    )
    where = " ".join((*(window[3] for window in of.windows), of.outside))
    return (
        f"REGISTER QUERY q AS\n{_PREFIX}\n{of.form}\n"
        f"{chr(10).join(streams)}\nWHERE {{ {where} }} {of.group}\n"
    )


def _cqels(_: QueryWriting, of: QueryFamily) -> str:
    blocks = " ".join(
        f"STREAM {stream} [RANGE {length}s] {{ {inner} }}" for stream, length, _, inner in of.windows
    )
    return f"{_PREFIX}\n{of.form}\nWHERE {{ {blocks} {of.outside} }} {of.group}\n"


def _sparqlstream(_: QueryWriting, of: QueryFamily) -> str:
    streams = (
        f"FROM NAMED STREAM {stream} [NOW - {length} S SLIDE {step} S]"
        for stream, length, step, _ in of.windows
    )
    where = " ".join((*(window[3] for window in of.windows), of.outside))
    return (
        f"{_PREFIX}\nSELECT {of.operator.upper()} {of.select}\n{chr(10).join(streams)}\n"
        f"WHERE {{ {where} }} {of.group}\n"
    )


_WRITERS: Final = {"rspql": _rspql, "csparql": _csparql, "cqels": _cqels, "sparqlstream": _sparqlstream}
WRITINGS: Final = (
    QueryWriting("rspql", "STREAM :{name}"),
    QueryWriting("rspql", "{iri}", capital=True),
    QueryWriting("rspql", ":{name}"),
    QueryWriting("rspql", "STREAM :{name}", "PT{n}S"),
    QueryWriting("rspql", "{iri}", "PT{n}S", capital=True),
    *(QueryWriting(dialect) for dialect in NAMES if dialect != "rspql"),
)


def first_queries(dialect: str) -> Iterator[HuntedQuery]:
    """Yield the simplest generated query, once in each notation of a query language."""
    for how in (writing for writing in WRITINGS if writing.dialect == dialect):
        yield _hunted(_FAMILIES[0], (how, MILLISECOND), None)


@dataclass(frozen=True, slots=True)
class MadeQueries:
    """The generated queries that an engine accepts, and the names of other queries with the reasons.

    `failed` contains the queries for which the engine fails before it receives a triple, each with the error.
    """

    queries: tuple[HuntedQuery, ...]
    refusals: tuple[tuple[str, str], ...]
    failed: tuple[tuple[HuntedQuery, FailedEngineError], ...] = ()


def no_obstacle(query: HuntedQuery) -> str | None:
    """Return None, which means that nothing prevents judging the answers to the query."""
    del query
    return None


def made_queries(
    engine: StreamEngine,
    options: dict[str, object] | None = None,
    dialect: str = "rspql",
    seconds: float = inf,
    obstacle: Callable[[HuntedQuery], str | None] = no_obstacle,
) -> MadeQueries:
    """Return the generated queries, in a notation that an engine accepts.

    The function uses the first notation with which the engine reports a row, or else the first notation that
    the engine accepts. Notations whose runs can be judged (without an `obstacle`) are tried first, beginning
    with notations of the query language `dialect`. If the engine declares a query language, only notations of
    this language are used. `seconds` is the time limit for opening queries; at least one query is opened.

    Raises:
        LarsError: The engine rejects all notations.
        FailedEngineError: The engine fails.
    """
    refusals: list[tuple[str, str]] = []
    taken: list[_Notation] = []

    def order(how: QueryWriting) -> tuple[bool, bool]:
        judged = obstacle(_hunted(_FAMILIES[0], (how, MILLISECOND), options)) is None
        return not judged, how.dialect != dialect

    for how in sorted(WRITINGS, key=order):
        try:
            profile = profile_of(engine, open_message(how.text(_FAMILIES[0]), (), options))
        except RefusedQueryError as error:
            refusals.append((how.dialect, str(error)))
            continue
        if profile.dialect == how.dialect or profile.dialect not in _WRITERS:
            notation = how.for_unit(profile.unit), profile.unit
            query = _hunted(_FAMILIES[0], notation, options)
            try:
                answers = answers_of(engine, query.registration, _dense(query))
            except TimeIsUpError:
                raise
            except FailedEngineError as error:
                # The engine accepts the query. Shorter streams may show when it fails.
                taken.append(notation)
                if error.silent:
                    break
                continue
            if any(report.rows for report in (*(one for _, one in answers.reports), *answers.flush)):
                made = _queries_of(engine, notation, options, seconds)
                mute = ((f"queries with {_declaration(one)}", _MUTE) for one, _ in taken)
                return replace(made, refusals=(*mute, *made.refusals))
            taken.append(notation)
    if taken:
        return _queries_of(engine, taken[0], options, seconds)
    sentence = f"the first with: {refusals[0][1]}" if refusals else "it declares another dialect for each"
    tried = " ".join(WRITINGS[0].text(_FAMILIES[0]).split())
    problem = f"the engine accepts no tried query, such as {tried} in each dialect"
    raise LarsError(f"{problem}, {sentence}; use a QUERY that the engine accepts")


_MUTE: Final = "the engine accepts them, but reports no row in a run that requires rows"


def _declaration(how: QueryWriting) -> str:
    """Return the line of a query that declares its window, or the whole query if no line does."""
    text = how.text(_FAMILIES[0])
    return next((line for line in text.splitlines() if line.startswith("FROM ")), " ".join(text.split()))


_Notation = tuple[QueryWriting, Duration]
"""A notation of queries, and the unit of the times that the engine reads."""


def _hunted(family: QueryFamily, notation: _Notation, options: dict[str, object] | None) -> HuntedQuery:
    how, unit = notation
    message = open_message(how.text(family), family.static, options)
    return hunted_query(family.name, message, Language(how.dialect), unit)


def _dense(query: HuntedQuery) -> tuple[Push, ...]:
    """Return a short stream with which each window has several rows, whatever the start time t0 is."""
    reach = max(length + step for length, step in query.windows)
    letters = [query.letters[t % len(query.letters)] for t in range(reach)]
    timed = [*enumerate(letters, 1), (3 * reach, letters[0])]
    return tuple(Push(t * query.tick, *letter) for t, letter in timed)


def _queries_of(
    engine: StreamEngine, notation: _Notation, options: dict[str, object] | None, seconds: float
) -> MadeQueries:
    began, waited = monotonic(), 0.0
    queries, refusals, untried = list[HuntedQuery](), list[tuple[str, str]](), list[str]()
    failed: list[tuple[HuntedQuery, FailedEngineError]] = []
    for family in filter(notation[0].expresses, _FAMILIES):
        if queries and (untried or monotonic() > began + seconds):
            untried.append(family.name)
            continue
        try:
            query = _hunted(family, notation, options)
            asked = monotonic()
            try:
                profile_of(engine, query.registration)
            finally:
                waited += monotonic() - asked
        except LarsError as error:
            # An engine that fails at one query may accept the others.
            refusals.append((family.name, str(error)))
            if isinstance(error, FailedEngineError) and not isinstance(error, TimeIsUpError):
                failed.append((query, error))
        else:
            queries.append(query)
    if not queries:
        raise LarsError(
            "the engine cannot run any of the generated queries. The reason for the first query: "
            f"{refusals[0][1]}; use a QUERY that the engine can run"
        )
    why = no_time(
        waited,
        monotonic() - began,
        f"the {plain(seconds, 1)} s of the time limit for trying queries are over",
    )
    return MadeQueries(tuple(queries), (*refusals, *((name, why) for name in untried)), tuple(failed))


def no_time(waited: float, seconds: float, over: str = "no time is left") -> str:
    """Return the reason why no time is left after some seconds, of which lars waited for the engine.

    `over` names the time that is over.

    >>> no_time(2.0, 8.0)
    'no time is left: the engine used 2.0 s, and lars 6.0 s; use a longer --time-limit'
    """
    own = max(0.0, seconds - waited)
    return f"{over}: the engine used {waited:.1f} s, and lars {own:.1f} s; use a longer --time-limit"
