"""The reference adapter: `python -m agreement.engines.adapters.oxigraph` evaluates RSP-QL with Oxigraph.

The adapter shares no code of evaluation with `lars`, like an adapter of a user. Each evaluation creates an
Oxigraph store. The content of a window is a named graph of the store; static data are the other graphs.
Windows contain (o, c], or [o, c) with the option `bounds`. The first window opens at t0, by default 0; a
further window opens at each STEP. An evaluation is due when a nonempty window closes. At this evaluation,
each other window has the content of its earliest open window. An empty answer causes no report. Source:
RSP-QL (2014). Oxigraph stores numbers by value, and returns 1 for 01.
"""

import json
import re
import sys
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field  # noqa: TID251  (a user's adapter has no lars)
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

import pyoxigraph as ox

_DECLARED: Final = re.compile(
    r"FROM\s+NAMED\s+WINDOW\s+(\S+)\s+ON\s+(?:STREAM\s+)?(\S+?)\s*"
    r"\[\s*RANGE\s+(\w+)\s+(?:STEP|SLIDE)\s+(\w+)\s*\]",
    re.IGNORECASE,
)
_REGISTERED: Final = re.compile(r"REGISTER\s+(\w+)\s+(?:<[^<>]*>|\S+)\s+AS\b", re.IGNORECASE)
_PREFIX: Final = re.compile(r"PREFIX\s+([\w.-]*):\s*<([^<>]*)>", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"""(#[^\n]*)|<[^<>\s]*>|\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    r"""|[?$]\w+|(?:[^\W\d][\w.-]*)?:(?:[\w:%\\-][\w.:%\\-]*)?|_:[\w.-]+|@[\w-]+""",
    re.DOTALL,
)
_WORD: Final = re.compile(r"[\w{}]")
_BRACES: Final = re.compile(r"[{}]|\b(?:GRAPH|WINDOW)\b", re.IGNORECASE)
_WINDOW: Final = re.compile(r"\bWINDOW\b(?:(?=\s*([?$]\w+))|)", re.IGNORECASE)
_NAME: Final = re.compile(r"\b(GRAPH|WINDOW)\s*([^\s{]+)", re.IGNORECASE)
_GRAPHS: Final = re.compile(r"\bGRAPH\s*[?$]|\bFROM\s+NAMED\s+WINDOW\b|\bDESCRIBE\b", re.IGNORECASE)
_FROM: Final = re.compile(r"\bFROM\b", re.IGNORECASE)
_DURATION: Final = re.compile(r"(?:PT)?(\d+)(ms|s|m|min|h)?", re.IGNORECASE)
_MS: Final = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}
_TRUE: Final = ox.Literal("true", datatype=ox.NamedNode("http://www.w3.org/2001/XMLSchema#boolean"))
TRIPLE: Final = ("subject", "predicate", "object")
"""The columns of the reports of a CONSTRUCT query."""
_MOST_OLD: Final = 1000
"""The number of old elements, in no open window, from which on they are deleted, to save time."""
_time: Final = itemgetter(0)
_Row = tuple[tuple[str, str], ...]
_Message = Mapping[str, Any]
"""A message of the adapter protocol as a JSON object; `op` determines its other keys."""
PROFILE: Final = {
    "ok": True,
    "engine": f"oxigraph-{ox.__version__}",
    "time_unit": "1ms",
    "dialect": "rspql",
    "flushes": True,
    "advances": True,
    "reads_ahead": True,
    "options": ["t0", "bounds"],
}


class _Window(NamedTuple):
    name: str
    stream: str
    width: int
    step: int


@dataclass
class OxigraphRun:
    """The run of a query, with the stream elements (t, stream, triple) so far, in ascending order of t.

    Times are in ms.
    """

    query: str
    windows: Sequence[_Window]
    operator: str
    static: Sequence[ox.Quad]
    start: int = 0
    high_open: bool = False
    elements: list[tuple[float, str, ox.Triple]] = field(default_factory=list)
    now: float = float("-inf")
    last_time: float = float("-inf")
    before: "Counter[_Row]" = field(default_factory=Counter)

    def push(self, t: float, stream: str, triple: ox.Triple) -> Iterator[dict[str, object]]:
        """Receive a triple at time `t` (ms), and yield the reports that can no longer change."""
        self.now = t
        yield from self.due(t, also=self.high_open)
        insort(self.elements, (t, stream, triple), key=_time)  # a late element is in the order of times too

    def due(self, t: float, *, also: bool) -> Iterator[dict[str, object]]:
        """Yield the reports of all windows that close before `t` (ms), or with `also` at `t` or before."""
        closes = {close for window in self.windows for close in self._closes(window, t) if close < t or also}
        for close in sorted(closes):
            self.last_time = close
            rows = self._answer(close)
            if rows:
                yield {"t": close, "rows": [dict(row) for row in rows]}
        old = bisect_left(self.elements, self.last_time - max(one.width for one in self.windows), key=_time)
        if old > _MOST_OLD:
            del self.elements[:old]

    def _closes(self, window: _Window, t: float) -> Iterator[int]:
        """Yield the times after the last evaluation, up to `t`, at which windows with an element close."""
        first = self.start + window.width
        close = first if self.last_time < first else self._end(window, self.last_time, behind=True)
        if close > t:
            return
        # Older elements are in no window that is still to close.
        recent = bisect_left(self.elements, close - window.width, key=_time)
        for moment, stream, _ in islice(self.elements, recent, None):
            if stream == window.stream:
                # If windows are high-open, a window that ends at an element does not contain the element.
                close = max(close, first, self._end(window, moment, behind=self.high_open))
                while close <= t and (
                    close - window.width < moment or (self.high_open and close - window.width == moment)
                ):
                    yield close
                    close += window.step

    def _end(self, window: _Window, t: float, *, behind: bool) -> int:
        """Return the first time from `t` on (with `behind`, after `t`) at which a window closes."""
        first = self.start + window.width
        steps = (t - first) // window.step + 1 if behind else -((first - t) // window.step)
        return first + int(steps) * window.step

    def _content(self, window: _Window, at: float) -> list[ox.Triple]:
        """Return the triples in the earliest window that is open at a time, or that closes at this time."""
        passed = max(0, -int((self.start + window.width - at) // window.step))
        opening = self.start + passed * window.step
        bound = bisect_left if self.high_open else bisect_right
        shown = self.elements[bound(self.elements, opening, key=_time) : bound(self.elements, at, key=_time)]
        return [triple for _, stream, triple in shown if stream == window.stream]

    def _answer(self, at: float) -> list[_Row]:
        store = ox.Store()
        store.extend(self.static)
        for window in self.windows:
            graph = ox.NamedNode(window.name)
            store.extend(
                ox.Quad(triple.subject, triple.predicate, triple.object, graph)
                for triple in self._content(window, at)
            )
        rows = list(_rows(store.query(self.query)))
        now, before = Counter(rows), self.before
        self.before = now
        match self.operator:
            case "ISTREAM":
                return list((now - before).elements())
            case "DSTREAM":
                return list((before - now).elements())
            case _:
                return rows


def _rows(results: ox.QueryBoolean | ox.QueryTriples | ox.QuerySolutions) -> Iterator[_Row]:
    if isinstance(results, ox.QueryBoolean):
        yield from ((("Answer", str(_TRUE)),),) if results else ()
        return
    if isinstance(results, ox.QueryTriples):
        triples = dict.fromkeys((triple.subject, triple.predicate, triple.object) for triple in results)
        yield from (tuple(zip(TRIPLE, map(str, triple), strict=True)) for triple in triples)
        return
    names = [variable.value for variable in results.variables]
    for solution in results:
        yield tuple((name, str(solution[name])) for name in names if solution[name] is not None)


def _keywords(text: str) -> str:
    """Return a text of the same length in which only keywords are left, to search for keywords.

    IRIs, strings, variables and names are masked by the letter x, and comments by blanks.
    """

    def masked(match: re.Match[str]) -> str:
        return " " * len(match[0]) if match[1] else _WORD.sub("x", match[0])

    return _NAMED.sub(masked, text)


def _windows(text: str, keywords: str) -> tuple[list[re.Match[str]], list[_Window]]:
    """Return the clauses of a query that declare windows, and the declared windows.

    Raises:
        ValueError: A declaration is invalid, or GRAPH and WINDOW are confused.
    """
    prefixes = {
        text[slice(*match.span(1))]: text[slice(*match.span(2))] for match in _PREFIX.finditer(keywords)
    }
    clauses = list(_DECLARED.finditer(keywords))
    windows: list[_Window] = []
    for clause in clauses:
        name, stream, length, step = (text[slice(*clause.span(group))] for group in range(1, 5))
        ends = _iri(name, prefixes), _iri(stream, prefixes)
        windows.append(_Window(*ends, _milliseconds(length), _milliseconds(step)))
    declared = {window.name for window in windows}
    for used in _NAME.finditer(keywords) if windows else ():
        name = text[slice(*used.span(2))]
        within = any(clause.start() <= used.start() < clause.end() for clause in clauses)
        is_window = used[1].upper() == "WINDOW"
        if not within and name[0] not in "?$" and (_iri(name, prefixes) in declared) != is_window:
            kind = "a window that is declared" if is_window else "a graph, or WINDOW"
            raise ValueError(f"found {used[1]} {name}; expected the name of {kind}")
    return clauses, windows


def _plain(text: str, keywords: str, clauses: Sequence[re.Match[str]], windows: Sequence[_Window]) -> str:
    """Return the query in SPARQL, in which each window is a named graph.

    Raises:
        ValueError: The query has a construct that the adapter does not support.
    """
    rest = keywords
    for match in (*clauses, *_REGISTERED.finditer(keywords)):
        rest = rest[: match.start()] + " " * len(match[0]) + rest[match.end() :]
    if graph := _GRAPHS.search(rest):
        raise ValueError(
            f"found {text[slice(*graph.span())]}; expected a SELECT, ASK or CONSTRUCT query, with only IRIs "
            "after GRAPH"
        )
    _check_nesting(rest)
    others = _FROM.search(rest)
    edits = [(match.span(), "") for match in _REGISTERED.finditer(keywords)]
    names = " ".join(f"<{window.name}>" for window in windows)
    for match in _WINDOW.finditer(rest):
        # A variable ranges over the windows, not over the graphs of static data.
        values = f"VALUES {text[slice(*match.span(1))]} {{ {names} }} " if match[1] else ""
        edits.append((match.span(), f"{values}GRAPH"))
    edits += [
        (clause.span(), f"FROM NAMED {text[slice(*clause.span(1))]}" if others else "") for clause in clauses
    ]
    for (start, end), instead in sorted(edits, reverse=True):
        text = text[:start] + instead + text[end:]
    return text


def _check_nesting(keywords: str) -> None:
    """Raise ValueError if GRAPH or WINDOW is inside WINDOW, because windows contain only triples."""
    opened, in_window = list[bool](), False
    for match in _BRACES.finditer(keywords):
        word = match[0].upper()
        if word == "{":
            opened.append(in_window)
            in_window = False
        elif word == "}":
            del opened[-1:]
        elif any(opened):
            raise ValueError(f"found {word} inside WINDOW; expected patterns of triples without graphs")
        else:
            in_window = word == "WINDOW"


def register(message: _Message) -> OxigraphRun:
    """Return the run of a query, given by the message open.

    Raises:
        ValueError: The adapter does not support the query or an option.
    """
    text, options = message["query"], message.get("options", {})
    keywords = _keywords(text)
    clauses, windows = _windows(text, keywords)
    if not windows:
        raise ValueError("found no FROM NAMED WINDOW <name> ON <stream> [RANGE length STEP length]")
    operator = _REGISTERED.search(keywords)
    plain = _plain(text, keywords, clauses, windows)
    try:
        ox.Store().query(plain)
    except (SyntaxError, OSError) as error:
        raise ValueError(str(error)) from None
    wrong = [name for name in options if name not in PROFILE["options"]]  # type: ignore[operator]
    if wrong:
        raise ValueError(f"found the option {wrong[0]}; expected the option t0 or the option bounds")
    try:
        static = [quad for line in message.get("static", ()) for quad in ox.parse(line, ox.RdfFormat.N_QUADS)]
    except SyntaxError as error:
        raise ValueError(f"static data: {error}") from None
    start = options.get("t0", 0)
    if type(start) is not int:
        raise ValueError(f"found the t0 {start!r}; expected an integer")
    bounds = options.get("bounds", "low-open")
    if bounds not in ("low-open", "high-open"):
        raise ValueError(f"found the bounds {bounds}; expected low-open or high-open")
    kind = "RSTREAM" if operator is None else operator[1].upper()
    return OxigraphRun(plain, windows, kind, static, start, bounds == "high-open")


def _iri(written: str, prefixes: Mapping[str, str]) -> str:
    if written.startswith("<"):
        if ":" not in written:
            raise ValueError(f"found {written}; expected an absolute IRI")
        return written[1:-1]
    prefix, _, local = written.partition(":")
    if prefix not in prefixes:
        raise ValueError(f"found {written}; expected an IRI, or a name with a prefix that is declared")
    return prefixes[prefix] + local


def _milliseconds(written: str) -> int:
    match = _DURATION.fullmatch(written)
    if match is None or not int(match[1]):
        raise ValueError(f"found the length {written}; expected a length such as 4 (in ms), 4s or PT4S")
    return int(match[1]) * _MS[(match[2] or "ms").lower()]


def _pushed(engine: OxigraphRun, message: _Message) -> dict[str, object]:
    t = message["t"]
    if t < max(engine.now, engine.last_time):
        return {"reports": [], "refused": f"the time {t} is before {max(engine.now, engine.last_time)}"}
    try:
        triple = _triple(message["triple"], t, message["stream"])
    except SyntaxError as error:
        return {"reports": [], "refused": str(error)}
    return {"reports": list(engine.push(t, message["stream"], triple))}


@lru_cache(maxsize=2**12)
def _triple(line: str, *_: object) -> ox.Triple:
    """Return the triple in a line of N-Triples.

    The other arguments, the time and the stream, are part of the cache's key. Equal blank node labels
    therefore mean the same node only at one time in one stream.
    """
    (quad,) = ox.parse(line, ox.RdfFormat.N_TRIPLES, rename_blank_nodes=True)
    triple: ox.Triple = quad.triple
    return triple


def main() -> None:
    """Read messages from standard input, and print the reply to each message."""
    engine: OxigraphRun | None = None
    for line in sys.stdin:
        message = json.loads(line)
        reply: dict[str, object] = {"error": "no query is open"}
        if message["op"] == "open":
            try:
                engine, reply = register(message), dict(PROFILE)
            except ValueError as error:
                engine, reply = None, {"error": str(error)}
        elif engine is not None:
            match message["op"]:
                case "push":
                    reply = _pushed(engine, message)
                case "advance":
                    engine.now = max(engine.now, message["t"])
                    reply = {"reports": list(engine.due(engine.now, also=engine.high_open))}
                case "close":
                    reply = {"reports": list(engine.due(engine.now, also=True))}
                    engine = None
        sys.stdout.write(f"{json.dumps(reply)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
