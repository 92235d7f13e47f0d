"""Reading of queries and programs in files, the windows of a query, and their durations.

If no option sets the unit, the unit is the longest length that divides every duration.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache, reduce
from math import gcd
from pathlib import Path
from typing import Final, Literal

from agreement.documents.requests import readers
from agreement.documents.values import Period, shown_path
from lars.analysis import literal_form
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError, PlacedError
from lars.files import BYTE_ORDER_MARK, exists, read_file, read_text
from lars.language.formulas import Among, Assign, Comparison, Gather, Test
from lars.language.program import Origin, Program, Rule
from lars.language.terms import Iri, Number, Variable, absolute_iri
from lars.options import option
from solver.settings import Elements
from translate.analysis import parts, rebuild, stream_blocks
from translate.dialects import DERIVED, TITLES, Readings, read_query, tokens_of
from translate.errors import UnknownFunctionError
from translate.model.patterns import Bgp, Pattern, StreamBlock, remember
from translate.model.query import EngineQuery, Language
from translate.model.windows import Now, Range, Rows, Span, WindowExpression, window_operator
from translate.sparql import Document, Prefixes, has_relative_iri, read_declarations, resolve

QUERY_SUFFIXES = (
    ".rq",
    ".sparql",
    *(language.manner.suffix for language in Language if language.manner.suffix is not None),
)
PROGRAM_SUFFIX = ".lars"
PROGRAM_SUFFIXES: Final = (PROGRAM_SUFFIX, ".idlvsr")
EXPERIMENT_FILE: Final = "experiment.toml"
_RULE: Final = re.compile(r"←|:-[\s\[]|\)\s*:-")


def is_experiment(path: Path) -> bool:
    """Return whether a path names an experiment: a folder, or a TOML file."""
    return path.suffix == Path(EXPERIMENT_FILE).suffix or exists(path, folder=True)


def experiment_in(inputs: Sequence[Path]) -> Path | None:
    """Return the experiment that the inputs name; None if the inputs are queries and traces."""
    return inputs[0] if len(inputs) == 1 and is_experiment(inputs[0]) else None


_FIRST_WORDS: Final = sorted(
    {word.lower().encode() for language in Language for word in language.manner.first_words}
)
"""The words with which a query of some language may begin, before SELECT or another form."""
_NAMES_BEHIND: Final = dict.fromkeys(("GRAPH", "NAMED", "FROM"), 1) | dict(
    pair for language in Language for pair in language.manner.words_before_names.items()
)
"""The words before the names of graphs, queries and windows in all languages, and the distances of names."""
_QUERY: Final = re.compile(
    rb"(?:\s|#[^\n]*\n|version\s*[\"'][^\"'\s]*[\"']|prefix\s[^<]{0,99}<[^>]*>|base\s*<[^>]*>)*"
    rb"(?:select|construct|ask|describe|" + b"|".join(_FIRST_WORDS) + rb")\b(?!\s*[,;:=.])",
    re.IGNORECASE,
)
_HEAD: Final = 2**16
_TABLES: Final = (".csv", ".tsv")


def is_query(path: Path) -> bool:
    """Return whether a file is a query, by its name or by its first characters.

    The function does not read pipes and standard input, because these can be read only once.
    """
    if path.suffix in QUERY_SUFFIXES:
        return True
    # The first column of a table may be called `ask`.
    if path.suffix in _TABLES or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return _QUERY.match(file.read(_HEAD).removeprefix(BYTE_ORDER_MARK)) is not None
    except OSError:
        return False  # its reader reports the error


def load_query(
    path: Path, unit: Duration, engine: Language | None = None, *, opaque: bool = False, graphs: bool = False
) -> EngineQuery:
    """Return the query of a file in any query language; raises LarsError as `query_in` does."""
    try:
        return query_in(query_text(path), str(path), unit, engine, opaque=opaque, graphs=graphs)
    except LarsError as error:
        # Loads the readers of traces, which a query that can be read does not need.
        from solver.traces import EXTENSIONS

        if path.suffix.lower() not in EXTENSIONS or not exists(path, folder=False):
            raise
        raise LarsError(
            f"{error}\n{path.name} has the name of a trace; if it is one, put the query before it"
        ) from None


def query_text(path: Path) -> str:
    """Return the text of a query file with unchanged line ends, because a long string can contain CR LF."""
    *others, last = TITLES.values()
    return read_file(path, f"a file with a query in {', '.join(others)} or {last}").text


Rdf = Literal["1.1", "1.2"]
"""The version of RDF and SPARQL in which a query is read, unless its VERSION is 1.2."""


@dataclass(frozen=True, slots=True)
class Around:
    """The options for reading queries: base IRI, version of RDF, prefixes, and readings.

    A prefix in the field `prefix` applies unless the query text declares the same prefix. The `readings`
    choose a meaning for syntax that the query language does not define.
    """

    base: str | None = option(
        None,
        "IRI against which relative IRIs are resolved, if the query has no BASE. [default: the IRI "
        "of the query file]",
        absolute_iri,
    )
    rdf: Rdf | None = option(
        None,
        "Version of RDF and SPARQL in which queries are read. [default: the VERSION in the query, or 1.1]",
    )
    prefix: Mapping[str, str] | None = option(
        None,
        "Define a prefix, such as ex=http://example.org/, for queries and CSV files. Repeatable.",
        readers.prefixes,
        repeated=True,
    )
    readings: Mapping[str, str] | None = option(
        None,
        "Choose a meaning for syntax that the query language does not define, such as "
        "range-alone=sliding. Repeatable.",
        readers.readings,
        shell_name="--reading",
        repeated=True,
    )

    def __hash__(self) -> int:
        return hash((self.base, self.rdf, frozenset(self.prefixes), frozenset(self.meanings)))

    @property
    def prefixes(self) -> Prefixes:
        """The prefixes with their IRIs."""
        return (*(self.prefix or {}).items(),)

    @property
    def meanings(self) -> Readings:
        """The names of the readings with their values."""
        return (*(self.readings or {}).items(),)

    @property
    def rdf12(self) -> bool | None:
        """True if all queries are read as SPARQL 1.2; None if VERSION in each text determines the version."""
        return self.rdf == "1.2" or None

    def within(self, outer: "Around") -> "Around":
        """Return the settings completed from `outer`, the settings of the surrounding block."""
        return Around(
            self.base or outer.base,
            self.rdf or outer.rdf,
            {**(outer.prefix or {}), **(self.prefix or {})},
            {**(outer.readings or {}), **(self.readings or {})},
        )


_around: ContextVar[Around | None] = ContextVar("around", default=None)


@contextmanager
def reading_as(around: Around) -> Iterator[None]:
    """In the block, read queries with the settings `around`; settings of surrounding blocks apply too."""
    before = _around.set(around.within(current()))
    try:
        yield
    finally:
        _around.reset(before)


def else_reading_as(around: Around) -> None:
    """In the rest of the current block, use `around` for each setting that the block leaves open."""
    if (block := _around.get()) is not None:
        _around.set(block.within(around))


def current() -> Around:
    """Return the current settings for reading queries."""
    return _around.get() or Around()


def tokens_in_block(text: str, source: str, base: str = "") -> Document:
    """Return the tokens of a query text, read with the current settings."""
    around = current()
    return tokens_of(text, source, base, rdf12=around.rdf12, prefixes=around.prefixes)


def base_for(text: str, source: str) -> str:
    """Return the base IRI for the relative IRIs of a text; "" leaves relative IRIs unchanged.

    The base IRI is the base of the current settings, otherwise the IRI of the file that contains the text
    (SPARQL 1.1, 4.1.1.2). A text from Python counts as a file in the current folder.
    """
    if base := current().base:
        return base
    file = Path(source)
    relative = exists(file) and _is_relative(text, source, current())
    return shown_path(file).absolute().as_uri() if relative else ""


def check_based(query: str) -> None:
    """Raise LarsError if a query that is not in a file has a relative IRI, and no base is given."""
    if not current().base and _is_relative(query, "query", current()):
        raise LarsError("query: found a relative IRI without a base; use BASE, or --base")


@lru_cache
def _is_relative(text: str, source: str, around: Around) -> bool:
    """Return whether a query text contains a relative IRI.

    The result is cached, because an engine opens a text often.
    """
    with reading_as(around):
        return has_relative_iri(tokens_in_block(text, source), _NAMES_BEHIND)


def absolute_text(text: str, source: str, base: str | None = None) -> str:
    """Return the text of a query with absolute IRIs, for an engine that does not know the query file.

    Relative IRIs are resolved against `base`, otherwise against the result of `base_for`.
    """
    base = base_for(text, source) if base is None else base
    if not base and not current().prefixes:
        return text
    document = tokens_in_block(text, source, base)
    *_, said = read_declarations(replace(document, prefixes={}))
    lacking = {f"{prefix}:" for prefix, _ in current().prefixes} - said.prefixes.keys()
    pieces: list[str] = []
    start = 0
    for index, (token, names) in enumerate(zip(document.tokens, read_declarations(document), strict=True)):
        prefixed = token.kind == "a prefixed name" and f"{token.text.split(':')[0]}:" in lacking
        if token.kind != "an IRI" and not prefixed:
            continue
        match [one.text.upper() for one in document.tokens[max(index - 2, 0) : index]]:
            case [*_, "BASE"]:
                iri = base = resolve(base, token.text[1:-1])
            case ["PREFIX", _]:
                iri = resolve(base, token.text[1:-1])
            case _:
                iri = names.iri(token).value
        pieces += [document.text[start : token.start], f"<{iri}>"]
        start = token.start + len(token.text)
    return "".join((*pieces, document.text[start:]))


def read_once(
    text: str, source: str, engine: Language | None = None, base: str | None = None, *, opaque: bool = False
) -> EngineQuery:
    """Parse a query text; later calls with the same arguments return the same query or raise the same error.

    The relative IRIs of the text are resolved against `base`, otherwise against the result of `base_for`.
    """
    base = base_for(text, source) if base is None else base
    query = _read(text, source, engine, opaque, replace(current(), base=base))
    if isinstance(query, LarsError):
        raise query
    return query


@lru_cache
def _read(
    text: str, source: str, engine: Language | None, opaque: bool, around: Around
) -> EngineQuery | LarsError:
    try:
        return read_query(
            text,
            source,
            engine,
            around.base or "",
            opaque=opaque,
            rdf12=around.rdf12,
            prefixes=around.prefixes,
            readings=around.meanings,
        )
    except LarsError as error:
        return error


def query_in(  # noqa: PLR0913
    text: str,
    source: str,
    unit: Duration,
    engine: Language | None = None,
    *,
    opaque: bool = False,
    graphs: bool = False,
) -> EngineQuery:
    """Return the query of a text; `source` is the name of the text in messages.

    Raises LarsError if a window is not a multiple of the unit. If `graphs` is false, the function also raises
    LarsError for a query that reads named graphs of elements.
    """
    try:
        query = read_once(text, source, engine, opaque=opaque)
    except LarsError as error:
        if not _RULE.search(text):
            raise
        if source.endswith(PROGRAM_SUFFIXES):
            raise LarsError(
                f"{source}: cannot read a LARS program as a query; use a query, or evaluate the program with "
                "`lars solve`, `lars explain` or `lars check`"
            ) from None
        raise LarsError(
            f"{error}\nIf the file contains a LARS program, its name must end with {PROGRAM_SUFFIX}"
        ) from None
    if not graphs:
        check_comparable(query, source)
    check_lengths(query, source, unit)
    return query


def check_lengths(query: EngineQuery, source: str, unit: Duration) -> None:
    """Raise LarsError if a window of a query is not a multiple of the unit."""
    for window_source in sources(query):
        try:
            window_operator(window_source.window, window_source.stream, unit, None)
        except LarsError as error:
            raise LarsError(
                f"{source}: the window {window_source.window} of {window_source.stream}: {error}"
            ) from None


def check_comparable(query: EngineQuery, source: str) -> None:
    """Raise LarsError for a query that reads named graphs of elements, which no engine version supports."""
    if reads_graphs(query):
        raise LarsError(
            f"{source}: cannot run a query with GRAPH inside WINDOW on an engine, because engines "
            "receive triples without graphs; use a specification, or lars agree with a trace"
        )


def reads_graphs(query: EngineQuery) -> bool:
    """Whether the query has GRAPH inside a window, and so reads the named graphs of elements."""
    blocks = (part for part in parts(query.pattern) if isinstance(part, StreamBlock))
    return any(block.graph is not None for block in blocks)


APART: Final = (
    "In the result, each named graph of an element is a separate stream with the name "
    "of the graph. The names "
    "of these graphs are IRIs."
)
"""The note about streams that `decide` and `witness` find for queries over named graphs of elements."""


def graphs_as_streams(queries: Sequence[EngineQuery], source: str) -> tuple[EngineQuery, ...]:
    """Return queries in which each named graph of elements is a separate stream.

    If all windows are time-based windows over one stream, and only GRAPH reads them, the answers are
    unchanged. Raises LarsError for a query that reads named graphs of elements in any other way.
    """
    if not any(map(reads_graphs, queries)):
        return tuple(queries)
    blocks = [part for query in queries for part in parts(query.pattern) if isinstance(part, StreamBlock)]
    reasons = {
        "a pattern outside of GRAPH reads the triples of all graphs": any(
            each.graph is None for each in blocks
        )
        or any(query.merged for query in queries),
        "the queries read several streams": len({each.stream for each in blocks}) > 1,
        "a path can be empty, which depends on the graphs in the window": any(
            not isinstance(each.pattern, Bgp) for each in blocks
        ),
    }
    if (why := next((reason for reason, holds in reasons.items() if holds), None)) is not None:
        raise LarsError(
            f"{source}: cannot search for a stream on which answers differ, because the query has "
            f"GRAPH inside WINDOW, and {why}; use lars agree with a trace"
        )

    def apart(part: Pattern) -> Pattern | None:
        if not isinstance(part, StreamBlock) or part.graph is None:
            return None
        return replace(part, stream=part.graph, graph=None)

    return tuple(replace(query, declared=(), pattern=rebuild(query.pattern, apart)) for query in queries)


def load_program(path: Path) -> Program:
    """Return the LARS program of a file.

    Raises LarsError, with place and caret, for a text that is not a program, for an unsafe rule, and for a
    formula or condition that the solver's encoding does not support.
    """
    # Loads the reader of programs, which no query needs.
    from lars.text import is_reasoner_program, read, read_reasoner_program

    text = read_text(path, "a LARS program")
    is_other = path.suffix == PROGRAM_SUFFIXES[1] or is_reasoner_program(text)
    derived = dict(current().meanings).get(DERIVED)
    if derived is not None and not is_other:
        raise LarsError(f"{path}: --reading {DERIVED}={derived} requires a program of I-DLV-sr")
    program = (
        read_reasoner_program(text, str(path), persistent=derived != "present")
        if is_other
        else read(text, str(path))
    )
    for rule in program.rules:
        assert rule.origin is not None
        _check_covered(rule, rule.origin)
    return program


def _check_covered(rule: Rule, origin: Origin) -> None:
    # Loads rdflib and clingo, which no query needs.
    from solver.rdf.conditions import checked_variables

    try:
        _check_numbers(rule.head)
    except LarsError as error:
        raise PlacedError(origin.place(), str(error)) from None
    for number, literal in enumerate(rule.body):
        try:
            _check_numbers(literal)
            match literal:
                case Comparison() | Gather() | Among():
                    continue
                case Test(expression) | Assign(_, expression):
                    tuple(checked_variables(expression))
                case _:
                    literal_form(literal)
        except LarsError as error:
            raise PlacedError(origin.place(number), str(error)) from None


def _check_numbers(part: object) -> None:
    """Raise LarsError for a number in a head or literal that exceeds the limit of the solver."""
    match part:
        case Number():
            # Loads numpy, which few commands need to read their arguments.
            from solver.facts import check_writable

            check_writable(part)
        case tuple():
            for field in part:
                _check_numbers(field)
        case _ if is_dataclass(part):
            for field in fields(part):
                _check_numbers(getattr(part, field.name))


@dataclass(frozen=True, slots=True)
class WindowSource:
    """A window of a query over a stream, with its name in RSP-QL.

    Equal windows in several blocks of a query are one WindowSource.
    """

    stream: Iri | Variable
    window: WindowExpression
    name: Iri | None = None

    def __str__(self) -> str:
        return f"{self.window} on {self.stream}"


@remember
def sources(query: EngineQuery) -> tuple[WindowSource, ...]:
    """Return the windows of a query in the order of the query text, each window once."""
    blocks = (*query.merged, *query.declared, *stream_blocks(query.pattern))
    windows = dict.fromkeys(WindowSource(block.stream, block.window, block.name) for block in blocks)
    places = {name: place for place, name in enumerate(query.window_names)}
    # The declarations are in another order than the blocks that read the windows.
    return tuple(
        sorted(windows, key=lambda window: -1 if window.name is None else places.get(window.name, -1))
    )


def element_requirement(queries: Iterable[EngineQuery]) -> Elements | None:
    """Return the kind of elements that must have different times for exact results; None if none must."""
    windows = [source.window for query in queries for source in sources(query)]
    grains = {window.grain for window in windows if isinstance(window, Now)}
    if "triple" in grains:
        return "triple"
    if "message" in grains:
        return "message"
    return "stream" if any(isinstance(window, Rows) and window.elements for window in windows) else None


def check_generated(queries: Iterable[EngineQuery]) -> None:
    """Raise LarsError if a query needs elements with different times, as generated streams may lack them."""
    if element_requirement(queries) is not None:
        raise LarsError(
            "cannot generate elements for the readings count=elements, grain=message and grain=triple, "
            "because generated elements may have the same time; use a trace"
        )


def with_sources(query: EngineQuery, change: Callable[[WindowSource], WindowSource]) -> EngineQuery:
    """Return a copy of the query in which `change(window)` replaces each window."""

    def changed(part: StreamBlock) -> StreamBlock:
        source = change(WindowSource(part.stream, part.window, part.name))
        return replace(part, stream=source.stream, window=source.window)

    return replace(
        query,
        merged=tuple(map(changed, query.merged)),
        declared=tuple(map(changed, query.declared)),
        pattern=rebuild(query.pattern, lambda part: changed(part) if isinstance(part, StreamBlock) else None),
    )


def fitting_unit(durations: Iterable[Duration]) -> Duration:
    """Return the longest unit of which all durations are multiples, at most a second.

    >>> print(fitting_unit([Duration(3 * 10**9), Duration(200 * 10**6)]), fitting_unit([]))
    200ms 1s
    """
    return Duration(reduce(gcd, (duration.nanoseconds for duration in durations), SECOND.nanoseconds))


def durations_of(query: EngineQuery) -> Iterator[Duration]:
    """Yield the durations of a query's windows, and the evaluation interval if the query defines one."""
    for source in sources(query):
        if isinstance(source.window, Range | Span):
            values = (getattr(source.window, field.name) for field in fields(source.window))
            yield from (value for value in values if isinstance(value, Duration) and value.nanoseconds)
    if query.every is not None:
        yield query.every


def durations_in(queries: Iterable[Path]) -> Iterator[Duration]:
    """Yield the durations of the queries in files."""
    return (length for query in queries_in(queries) for length in durations_of(query))


def queries_in(paths: Iterable[Path]) -> Iterator[EngineQuery]:
    """Yield the queries in files; if a file is invalid, it is ignored here, and fails when it is used."""
    for path in paths:
        with suppress(LarsError):
            if path.suffix not in PROGRAM_SUFFIXES:
                yield _with_its_windows(query_text(path), str(path))


def default_unit(queries: Iterable[EngineQuery], also: Iterable[Duration] = ()) -> Duration:
    """Return the default unit: the longest unit that divides the durations of queries and `also`.

    If this unit is shorter than a second, and plain numbers in the query count milliseconds, the default unit
    is a millisecond. Integers in the trace and in the query then have the same unit.
    """
    read = tuple(queries)
    unit = fitting_unit((*also, *(length for query in read for length in durations_of(query))))
    plain = any(query.language.manner.bare == MILLISECOND for query in read)
    divides = unit < SECOND and not unit.nanoseconds % MILLISECOND.nanoseconds
    return MILLISECOND if plain and divides else unit


def as_engines_read(path: Path) -> EngineQuery | None:
    """Return a query of Kolibrie as a query in RSP-QL whose numbers count milliseconds, otherwise None.

    In Kolibrie, numbers in a query and times in its streams have the same unit, which no text names. `lars`
    writes the times of streams for engines in milliseconds.
    """
    # An engine may accept a text that lars cannot read.
    with suppress(LarsError), reading_as(Around(readings={"numbers": "milliseconds"})):
        query = read_once(query_text(path), str(path))
        if query.language is Language.KOLIBRIE:
            return with_sources(replace(query, language=Language.RSPQL), _without_ends)
    return None


def _without_ends(source: WindowSource) -> WindowSource:
    window = source.window
    return replace(source, window=replace(window, ends=None)) if isinstance(window, Range) else source


def has_short_numbers(path: Path) -> bool:
    """Whether a Kolibrie query has a window that is a fraction of a second if numbers count milliseconds."""
    query = as_engines_read(path)
    return query is not None and fitting_unit(durations_of(query)) < SECOND


def _with_its_windows(text: str, source: str) -> EngineQuery:
    try:
        return read_once(text, source)
    except UnknownFunctionError:  # hides no window
        return read_once(text, source, opaque=True)


def durations_among(periods: Iterable[Period]) -> Iterator[Duration]:
    """Yield the periods that are written as durations."""
    return (period for period in periods if isinstance(period, Duration))


_FINER: Final = {1: (2, 3, 4), 2: (4,), 3: (6,)}
"""The numbers of parts into which finer units divide the greatest common divisor of all durations.

A key is the greatest common divisor of the durations, in units. Each number is a multiple of the key, so that
each time point remains a time point. A division into four or more parts is fine enough.
"""


def finer_units(unit: Duration, durations: Iterable[Duration]) -> Iterator[Duration]:
    """Yield units that are finer than the greatest common divisor of all durations.

    A quarter of the greatest common divisor is fine enough: with this unit, each gap between two ends of
    windows contains a time point.

    >>> [str(unit) for unit in finer_units(Duration(10**9), [Duration(5 * 10**9), Duration(9 * 10**9)])]
    ['500ms', '250ms']
    """
    common = reduce(gcd, (duration.nanoseconds for duration in durations), 0)
    for many in _FINER.get(common // unit.nanoseconds, ()):
        if common % many == 0:
            yield Duration(common // many)
