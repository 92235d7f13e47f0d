"""Write a first experiment.toml for queries and traces.

Some settings come from the texts of the queries and traces. Other settings are guesses, and a note reports
each guess.
"""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, fields, is_dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from itertools import chain, islice
from math import ceil, lcm
from pathlib import Path
from typing import Final, assert_never

from agreement.documents.placed import toml_text
from agreement.documents.recordings import SLACK
from agreement.documents.recordings.answer_tables import CLOCK, DATE, EPOCH_DIGITS, time_column
from agreement.documents.recordings.reading import is_table
from agreement.documents.requests import EXPERIMENT_FILE, InputOptions, is_query, load_query, sources
from agreement.documents.traces import streams_of
from agreement.documents.values import Period, static_text
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, NANOSECONDS, SECOND, Duration
from lars.errors import LarsError, Place, PlacedError
from lars.files import exists, text_in
from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal, Variable
from solver.rdf import read_term
from solver.rdf.terms import RdfTerm
from solver.settings import StaticFile, Warn, unsaid
from solver.traces import Instant, MalformedPart, TimeKind, cell_time, check_format, read_static, show
from solver.traces.formats.csv_lines import (
    FLOATING,
    INFINITE,
    are_columns,
    csv_reader,
    delimiter_in,
    header_problem,
)
from solver.traces.input_files import bare, readable
from solver.traces.trace_times import LARGEST
from translate.analysis import cq, default_period, model_of_csparql, stream_blocks
from translate.model.patterns import Bgp, TriplePattern, Values
from translate.model.query import EngineQuery, Language
from translate.model.windows import Range
from translate.writing import write_query

_PREFIX: Final = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_STANDARD: Final = "http://www.w3.org/"
_TEXT_TABLES: Final = frozenset((".csv", ".tsv"))
_TABLES: Final = _TEXT_TABLES | {".parquet", ".arrow", ".feather", ".ndjson", ".jsonl"}
_NUMBER: Final = re.compile(rf" *(?:{FLOATING}|[+-]?[0-9]+,[0-9]+) *")
"""A number; as a mistake that a warning reports, also a number with a decimal comma."""
_WORD: Final = re.compile(r"(?![0-9.+_-]+$)[\w.-]+")
"""A word; a text such as 1e1 is a word and a number."""
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
EXAMPLE: Final = ("ex", "http://example.org/")
_ID: Final = re.compile(r"(?:^|[_ -])(?i:id)$|[a-z]I[dD]$")
"""The end of a name such as id, sensor_id or sensorId."""
EACH_ROW: Final = "_:{row}"
"""The subject template of a row if no column contains the subject."""
UNNAMED: Final = "The query does not name the stream of a pattern"
DERIVED: Final = "derived.cqels.rq"
"""The file in the folder of an experiment with a CQELS query that names the stream of each pattern."""
EPOCH: Final = "1970-01-01T00:00:00"
ZEROS: Final = (EPOCH, f"{EPOCH}Z")
"""Time 0 of dateTimes without a time zone, and of dateTimes with a time zone."""
MINUTE: Final = 60_000
"""The number of milliseconds in a minute."""
_STRING: Final = f"{XSD}string"
_MOST_BYTES: Final = 50_000_000
"""The greatest size in bytes of a table whose times are read."""
_MOST_ROWS: Final = 200_000
"""The greatest number of rows of a table that are read."""
_ZONED: Final = re.compile(
    rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    rb" ?(Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)(?![0-9])"
)
LATEST: Final = LARGEST // 10**6
"""The latest dateTime that lars reads, in milliseconds since 1970; it is in the year 2262."""
SINCE_1970: Final = 100_000_000_000
"""The number of milliseconds above which a time counts from 1970."""
_UNITS: Final = tuple(Duration(10**power) for power in (9, 8, 7, 6, 3))
"""The possible lengths of a time point; the longest length is first."""


def in_zone_of(paths: Sequence[Path], moment: datetime) -> datetime:
    """Return a dateTime in the time zone of the files; in UTC if the files contain several time zones."""
    found = {zone.decode() for path in paths for zone in _ZONED.findall(path.read_bytes())}
    return _in_zone(moment, {cell_time(f"{EPOCH}{zone}").zone for zone in found})


def _in_zone(moment: datetime, zones: Collection[int]) -> datetime:
    """Return a dateTime in the only time zone of a trace, which is given in minutes ahead of UTC."""
    if moment.tzinfo is None or len(zones) != 1:
        return moment
    return moment.astimezone(timezone(timedelta(minutes=next(iter(zones)))))


def fitting_unit(times: Iterable[float]) -> Duration:
    """Return the longest unit of which all times are multiples; times are in ms since the first time."""
    every = list(times)
    apart = {round((t - every[0]) * NANOSECONDS["ms"]) for t in every}
    units = (unit for unit in _UNITS if not any(t % unit.nanoseconds for t in apart))
    return next(units, _UNITS[-1])


def minute_before(times: Iterable[float]) -> int:
    """Return the last whole minute before all times in ms."""
    return ceil((min(times, default=0.0) - SLACK) / MINUTE) - 1


def since(zero: str, minutes: int) -> datetime:
    """Return the dateTime that is a number of minutes after `zero`."""
    return datetime.fromisoformat(zero) + timedelta(minutes=minutes)


GuessedColumns = tuple[Mapping[str, str], Mapping[str, str]]
"""Guessed templates of the columns, and the prefixes in the templates."""


def guessed_columns(  # noqa: PLR0913 - a table, the queries, and what they compare and join its columns with
    cells: Mapping[str, str],
    patterns: Sequence[TriplePattern],
    texts: Sequence[str],
    compared: Mapping[Variable, bool],
    joined: Mapping[Variable, Collection[str]],
    *,
    as_text: bool = False,
) -> tuple[GuessedColumns, tuple[str, str] | None]:
    """Guess the mapping of a table's columns to RDF, from the names and first cells of the columns.

    A column becomes the object of the predicate with the same local name, or with an object variable of the
    same name. If only one column and one predicate remain, the column becomes the object of the predicate. If
    a cell contains a word, the word is mapped to an IRI. If no column names the subject, the subject is the
    first column. If the first column is an object, the subject is a column with a name such as id or
    sensor_id; without one, each row has a separate subject. Each row also has a separate subject if the first
    column contains numbers, and no query uses a column as an object.
    The words in a column become string literals if a query compares the column's variable with a string;
    `compared` contains these variables, with true if digits also become string literals. `joined` contains
    the IRIs of static data that a query joins with variables; words become IRIs like them. With `as_text`,
    words become string literals unless a query asks for an IRI, and each row has a separate subject.
    """
    written = (item for text in texts for item in _PREFIX.findall(text))
    prefixes = {name: iri for name, iri in written if not iri.startswith(_STANDARD)} or dict([EXAMPLE])
    short = next(iter(prefixes))
    names = list(cells)
    time = _time_of(cells) or names[0]
    left = [name for name in names if name != time] or [time]
    subjects = {_name(pattern.subject) for pattern in patterns}
    named = next((text for text in left if text.lower() in subjects), None)
    asked = {text for text in left if _predicate(text, patterns) is not None}
    # Numbers that no query asks for are measurements, which name no subject.
    measured = not asked and _NUMBER.fullmatch(cells[left[0]]) is not None
    identified = next((text for text in left if text not in asked and _ID.search(text)), None)
    first = named or (None if as_text or measured else identified if left[0] in asked else left[0])
    # A column that a query asks for as an object stays one, though it is the subject too.
    others = [text for text in left if text != first or text in asked] or left
    predicates = _predicates(others, patterns)
    namespaces = {iri: f"{name}:" for name, iri in prefixes.items()}

    def as_iri(column: str, terms: Iterable[object]) -> str:
        space = _namespace(cells[column].strip(), terms, joined) or prefixes[short]
        return f"{namespaces[space]}{{{column}}}" if space in namespaces else f"<{space}{{{column}}}>"

    fitting = {Iri(predicate) for predicate in predicates.values()}
    own = [
        pattern.subject
        for pattern in patterns
        if (pattern.predicate in fitting if named is None else _name(pattern.subject) == named.lower())
    ]
    columns = {"t": f"{{{time}}}", "s": EACH_ROW if first is None else as_iri(first, own)}
    for word in others:
        key = _shortened(predicates[word], prefixes) if word in predicates else f"{short}:{_local(word)}"
        predicate = predicates.get(word)
        if _is_iri(predicate, patterns):
            words = _WORD.fullmatch(cells[word].replace(" ", ""))
        else:
            is_text = as_text or _is_text(predicate, patterns, compared)
            words = None if is_text or _NUMBER.fullmatch(cells[word]) else _WORD.fullmatch(cells[word])
        objects = [pattern.object for pattern in patterns if pattern.predicate == Iri(predicate or "")]
        columns[key] = as_iri(word, objects) if words else f"{{{word}}}"
        if not as_text and cells[word].isdigit() and _is_code(predicate, patterns, compared):
            columns[key] = f'"{{{word}}}"'
    texts_of_all = (*columns, *columns.values())
    used = {name: iri for name, iri in prefixes.items() if any(f"{name}:" in text for text in texts_of_all)}
    last = next((word for word in predicates if _predicate(word, patterns) is None), None)
    remainder = None if last is None else (last, _shortened(predicates[last], prefixes))
    return (columns, used), remainder


def _namespace(cell: str, terms: Iterable[object], joined: Mapping[Variable, Collection[str]]) -> str | None:
    """Return the part of IRIs before a cell; None if it is unknown.

    The IRIs are the terms that a query asks for in place of the cell, and those of static data that it joins.
    """
    every = [*terms]
    constants = [term.value for term in every if isinstance(term, Iri)]
    stored = [iri for term in every if isinstance(term, Variable) for iri in joined.get(term, ())]
    ends = {iri.removesuffix(cell) for iri in (*constants, *stored) if cell and iri.endswith(cell)}
    spaces = {space for space in ends if space and not space[-1].isalnum()}
    spaces = spaces or {re.sub(r"[^/#:]*$", "", iri) for iri in constants}
    return spaces.pop() if len(spaces) == 1 else None


def _with_streams(guess: GuessedColumns, cell: str) -> GuessedColumns:
    """Return a guessed mapping with the column `stream`, which names the stream of each row."""
    (columns, prefixes), (name, iri) = guess, EXAMPLE
    if _ABSOLUTE.match(cell):
        return {**columns, "stream": "<{stream}>"}, prefixes
    short = next(iter(prefixes), name)
    return {**columns, "stream": f"{short}:{{stream}}"}, prefixes or {name: iri}


def _texts_of(cells: Mapping[str, str], queries: Sequence[EngineQuery]) -> Iterator[Variable]:
    """Yield the object variables whose values are texts in a table, and so in each table that is joined."""
    patterns = [one for query in queries for one in _patterns(query.pattern)]
    subjects = {one.subject for one in patterns}
    for name, cell in cells.items():
        predicate = _predicate(name, patterns)
        if not cell or _WORD.fullmatch(cell) or _NUMBER.fullmatch(cell) or _is_iri(predicate, patterns):
            continue
        objects = (one.object for one in patterns if one.predicate == Iri(predicate or ""))
        yield from (one for one in objects if isinstance(one, Variable) and one not in subjects)


def _stored(
    queries: Sequence[EngineQuery], files: Sequence[StaticFile]
) -> Mapping[Variable, Collection[RdfTerm]]:
    """Return the terms of static data that the queries match with variables, by subject or object.

    A column with such a variable is joined with them: no number is equal to "007", and no IRI to another one.
    """
    static = read_static(files)
    places = defaultdict[str, list[tuple[int, Variable]]](list)
    for one in _patterns([query.pattern for query in queries]):
        if isinstance(one.predicate, Iri):
            ends = enumerate((one.subject, one.object))
            places[str(one.predicate)] += [(2 * n, end) for n, end in ends if isinstance(end, Variable)]
    stores = (static, *static.engine_stores.values())
    texts = defaultdict[Variable, set[str]](set)
    for triple in chain.from_iterable(g for own in stores for g in (own.default, *own.named.values())):
        for place, variable in places.get(triple[1], ()):
            texts[variable].add(triple[place])
    return {variable: {*map(read_term, own)} for variable, own in texts.items()}


def _is_text(
    predicate: str | None, patterns: Sequence[TriplePattern], compared: Collection[Variable]
) -> bool:
    """Whether a query asks for a text as the object of a predicate, or compares the object with a text."""
    objects = [pattern.object for pattern in patterns if pattern.predicate == Iri(predicate or "")]
    return any(isinstance(term, Literal) or term in compared for term in objects)


def _is_code(
    predicate: str | None, patterns: Sequence[TriplePattern], compared: Mapping[Variable, bool]
) -> bool:
    """Whether a query compares the object of a predicate with a text: digits such as 007 are then a code."""
    objects = [pattern.object for pattern in patterns if pattern.predicate == Iri(predicate or "")]
    # Digits never equal another text: a column of digits and words has texts without a template for codes.
    texts = (term.lexical for term in objects if isinstance(term, Literal) and _is_string(term))
    return any(map(_NUMBER.fullmatch, texts)) or any(
        compared.get(term, False) for term in objects if isinstance(term, Variable)
    )


def _is_string(term: object) -> bool:
    return isinstance(term, Literal) and term.datatype == _STRING


def _compared_with_texts(part: object, *, passed: bool) -> Iterator[Variable]:
    """Yield the variables that a part of a query compares with a text.

    If `passed` is true, these are also variables that a text replaces, such as in COALESCE(?temp, "none").
    """
    members = _members(part)
    is_replacing = isinstance(part, Call) and part.function in _REPLACING
    if isinstance(part, Values):
        for name, *terms in zip(part.names, *part.rows, strict=True):
            if any(map(_is_string, terms)):
                yield name
    elif any(map(_is_string, members)) and (passed or not is_replacing):
        yield from (member for member in members if isinstance(member, Variable))
    for member in members:
        yield from _compared_with_texts(member, passed=passed)


_REPLACING: Final = ("COALESCE", "IF")
"""Functions that return one of their arguments, and compare none of these with each other."""


def _members(part: object) -> list[object]:
    if isinstance(part, tuple | list | frozenset):
        return list(part)
    if not is_dataclass(part) or isinstance(part, type):
        return []
    own = [getattr(part, member.name) for member in fields(part)]
    return [one for each in own for one in (each if isinstance(each, tuple) else (each,))]


def _is_iri(predicate: str | None, patterns: Sequence[TriplePattern]) -> bool:
    """Whether a query asks for an IRI as the object of a predicate."""
    return any(
        isinstance(pattern.object, Iri) and pattern.predicate == Iri(predicate)
        for pattern in patterns
        if predicate is not None
    )


def _predicates(columns: Sequence[str], patterns: Sequence[TriplePattern]) -> dict[str, str]:
    """Return the predicate of each column that is mapped to a predicate."""
    fitting = [(rank, column, iri) for column in columns for iri, rank in _fitting(column, patterns)[:1]]
    # If several columns fit a predicate, the column that fits best has it.
    best = {iri: column for rank, column, iri in sorted(fitting, key=lambda one: -one[0])}
    predicates = {column: iri for iri, column in best.items()}
    every = dict.fromkeys(
        pattern.predicate.value for pattern in patterns if isinstance(pattern.predicate, Iri)
    )
    free = [text for text in every if text not in predicates.values()]
    rest = [column for column in columns if column not in predicates]
    return predicates | (dict(zip(rest, free, strict=True)) if len(rest) == len(free) == 1 else {})


def _patterns(part: object) -> Iterator[TriplePattern]:
    """Yield the triple patterns in a part of a query, in the order of the text."""
    match part:
        case TriplePattern():
            yield part
        case tuple() | list() | frozenset():
            for member in part:
                yield from _patterns(member)
        case _ if is_dataclass(part) and not isinstance(part, type):
            for member in fields(part):
                yield from _patterns(getattr(part, member.name))


def _patterns_on(
    here: Collection[str], elsewhere: Collection[str], queries: Sequence[EngineQuery]
) -> Sequence[TriplePattern]:
    """Return the triple patterns that the queries match in the streams `here`.

    If no STREAM block reads these streams, the result contains the patterns in all blocks but those on the
    streams `elsewhere`. If the queries have no blocks, the result contains all triple patterns.
    """
    blocks = [block for query in queries for block in stream_blocks(query.pattern)]
    if not blocks:
        return list(dict.fromkeys(_patterns([query.pattern for query in queries])))
    names = [block.stream.value if isinstance(block.stream, Iri) else None for block in blocks]
    each = list(zip(blocks, names, strict=True))
    own = [block for block, name in each if name in here]
    return list(dict.fromkeys(_patterns(own or [block for block, name in each if name not in elsewhere])))


def _without_others(
    patterns: Sequence[TriplePattern],
    names: Sequence[str],
    headers: Iterable[Sequence[str]],
    files: Iterable[Path],
) -> Sequence[TriplePattern]:
    """Return the patterns without predicates that only other data has: columns of other tables, or files.

    The files contain triples; a predicate is in a file if its IRI or prefixed name is.
    """
    iris = {one.predicate.value for one in patterns if isinstance(one.predicate, Iri)}
    here = {_predicate(name, patterns) for name in names}
    there = {_predicate(name, patterns) for header in headers for name in header}
    for path in files:
        text = b"" if _is_large(path) else readable(path).read_bytes()
        there |= {iri for iri in iris if _mention(iri).search(text)}
    out = {Iri(iri) for iri in iris & (there - here)}
    return [one for one in patterns if one.predicate not in out]


def _mention(iri: str) -> re.Pattern[bytes]:
    """Return the pattern of an IRI, or of a prefixed name with its local name, in a file of triples."""
    local = re.split(r"[/#:]", iri.rstrip("/#"))[-1]
    return re.compile(rf"(?:{re.escape(iri)}|[\w.-]*:{re.escape(local)})(?![\w/#-])".encode())


def _name(term: object) -> str | None:
    return term.name.lower() if isinstance(term, Variable) else None


def _predicate(column: str, patterns: Sequence[TriplePattern]) -> str | None:
    """Return the predicate whose local name or object variable has the name of the column."""
    return next((iri for iri, _ in _fitting(column, patterns)), None)


def _fitting(column: str, patterns: Sequence[TriplePattern]) -> list[tuple[str, int]]:
    """Return the predicates that fit the name of a column, the best first, each with a number: 0 fits best.

    The local name of a predicate fits better than its object variable, and a name with the same letters
    better than a name that differs in spaces, signs or a unit in brackets, such as `Temp (°C)`.
    """
    name, plain = column.lower(), _plain(column)
    fitting = dict[str, int]()
    for pattern in patterns:
        if isinstance(pattern.predicate, Iri):
            own = re.split(r"[/#:]", pattern.predicate.value.rstrip("/#"))[-1].lower()
            names = own, _name(pattern.object) or ""
            exact, near = name in names, plain != "" and plain in map(_plain, names)
            if exact or near:
                rank = names.index(name) if exact else 2
                fitting[pattern.predicate.value] = min(rank, fitting.get(pattern.predicate.value, rank))
    return sorted(fitting.items(), key=lambda item: item[1])


def _plain(name: str) -> str:
    """Return the letters and digits of a name in lower case, without a unit in brackets at its end."""
    return re.sub(r"\W|_", "", re.sub(r"[(\[][^()\[\]]*[)\]]\s*$", "", name)).lower()


def _shortened(iri: str, prefixes: Mapping[str, str]) -> str:
    fitting = [(len(own), name) for name, own in prefixes.items() if iri.startswith(own)]
    if not fitting:
        # Without brackets an IRI such as urn:x would be a prefix and a name.
        return iri if iri.startswith("http") else f"<{iri}>"
    size, name = max(fitting)
    return f"{name}:{iri[size:]}"


def _local(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _first_cells(path: Path, names: Sequence[str]) -> Mapping[str, str]:
    """Return a cell of each column of a table that shows the kind of its terms.

    The cell is the first value, or the first text with a space or sign in a column that begins with a word:
    such a text cannot be a part of an IRI. The cell is "" for a column without values. In tables of other
    formats than CSV and TSV, only the columns of texts of a table that is not large have cells.
    """
    state = readable(path).stat()
    return _telling_of(path, tuple(names), (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=16)
def _telling_of(path: Path, names: tuple[str, ...], _state: tuple[int, int]) -> Mapping[str, str]:
    # Loads pyarrow, which no query needs.
    from solver.traces.formats.mapped_tables import NULL_WORDS, cells_of_table
    from solver.traces.formats.tables import plain_table

    first, skipped = dict.fromkeys(names, ""), {"", *NULL_WORDS, *INFINITE}
    if bare(path).suffix.lower() in _TEXT_TABLES:
        rows = _text_rows(path)
        columns = [(place, name) for place, name in enumerate(next(rows, [])) if name in first]
        return first | _telling_cells(islice(rows, _MOST_ROWS), columns, skipped)
    if _is_large(path):
        return first
    plain = plain_table(str(path), readable(path))
    for name in names:
        with suppress(LarsError):  # reported by the command that reads the trace
            is_text, texts = cells_of_table(str(path), plain, {name})[name]
            if is_text:
                first |= _telling_cells(([text or ""] for text in texts), [(0, name)], skipped)
    return first


def _usable(path: Path, names: Sequence[str], note: Warn) -> tuple[str, ...]:
    """Return the columns of a table that can be mapped; print a note about other columns."""
    # Loads pyarrow, which no query needs.
    from solver.traces.formats.mapped_tables import columns_without_terms
    from solver.traces.formats.tables import plain_table

    plain = plain_table(str(path), readable(path))
    if omitted := columns_without_terms(plain):
        note(
            f"{path}: omits the columns {', '.join(omitted)}, because lars reads only texts, numbers, true "
            "and false, dates and timestamps"
        )
    # pandas writes its index as a column without a name.
    return tuple(name for name in names if name.strip() and name not in omitted)


def _text_rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a table in CSV or TSV that are not empty; the first row is the header."""
    plain = readable(path)
    with plain.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from filter(None, csv_reader(file, delimiter_in(plain)))


def _telling_cells(
    rows: Iterable[Sequence[str]], columns: Sequence[tuple[int, str]], skipped: Collection[str]
) -> dict[str, str]:
    """Return the first text of each column; if it is a word, the first text that shows another kind, if any.

    Neither a word nor a number shows another kind. A text such as 1e1 is a word or a number: the first text
    that is only a word, or only a number, shows its kind. Columns are pairs of an index and a name. The rows
    are read only as long as a later text can show another kind.
    """
    found: dict[str, str] = {}
    known = {name: {*skipped} for _, name in columns}
    undecided = [(place, name, known[name]) for place, name in columns]
    for row in rows:
        left = len(undecided)
        for place, name, cells in undecided:
            if place >= len(row) or (cell := row[place]) in cells:
                continue
            cells.add(cell)
            is_odd = not _WORD.fullmatch(cell) and not _NUMBER.fullmatch(cell)
            is_new = name not in found or (is_odd and _WORD.fullmatch(found[name]))
            if is_new or (_is_number_or_word(found[name]) and not _is_number_or_word(cell)):
                found[name] = cell
                left -= not _WORD.fullmatch(cell)
        if left < len(undecided):
            undecided = [one for one in undecided if _WORD.fullmatch(found.get(one[1], "word"))]
            if not undecided:
                break
    return found


def _is_number_or_word(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None and _WORD.fullmatch(cell) is not None


def _words_between_numbers(path: Path) -> Iterator[str]:
    """Yield the words for missing values: words in columns of a text table that otherwise contain numbers."""
    names = header(path)
    if bare(path).suffix.lower() not in _TEXT_TABLES or _is_of_trace(path, names):
        return
    # Loads pyarrow, which no query needs.
    from solver.traces.formats.mapped_tables import NULL_WORDS, NUMBER

    rows = _text_rows(path)
    columns = {place: {""} for place, _ in enumerate(next(rows, []))}
    for row in islice(rows, _MOST_ROWS):
        texts = []
        for place, cells in columns.items():
            if place < len(row) and (cell := row[place]) not in cells:
                cells.add(cell)
                if cell not in NULL_WORDS and not NUMBER.fullmatch(cell.strip()):
                    texts.append(place)
        for place in texts:
            del columns[place]
    for cells in columns.values():
        if cells - NULL_WORDS - {""}:
            yield from cells & NULL_WORDS


_OWN: Final = ({"t", "s", "p", "o"}, {"t", "atom"}, {"t", "predicate"})


def _is_of_trace(path: Path, names: Sequence[str]) -> bool:
    """Return whether a table has the columns of a trace, and needs no mapping."""
    if bare(path).suffix.lower() in _TEXT_TABLES:
        return are_columns(names)
    return any(set(names) - {"stream"} >= known for known in _OWN)


_GUESSED: Final = (
    (
        "# lars guessed these templates from the names of the columns and the first row. Correct them "
        "if a query needs other terms:"
    ),
    (
        '# s is the subject of a row; "_:{row}" is a new subject for each row, "ex:{c}" an IRI, "{c}" '
        "a literal."
    ),
)
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class InitialExperiment:
    """The content of a new experiment: its folder, files and options."""

    folder: Path
    queries: Mapping[Language, Path]
    traces: tuple[Path, ...]
    input_options: InputOptions
    period: tuple[Period, ...] = ()
    streams: Mapping[str, Path] = field(default_factory=dict)
    as_text: bool = False
    comments: Mapping[str, str] = field(default_factory=dict)
    timeline: tuple[str, ...] = ()

    def lines(self, note: Warn) -> Iterator[str]:
        """Yield the lines of the experiment file; `note` receives a note about each guess."""
        input_options = self.input_options
        for language, path in self.queries.items():
            yield f"{language.value} = {_text(self._from_here(path))}"
        if self.derived_query() is not None:
            yield (
                "# lars derived the stream of each pattern: each row of a table has a subject of its own, so "
                "that all patterns with a subject match the same table."
            )
            yield f"cqels = {_text(DERIVED)}"
        files = [path for path in self.traces if path not in self.streams.values()]
        if files:
            yield f"files = {_text([self._from_here(path) for path in files])}"
        if input_options.static:
            static = [static_text(file, self._from_here(file.path)) for file in input_options.static]
            yield f"static = {_text(static)}"
        if self.period:
            if "period" in self.comments:
                yield f"# {self.comments['period']}"
            yield f"period = {_text(self._periods())}"
        trace, around = input_options.trace, input_options.around
        of_trace = {key: getattr(trace, key) for key in ("unit", "trace_unit", "origin", "time")}
        texts = {
            key: value and (value.isoformat() if key == "origin" else str(value))
            for key, value in (of_trace | {"base": around.base, "rdf": around.rdf}).items()
        }
        order = {"timeline": list(self.timeline) or None, "sort": trace.sort or None}
        for key, value in (texts | order).items():
            if key in self.comments:
                yield f"# {self.comments[key]}"
            if value is not None:
                yield f"{key} = {_text(value)}"
        if trace.arrival is not None:
            yield f"arrival = {_text(trace.arrival)}"
        if trace.blank_nodes is not None:
            yield f"blank_nodes = {_text(trace.blank_nodes)}"
        if nulls := self.null_words():
            if not trace.null:
                yield (
                    "# These words mean missing values, because all other cells of their columns are numbers."
                )
                note(f"cells with {', '.join(nulls)} are read as missing values (--null)")
            yield f"null = {_text(list(nulls))}"
        yield from _table("readings", around.readings or {})
        files_of = {iri: self._from_here(path) for iri, path in self.streams.items()}
        told = self.comments.get("streams")
        yield from _table("streams", files_of, [f"# {told}"] if told else ())
        mapped = self.mapped(note)
        columns = mapped.trace.column or {}
        yield from self._undecided(mapped, note)
        yield from _table("prefixes", mapped.around.prefix or {})
        for name, own in _by_stream(columns).items():
            guessed = (
                () if input_options.trace.column else (*_GUESSED, *self._doubts(name, own, mapped, note))
            )
            yield from _table("columns" if name is None else f"columns.{_text(name)}", own, guessed)
        # After all errors.
        if "period" in self.comments:
            note(f"the pull period is {self._periods()}. {self.comments['period']}")
        if "streams" in self.comments:
            note(self.comments["streams"])

    def _periods(self) -> str:
        return ",".join(str(period) for period in self.period)

    def _undecided(self, mapped: InputOptions, note: Warn) -> Iterator[str]:
        """Yield comments that propose a stream for each pattern that several streams of a query can match.

        Only the user knows the stream. A second query names the stream of each pattern, so that comments are
        not necessary.
        """
        query, *others = (
            load_query(path, self.input_options.trace.time_point) for path in self.queries.values()
        )
        streams = list(dict.fromkeys(part.iri.value for part in query.merged))
        if others or len(streams) == 1:
            return
        if self.derived_query() is not None:
            note(
                f"the query does not name the stream of each pattern: lars wrote {self.folder / DERIVED}, "
                "which names the streams"
            )
            return
        proposed: dict[str, list[str]] = {}
        undecided: list[str] = []
        asked = list(dict.fromkeys(pattern.predicate for pattern in _patterns(query.pattern)))
        for predicate in asked:
            iri = str(predicate)[1:-1]
            having = [
                stream
                for stream in streams
                if stream in self.streams and self._has(stream, predicate, mapped)
            ]
            if len(having) > 1:
                undecided.append(iri)
                for stream in having:
                    proposed.setdefault(stream, []).append(iri)
        unnamed = [str(predicate) for predicate in asked if isinstance(predicate, Variable)]
        if not undecided and not unnamed:
            return
        several = f"several streams have the predicate {', '.join(undecided)}"
        matched = f"triples of each stream can match the predicate {', '.join(unnamed)}"
        problem = f"{UNNAMED}, and {matched if unnamed else several}."
        remedy = "add a CQELS query, which names the stream of each pattern"
        yield from ("", f"# {problem}")
        if unnamed:
            yield f'# Before lars agree, {remedy}: cqels = "query.cqels.rq"'
        else:
            yield "# If one stream matches all patterns with a predicate, list the predicate only there:"
            yield "# [assign]"
            yield from (f"# {_text(stream)} = {toml_text(iris)}" for stream, iris in proposed.items())
            yield f'# Otherwise, {remedy}: cqels = "query.cqels.rq"'
            remedy = f"choose the stream below [assign] in {EXPERIMENT_FILE}, or {remedy}"
        note(f"{problem} Before `lars agree`, {remedy}")

    def _doubts(
        self, stream: str | None, columns: Mapping[str, str], mapped: InputOptions, note: Warn
    ) -> Iterator[str]:
        """Yield a comment about a row that its table omits, or two rows whose values a query can combine.

        The columns are those of the tables of a stream; if it is None, those of all tables.
        """
        if columns["s"] == EACH_ROW:
            return
        queries = [load_query(path, self.input_options.trace.time_point) for path in self.queries.values()]
        predicates = (str(one.predicate)[1:-1] for one in _patterns([query.pattern for query in queries]))
        prefixes = mapped.around.prefix or {}
        asked = {name for iri in predicates for name in (iri, f"<{iri}>", _shortened(iri, prefixes))}
        for path in self.traces if stream is None else (self.streams[stream],):
            names = header(path)
            if not names or _is_of_trace(path, names):
                continue
            if (omitted := _row_without_subject(path, columns["s"])) is not None:
                row, column = omitted
                problem = f"row {row} has no value in the column {column}, so that lars omits the row."
            elif rows := _mixed_rows(path, columns, asked):
                problem = (
                    f"rows {rows[0]} and {rows[1]} have the same subject and time, so that a "
                    "query can combine values of both."
                )
            else:
                continue
            sentence = (
                f"{path.name}: {problem} If each row is an observation of its own, use "
                f's = "{EACH_ROW}", and match the subject by its column (manual page own-csv.md, step 4).'
            )
            note(sentence)
            yield f"# {sentence}"
            return

    def _has(self, stream: str, predicate: object, mapped: InputOptions) -> bool:
        """Return whether a column of a stream's table becomes a predicate."""
        columns, iri = mapped.trace.column or {}, str(predicate)[1:-1]
        keys = {iri, f"<{iri}>", _shortened(iri, mapped.around.prefix or {})}
        own = columns.get(stream, columns)
        return not isinstance(own, str) and bool(keys & {*own})

    def derived_query(self) -> str | None:
        """Return a CQELS query that names the stream of each pattern of the only query.

        If each row of a table has a subject of its own, all patterns with the same subject match the same
        table. The result is None if the predicates determine the streams, or if a stream remains unknown.
        """
        (path, *others), mapped = self.queries.values(), self.mapped(unsaid)
        query = load_query(path, self.input_options.trace.time_point)
        streams = list(dict.fromkeys(part.iri for part in query.merged))
        if others or len(streams) == 1 or not {one.value for one in streams} <= self.streams.keys():
            return None
        columns = mapped.trace.column or {}
        owned = [columns.get(one.value, columns) for one in streams]
        if any(isinstance(own, str) or own.get("s") != EACH_ROW for own in owned):
            return None
        every = list(dict.fromkeys(_patterns(query.pattern)))
        having = {
            one: [
                stream
                for stream in streams
                if isinstance(one.predicate, Variable) or self._has(stream.value, one.predicate, mapped)
            ]
            for one in every
        }
        sure: dict[object, set[Iri]] = {}
        for one, places in having.items():
            if len(places) == 1 and isinstance(one.subject, Variable):
                sure.setdefault(one.subject, set()).add(places[0])
        chosen = {
            one: places if len(places) <= 1 else sorted(sure.get(one.subject, ()), key=str)
            for one, places in having.items()
        }
        is_known = all(len(chosen[one]) == 1 for one, places in having.items() if places)
        if not is_known or chosen == having:
            return None

        def split(bgp: Bgp) -> dict[Iri, Bgp]:
            parts: dict[Iri, list[TriplePattern]] = {}
            for one in bgp.triples:
                for stream in chosen.get(one, ()):
                    parts.setdefault(stream, []).append(one)
            return {stream: Bgp(tuple(triples)) for stream, triples in parts.items()}

        with suppress(LarsError):
            return write_query(cq(model_of_csparql(query, split))[0].query, Language.CQELS)
        return None

    def null_words(self) -> tuple[str, ...]:
        """Return the words that mean missing values: the given words, or words in columns of numbers."""
        if self.input_options.trace.null:
            return self.input_options.trace.null
        found = (word for path in self.traces for word in _words_between_numbers(path))
        return tuple(sorted(dict.fromkeys(found)))

    def mapped(self, note: Warn) -> InputOptions:
        """Return the options of the traces, with guesses for missing options."""
        options = self.input_options.with_trace(stream={path: iri for iri, path in self.streams.items()})
        if options.trace.column or not (guesses := self._guessed(note)):
            return options
        prefixes = {name: iri for _, own in guesses.values() for name, iri in own.items()}
        columns = {stream: own for stream, (own, _) in guesses.items() if stream is not None}
        alone = guesses[None][0] if None in guesses else {}
        around = replace(options.around, prefix=options.around.prefix or prefixes)
        return replace(options, around=around).with_trace(column={**alone, **columns})

    def _from_here(self, path: Path) -> str:
        return os.path.relpath(path, self.folder).replace(os.sep, "/")

    def _guessed(self, note: Warn) -> Mapping[str | None, GuessedColumns]:
        """Return a guessed mapping of columns by stream, for tables without the columns of a trace.

        If all tables have the same columns, the result is one mapping with the key None.
        """
        headers = {path: header(path) for path in self.traces}
        own = {
            path: usable
            for path, names in headers.items()
            if names and not _is_of_trace(path, names) and (usable := _usable(path, names, note))
        }
        read = [load_query(query, self.input_options.trace.time_point) for query in self.queries.values()]
        texts = [text_in(query, "a query") for query in self.queries.values()]
        compared = dict.fromkeys(_compared_with_texts(tuple(read), passed=True), False)
        compared |= dict.fromkeys(_compared_with_texts(tuple(read), passed=False), True)
        cells = {path: _first_cells(path, headers[path]) for path in own}
        compared |= {variable: True for path in own for variable in _texts_of(cells[path], read)}
        stored = _stored(read, self.input_options.static) if own else {}
        compared |= {name: True for name, terms in stored.items() if terms and all(map(_is_string, terms))}
        joined = {
            name: {term.value for term in terms if isinstance(term, Iri)} for name, terms in stored.items()
        }
        several, guesses = len(set(own.values())) > 1, dict[str | None, GuessedColumns]()
        for path, names in own.items():
            stream = self._stream_of(path) if several else None
            if stream not in guesses:
                names_streams = "stream" in names and path not in self.streams.values() and not self.as_text
                first_cells = {
                    name: cells[path][name] for name in names if name != "stream" or not names_streams
                }
                _check_names(path, names, first_cells)
                if not self.as_text:
                    _check_time(path, first_cells, cells[path])
                key = "columns" if stream is None else f"columns.{_text(stream)}"
                # Without an experiment, options take the place of its tables.
                where = "Correct it with --column PREDICATE=TEMPLATE" if self.as_text else "Correct it"
                note(
                    f"{path}: [{key}] is guessed from the columns {', '.join(names)}. {where} if "
                    "your queries need other terms"
                )
                tables = (path,) if several else own.keys()
                here = {iri for iri, table in self.streams.items() if table in tables}
                patterns = _patterns_on(here, self.streams.keys() - here, read)
                # A STREAM block asks its own table for all its predicates.
                if not any(True for query in read for _ in stream_blocks(query.pattern)):
                    static = (file.path for file in self.input_options.static)
                    triples = [file for file in (*self.traces, *static) if file not in own]
                    patterns = _without_others(patterns, names, own.values(), triples)
                guesses[stream], remainder = guessed_columns(
                    first_cells, patterns, texts, compared, joined, as_text=self.as_text
                )
                if names_streams:
                    guesses[stream] = _with_streams(guesses[stream], cells[path]["stream"])
                if remainder is not None:
                    column, predicate = remainder
                    note(
                        f"{path}: column {column} gets the predicate {predicate}, because only this "
                        "column and this predicate are left"
                    )
        if len(own) == len(self.traces) and not self.as_text:
            self._note_missing(read, guesses, note)
        return guesses

    def _note_missing(
        self, read: Sequence[EngineQuery], guesses: Mapping[str | None, GuessedColumns], note: Warn
    ) -> None:
        """Print a note about predicates in the queries to which no column is mapped."""
        blocks = [block for query in read for block in stream_blocks(query.pattern)]
        if not blocks and self.input_options.static:
            return
        patterns = _patterns(blocks or [query.pattern for query in read])
        asked = dict.fromkeys(each.predicate.value for each in patterns if isinstance(each.predicate, Iri))
        given = {key for columns, _ in guesses.values() for key in columns}
        prefixes = {name: iri for _, own in guesses.values() for name, iri in own.items()}
        known = {_shortened(iri, prefixes): iri for iri in asked}
        if missing := [name for name, iri in known.items() if not {name, iri, f"<{iri}>"} & given]:
            note(
                f"no column gives the predicate {', '.join(missing)}, which the queries ask for. If the "
                "header or a column contains the names of objects or quantities, the manual page own-csv.md "
                "shows how to change the table or the query"
            )

    def _stream_of(self, path: Path) -> str:
        """Return the stream of a table; raises LarsError if the rows of the table contain streams."""
        for iri, own in self.streams.items():
            if own == path:
                return iri
        problem = "its columns differ from the columns of the other tables, and its rows contain the stream"
        raise LarsError(
            f"{path}: cannot guess templates for the columns: {problem}; use --stream IRI={path}, or "
            "write an experiment.toml by hand"
        )


_SEPARATORS: Final = ";\t|"
_SHORT_TIME: Final = 8
"""The greatest length of an integer that need not count from 1970, and can be a measured value."""
_TIME_OF_DAY: Final = re.compile(r"\d:\d\d")


def _time_of(cells: Mapping[str, str]) -> str | None:
    """Return the column with the times of a table, from the names and first cells of the columns.

    A column with a usual name, such as `time`, comes first, then a column with dateTimes. Otherwise, the
    first column is returned if its cell is empty or an integer, or else the first column whose integer counts
    from 1970. The result is None if no column fits.
    """
    names = [name for name, cell in cells.items() if _is_time(cell)]
    dated = [name for name in names if not cells[name].isdigit()]
    first = next(iter(cells))
    own = [first] if not cells[first] or first in names else []
    counted = [name for name in names if len(cells[name]) > _SHORT_TIME]
    return next(iter((*filter(None, [time_column([*cells])]), *dated, *own, *counted)), None)


def _is_time(cell: str) -> bool:
    try:
        cell_time(cell)
    except MalformedPart:
        return False
    return True


def _check_time(path: Path, cells: Mapping[str, str], every: Mapping[str, str]) -> None:
    """Raise LarsError if the first row of a table has no valid time; `every` has columns without name too."""
    name = _time_of(cells)
    if name is None and any(_is_time(cell) for other, cell in every.items() if not other.strip()):
        raise LarsError(
            f"{path}: cannot use the column without a name for the times; use a name in the first line, such "
            'as time (in pandas: to_csv(..., index_label="time"))'
        )
    if name is None:
        # Dates in the order of a country have a time of day, too.
        name = next((name for name, cell in cells.items() if _TIME_OF_DAY.search(cell)), next(iter(cells)))
    if not cells[name]:
        return
    clock = next((other for other, cell in cells.items() if CLOCK.fullmatch(cell)), None)
    if clock is not None and DATE.fullmatch(cells[name]):
        raise LarsError(
            f"{path}: cannot use the column {name} for the times: its dates have their times of day in the "
            f"column {clock}; use one column with times such as {cells[name]}T{cells[clock]}"
        )
    try:
        cell_time(cells[name])
    except MalformedPart as error:
        raise LarsError(f"{path}: cannot use the column {name} for the times: {error}") from None


def _check_names(path: Path, header: Sequence[str], cells: Mapping[str, str]) -> None:
    """Raise LarsError if the first line of a table cannot contain the names of the columns."""
    names = [*cells]
    if twice := next((name for name in names if header.count(name) > 1), None):
        problem = f"two columns have the name {twice}; use a different name for each column"
    elif wrong_header := header_problem(names):
        problem = wrong_header
    elif name := next((name for name in names if {*name} & {*"{}"}), None):
        problem = (
            f"the column {name} has a bracket in its name, and templates write names in {{ }}; rename it"
        )
    elif name := next((name for name, cell in cells.items() if {*name} & {*cell} & {*_SEPARATORS}), None):
        mark = next(mark for mark in name if mark in _SEPARATORS)
        problem = f"the column {name} and its first cell {cells[name]} contain {mark!r}; use one separator"
    else:
        return
    raise PlacedError(Place(str(path), 1, 1, ",".join(names)), problem)


def _table(name: str, content: Mapping[str, object], comment: Sequence[str] = ()) -> Iterator[str]:
    if content:
        yield from ("", *comment)
        yield f"[{name}]"
        yield from (f"{_key(key)} = {_text(value)}" for key, value in content.items())


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key)


def _text(value: object) -> str:
    """Return a text, a list of texts or a mapping in TOML syntax; a list of one text has no brackets."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_text(content)}' for key, content in value.items())} }}"
    if isinstance(value, list) and len(value) > 1:
        return f"[{', '.join(map(_text, value))}]"
    first = value[0] if isinstance(value, list) else value
    return toml_text(first)


def header(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a table; () for a file that is not a table."""
    if bare(path).suffix.lower() not in _TABLES and not is_table(path):
        return ()
    # Loads pyarrow, which no query needs.
    from solver.traces.formats.mapped_tables import column_names
    from solver.traces.formats.tables import plain_table

    return column_names(str(path), plain_table(str(path), readable(path)))


def initial(
    folder: Path,
    inputs: Sequence[Path],
    options: InputOptions,
    period: tuple[Period, ...] = (),
    *,
    as_text: bool = False,
) -> InitialExperiment:
    """Return a new experiment for queries and traces; raises LarsError if the stream of a trace is unknown.

    With `as_text`, words in tables become string literals; this is for answers without the kinds of RDF
    terms.
    """
    for path in (*inputs, *options.trace.streams, *(file.path for file in options.static)):
        if not exists(path):
            raise LarsError(f"{path}: no such file or folder; expected queries, traces and static data")
    paths = [path for path in inputs if is_query(path)]
    queries: dict[Language, Path] = {}
    asked: list[EngineQuery] = []
    read: list[str] = []
    for path in paths:
        query = load_query(path, options.trace.time_point)
        if (other := queries.setdefault(query.language, path)) != path:
            raise LarsError(
                f"{path}: the query is in the same language as {other}; expected one query in each language"
            )
        asked.append(query)
        read += [stream.value for stream in streams_of(query)]
    named = {iri: path for path, iri in options.trace.streams.items()}
    traces = tuple(dict.fromkeys((*(path for path in inputs if path not in paths), *named.values())))
    if not queries or not traces:
        missing = "traces" if queries else "query"
        raise LarsError(f"found no {missing} among the files; expected DIR QUERY.. TRACE..")
    comments: dict[str, str] = {}
    for path in traces:
        if not as_text:
            check_format(path)
        if path not in named.values() and not _names_streams(path):
            streams = list(dict.fromkeys(read))
            named[_stream_of(path, streams, named)] = path
            if len(streams) > 1:
                comments["streams"] = "lars guessed the stream of each file from the name of the file."
    alone = [path for path in traces if path not in named.values()]
    if named and alone and not as_text:
        others = ", ".join(str(path) for path in named.values())
        free = " or ".join(stream for stream in dict.fromkeys(read) if stream not in named) or "its stream"
        raise LarsError(
            f"{alone[0]}: cannot combine a trace that names the stream of each element with {others}; use "
            f"--stream IRI={alone[0]}, with {free}"
        )
    if not period and (period := _proposed_period(asked, options.trace.time_point)):
        comments["period"] = "No query defines a pull period: lars chose the width of the shortest window."
    pulled = period or _steps(asked, options.trace.time_point)
    timed, timeline, of_times = _timed(options, traces, pulled)
    comments |= of_times
    return InitialExperiment(folder, queries, traces, timed, period, named, as_text, comments, timeline)


def _proposed_period(queries: Sequence[EngineQuery], unit: Duration) -> tuple[Period, ...]:
    """Return the length of the shortest time window as the pull period, if no query has a pull period.

    The result is empty if a query has a pull period, or if the queries have no time window.
    """
    with suppress(LarsError):
        if all(default_period(query, unit) is None for query in queries):
            windows = [source.window for query in queries for source in sources(query)]
            lengths = [window.length for window in windows if isinstance(window, Range)]
            return (min(lengths),) if lengths else ()
    # A STEP that is no multiple of the unit is an error of the command that evaluates the query.
    return ()


_Moments = Sequence[tuple[str, Instant]]
"""The times of the rows of a table, each as the text of its cell and as an instant."""
_MS: Final = NANOSECONDS["ms"]
_DAY: Final = 24 * 60 * MINUTE * _MS
_ONE_NOTATION: Final = 1


def _steps(queries: Sequence[EngineQuery], unit: Duration) -> tuple[Period, ...]:
    """Return the only pull period that the queries define by their STEP; () if there is no such period."""
    steps: set[int] = set()
    with suppress(LarsError):
        steps = {step for query in queries if (step := default_period(query, unit)) is not None}
    return tuple(Duration(step * unit.nanoseconds) for step in steps) if len(steps) == 1 else ()


def _timed(
    options: InputOptions, traces: Sequence[Path], periods: Sequence[Period]
) -> tuple[InputOptions, tuple[str, ...], dict[str, str]]:
    """Return options that fit the times of the traces, a timeline, and comments on both.

    The pull periods end at multiples of their lengths after midnight, so that the rows of a period do not
    depend on the other periods. The timeline is empty if lars proposes no time 0, or if it would begin at
    time 0 and end with the last row.

    Raises:
        LarsError: The times have several notations, which no command reads together.
    """
    comments: dict[str, str] = {}
    each = {path: _moments(path) for path in traces}
    _check_notations({path: moments for path, (moments, _) in each.items()})
    unsorted = [path.name for path, (_, is_sorted) in each.items() if not is_sorted]
    if unsorted and not options.trace.sort and options.trace.arrival is None:
        comments["sort"] = f"The rows of {', '.join(unsorted)} are not in the order of their times."
        options = options.with_trace(sort=True)
    if options.trace.unit is not None:
        return options, (), comments
    known = [moments for moments, _ in each.values() if moments]
    # Time 0 must not be after an element of a file whose times are not known here.
    is_whole = len(known) == len(traces) and not any(map(_is_large, traces))
    units = {EPOCH_DIGITS.get(len(moments[0][0])) for moments in known if moments[0][0].isdigit()}
    unit = next(iter(units)) if len(known) == len(traces) and len(units) == 1 else None
    if options.trace.trace_unit is None and unit not in (None, SECOND):
        comments["trace_unit"] = f"The times have so many digits that they count units of {unit} from 1970."
        options = options.with_trace(trace_unit=unit)
    counted = (options.trace.trace_unit or SECOND).nanoseconds
    instants = [instant for moments in known for _, instant in moments]
    times = [one.value * (counted if one.kind is TimeKind.INTEGER else 1) for one in instants]
    if not times or min(times) < SINCE_1970 * _MS or max(times) > LATEST * _MS:
        return options, (), comments
    is_dated = instants[0].kind is not TimeKind.INTEGER
    proposes = options.trace.origin is None and is_whole
    # A whole minute has no fraction of a second, which all times can share.
    since_first = MINUTE * _MS * minute_before([min(times) / _MS]) if proposes else min(times)
    fitting = fitting_unit([0.0, *((time - since_first) / _MS for time in times)])
    if any((time - since_first) % fitting.nanoseconds for time in times):
        fitting = Duration(1)
    if is_dated and fitting < SECOND:
        comments["unit"] = "The events have fractions of a second."
        options = options.with_trace(unit=min(fitting, MILLISECOND))
    if not proposes:
        return options, (), comments
    # The unit of other integers depends on the query.
    point = options.trace.time_point.nanoseconds if is_dated else 0
    each_length = {one: one.nanoseconds if isinstance(one, Duration) else one * point for one in periods}
    lengths = {str(one): length for one, length in each_length.items() if length}
    zones = {instant.zone for instant in instants}
    ahead = next(iter(zones)) * MINUTE * _MS if len(zones) == 1 else 0
    zero = _round_before(min(times) + ahead, lengths.values()) - ahead
    comments["origin"] = (
        "Pull periods end at multiples of their length after midnight." if lengths else "A whole minute."
    )
    origin = since(ZEROS[instants[0].kind is not TimeKind.LOCAL], zero // (MINUTE * _MS))
    origin = _in_zone(origin, zones)
    options = options.with_trace(origin=origin)
    if not lengths:
        return options, (), comments
    begin, end = _borders(zero, min(times), max(times), tuple(lengths.values()))
    if (begin == zero and end == max(times)) or end > LATEST * _MS:
        return options, (), comments
    cut = [name for name, length in lengths.items() if zero - (zero - max(times)) // length * length > end]
    late = [name for name, length in lengths.items() if end - (end - zero) % length - length >= max(times)]
    comments["timeline"] = (
        f"{'Some pull periods begin' if late else 'No pull period begins'} after the last element"
        + (f" (for the lengths {', '.join(late)})." if late else ".")
        + (f" The period with the last element is not compared for: {', '.join(cut)}." if cut else "")
    )
    ends = (origin + timedelta(microseconds=(time - zero) // 1000) for time in (begin, end))
    return options, tuple(time.isoformat() for time in ends), comments


def _borders(zero: int, first: int, last: int, lengths: Sequence[int]) -> tuple[int, int]:
    """Return the begin and end of a timeline that fits pull periods of several lengths.

    The timeline ends with the earliest end of a period that contains the last element. A later end would
    add periods without elements, in which only pull reports rows. If the periods of a length would then
    leave out more than half of the trace, the timeline ends with the latest of these ends.
    """
    # Few empty periods do no harm, and a timeline that begins at time 0 is easy to read.
    begins = [zero - ((zero - first) // length + 1) * length for length in lengths]
    begin = zero if first - zero <= max(MINUTE * _MS, *lengths) else min(begins)
    ends = [zero - (zero - last) // length * length for length in lengths]
    compared = min(min(ends) - (min(ends) - zero) % length for length in lengths)
    return begin, min(ends) if 2 * (compared - first) >= last - first else max(ends)


def _is_large(path: Path) -> bool:
    """Return whether a table is too large to read all its times."""
    return path.stat().st_size > _MOST_BYTES


def _check_notations(each: Mapping[Path, _Moments]) -> None:
    """Raise LarsError if the times have several notations, which no command reads together."""
    firsts: dict[str, tuple[Path, str]] = {}
    for path, moments in each.items():
        for text, instant in moments:
            # Integers of one file may differ in their digits, so the first row counts.
            digits = len(moments[0][0]) if text.isdigit() else 0
            firsts.setdefault(_notation(instant, digits), (path, text))
    if len(firsts) <= _ONE_NOTATION:
        return
    (first, (path, text)), *_, (last, (other, own)) = firsts.items()
    integers = [cell for _, cell in firsts.values() if cell.isdigit() and len(cell) in EPOCH_DIGITS]
    remedy = "use one notation for all times"
    if integers:
        value = int(integers[-1]) * EPOCH_DIGITS[len(integers[-1])].nanoseconds
        remedy += f", such as {show(Instant(TimeKind.ZONED, value))} in place of {integers[-1]}"
    of = "" if path == other else f" with the times of {path}"
    raise LarsError(
        f"{other}: cannot compare its times{of}: {own} is {last}, and {text} is {first}; {remedy}"
    )


def _notation(instant: Instant, digits: int) -> str:
    match instant.kind:
        case TimeKind.ZONED:
            return "a dateTime with a time zone"
        case TimeKind.LOCAL:
            return "a dateTime without a time zone"
        case TimeKind.INTEGER:
            return f"an integer of {digits} digits" if digits in EPOCH_DIGITS else "an integer"
        case _:
            assert_never(instant.kind)


def _round_before(first: int, lengths: Iterable[int]) -> int:
    """Return a common multiple of a minute and all lengths before the time `first`, in nanoseconds.

    The multiples count from midnight. If they do not divide a day, the result is midnight.
    """
    common = lcm(MINUTE * _MS, *lengths)
    step = common if _DAY % common == 0 else _DAY
    return (first - 1) // step * step


def _moments(path: Path) -> tuple[_Moments, bool]:
    """Return the times of a table, and whether the times of each stream are in order.

    The times are () if the file is not a table, or if the table cannot be read. Of a large table, only the
    time of the first row is returned. A cell that contains no time is left out: the command that reads the
    trace reports such a cell with its place.
    """
    if not (names := header(path)):
        return (), True
    # Loads pyarrow, which no query needs.
    from solver.traces.formats.mapped_tables import cells_of_table
    from solver.traces.formats.tables import plain_table

    first = _first_cells(path, names)
    time = _time_of(first)
    cells: Mapping[str, tuple[bool, Sequence[str | None]]] = {}
    with suppress(LarsError):
        if _is_large(path):
            cells = {name: (True, [cell]) for name, cell in first.items() if cell}
        elif time is not None:
            wanted = {time, "stream"}.intersection(names)
            cells = cells_of_table(str(path), plain_table(str(path), readable(path)), wanted)
    if time is None or time not in cells:
        return (), True
    is_text, texts = cells[time]
    streams = cells["stream"][1] if "stream" in cells else [None] * len(texts)
    moments: list[tuple[str, Instant]] = []
    latest: dict[str | None, int] = {}
    is_sorted = True
    for text, stream in zip(texts, streams, strict=True):
        try:
            lexical = text or "" if is_text else str(getattr(read_term(text or '""'), "lexical", text))
            instant = cell_time(lexical)
        except MalformedPart:
            continue
        moments.append((lexical, instant))
        is_sorted = is_sorted and instant.value >= latest.get(stream, instant.value)
        latest[stream] = instant.value
    return moments, is_sorted


def _by_stream(columns: Mapping[str, str | Mapping[str, str]]) -> Mapping[str | None, Mapping[str, str]]:
    """Return the templates of columns by stream; the key None has those of all tables."""
    alone = {key: value for key, value in columns.items() if isinstance(value, str)}
    each: dict[str | None, Mapping[str, str]] = {None: alone} if alone else {}
    return each | {stream: value for stream, value in columns.items() if not isinstance(value, str)}


def _row_without_subject(path: Path, template: str) -> tuple[int, str] | None:
    """Return the number of a row without a value for its subject, and the column without the value.

    Of a large table, no row is read.
    """
    # Loads pyarrow, which no query needs.
    from solver.traces.formats.mapped_tables import CELL

    for name, (_, texts) in _cells(path, {*CELL.findall(template)}).items():
        row = next((n for n, text in enumerate(texts[:_MOST_ROWS], 1) if not text), None)
        if row is not None:
            return row, name
    return None


def _cells(path: Path, names: Collection[str]) -> Mapping[str, tuple[bool, list[str | None]]]:
    """Return the cells of some columns of a table, or no columns if the table is large or cannot be read."""
    from solver.traces.formats.mapped_tables import cells_of_table
    from solver.traces.formats.tables import plain_table

    try:
        return (
            {}
            if _is_large(path)
            else cells_of_table(str(path), plain_table(str(path), readable(path)), names)
        )
    except LarsError:
        return {}  # reported by the command that reads the trace


def _mixed_rows(
    path: Path, columns: Mapping[str, str], predicates: Collection[str]
) -> tuple[int, int] | None:
    """Return the numbers of two rows of a table with the same subject and time, and two different values.

    Only values of the predicates in `predicates` count. Of a large table, no row is read.
    """
    from solver.traces.formats.mapped_tables import CELL

    own = [name for key in ("t", "s", "stream") for name in CELL.findall(columns.get(key, ""))]
    objects = {name for key, text in columns.items() if key in predicates for name in CELL.findall(text)} - {
        *own
    }
    cells = _cells(path, {*own, *objects}) if len(objects) >= _TWO else {}
    if not cells:
        return None
    keys = zip(*(cells[name][1] for name in own), strict=True)
    values = zip(*(cells[name][1] for name in objects), strict=True)
    first: dict[tuple[str | None, ...], tuple[int, tuple[str | None, ...]]] = {}
    for number, (key, row) in enumerate(islice(zip(keys, values, strict=True), _MOST_ROWS), 1):
        before, other = first.setdefault(key, (number, row))
        pairs = zip(row, other, strict=True)
        if sum(one is not None and two is not None and one != two for one, two in pairs) >= _TWO:
            return before, number
    return None


_TWO: Final = 2


def _names_streams(path: Path) -> bool:
    """Return whether a trace names the stream of each element."""
    return bare(path).suffix.lower() == ".nq" or "stream" in header(path)


def _stream_of(path: Path, streams: Sequence[str], paths: Mapping[str, Path]) -> str:
    free = [stream for stream in streams if stream not in paths]
    stem = bare(path).stem.lower()
    like = [text for text in free if re.split(r"[/#:]", text.rstrip("/#"))[-1].lower() in stem]
    if len(streams) == 1 and free:
        return free[0]
    if len(like) == 1:
        return like[0]
    accepted = " or ".join(free or streams) or "a stream that the queries read"
    raise LarsError(f"{path}: the stream of this file is unknown; use --stream IRI={path}, with {accepted}")
