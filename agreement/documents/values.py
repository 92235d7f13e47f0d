"""Typed values of experiment files and of options: a reader returns the value, or raises WrongValueError.

The readers of `agreement/experiments/schema.py` come first: names, queries, times, files, streams, columns.
The readers that options and keys share follow: numbers with ranges `a..b`, periods, time points, IRIs, and
files of static data.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from lars.durations import NANOSECONDS, Duration, TimedPoints, date_time, read_duration
from lars.errors import LarsError, cut, message_text, wrong
from lars.files import exists
from lars.language.terms import STREAM_NAME, Iri, without_brackets
from lars.language.windows import LARGEST_TIME, Interval
from lars.options import choices_of
from solver.settings import StaticFile
from translate.model.query import Language

GIVEN: Final = "lars-given-"
"""The text with which the names of temporary folders begin if they contain values from Python as files."""


def shown_path(path: Path) -> Path:
    """Return a path for a message; of a value that a Python program gives, only the name of the value."""
    return Path(path.name) if path.parent.name.startswith(GIVEN) else path


LARGEST: Final = LARGEST_TIME
"""The largest time point and period."""
Scalar = str | int | float | bool
"""A value that a parameter of a grid can have, and that can replace a placeholder."""

_ENDS: Final = 2


def is_scalar(value: object) -> bool:
    """Return whether a value is a text, a number or a boolean, as a parameter of a grid requires."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def placeholder_text(value: Scalar) -> str:
    """Return the text that replaces the placeholder of a parameter with this value."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def scalar_text(value: object) -> str:
    """Read a text or a number, and return a text."""
    if not is_scalar(value):
        raise wrong(value, "a text in quotes, or a number")
    return placeholder_text(value)  # type: ignore[arg-type]


def read_name(value: object) -> str:
    """Read a name for tables and files."""
    words = scalar_text(value).strip()
    if not words or not words.isprintable():
        raise wrong(value, "a name")
    return words


def names(value: object) -> tuple[str, ...]:
    """Read a name or a list of names."""
    return tuple(map(read_name, value if isinstance(value, list) else [value]))


def json_table(value: object) -> dict[str, Any]:
    """Read a table whose values JSON can express; dateTimes and infinite numbers are invalid."""
    if not isinstance(value, dict):
        raise wrong(value, "a table of options with their values")
    for name, part in value.items():
        try:
            json.dumps({name: part}, allow_nan=False)
        except (TypeError, ValueError):
            accepted = "a value of JSON: a text, a finite number, true, false, a list or a table"
            raise wrong(part, accepted, str(name)) from None
    return value


def tables(value: object) -> list[dict[str, object]]:
    """Read an array of tables; the keys of the tables are checked after placeholders are filled."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise wrong(value, "a list of tables, each under a header in [[ ]]")
    return value


def read_query(value: object) -> str | dict[str, str]:
    """Read a query: a file name, or a table with the text of the query."""
    match value:
        case {"text": str() as text, **others} if text.strip() and not others:
            return {"text": text}
        case dict():
            raise wrong(value, "the path of a file in quotes, or {text = '''..'''}")
        case _:
            return file_name(value)


def read_text(value: object) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise wrong(value, "a text in quotes")
    return value


def read_unit(value: object) -> Duration:
    """Read the unit of a specification or of an adapter: a duration above zero."""
    duration = _duration(value)
    if duration is None or not duration.nanoseconds:
        raise wrong(value, "a duration above zero in quotes, such as '1min', '500ms' or '1h'")
    return duration


def _duration(value: object) -> Duration | None:
    try:
        return read_duration(value) if isinstance(value, str) else None
    except LarsError:
        return None


def timeline(value: object) -> Interval | tuple[datetime, datetime]:
    """Read a timeline [first, last] of time points or dateTimes; first is at most last."""
    accepted = (
        "the first and the last time point, as in [0, 50]: whole numbers, 0 <= first <= last; or two dates "
        "with times, as in [2024-05-01T12:00:00Z, 2024-05-01T13:00:00Z]"
    )
    if not isinstance(value, list) or len(value) != _ENDS:
        raise wrong(value, accepted)
    if all(isinstance(end, str | datetime) for end in value):
        try:
            begin, end = map(date_time, value)
        except ValueError:
            raise wrong(value, accepted) from None
        if (begin.tzinfo is None) != (end.tzinfo is None) or begin > end:
            raise wrong(value, accepted)
        return begin, end
    if [type(end) for end in value] != [int, int]:
        raise wrong(value, accepted)
    first, last = value
    if not 0 <= first <= last <= LARGEST:
        raise wrong(value, accepted)
    return Interval(first, last)


def whole_point(value: object) -> int | None:
    """Return the time point of an integer or of its text; None for any other value."""
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > LARGEST:
        return None
    return int(text)


def file_name(value: object, part: str | None = None) -> str:
    """Return the path of a file; for any other value, raise an error whose place is `part`."""
    if not isinstance(value, str) or not value.strip():
        raise wrong(value, "the path of a file, in quotes, relative to the folder of the experiment", part)
    return value


def file_names(value: object) -> tuple[str, ...]:
    """Read the path of a file, or a list of paths."""
    return tuple(map(file_name, value if isinstance(value, list) else [value]))


def streams(value: object) -> dict[Iri, str]:
    """Read a table that assigns a trace to each stream."""
    example = "'http://example.org/s' = 's.trig'"
    table = _table(value, f"a table of at least one stream and its trace, with lines such as {example}")
    return {_stream(name): file_name(file, name) for name, file in table.items()}


def _stream(name: str) -> Iri:
    if not STREAM_NAME.fullmatch(name):
        raise wrong(name, "a stream's name, an IRI or a text in quotes and without < >", name)
    return Iri(name)


def _table(value: object, accepted: str) -> dict[str, object]:
    if not isinstance(value, dict) or not value:
        raise wrong(value, accepted)
    return value


def several_of(kind: Any) -> Callable[[object], frozenset[Any]]:
    """Return a function that reads a list of choices."""

    def read(value: object) -> frozenset[Any]:
        if not isinstance(value, list):
            raise wrong(value, f"a list of {', '.join(map(repr, choices_of(kind)))}")
        return frozenset(map(one_of(kind), value))

    return read


def one_or_more(kind: Any) -> Callable[[object], tuple[Any, ...]]:
    """Return a function that reads one choice, or a list of at least one choice."""

    def read(value: object) -> tuple[Any, ...]:
        values = value if isinstance(value, list) and value else [value]
        return tuple(dict.fromkeys(map(one_of(kind), values)))

    return read


def one_of(kind: Any) -> Callable[[object], Any]:
    """Return a function that reads one choice."""

    def read(value: object) -> Any:
        choices = choices_of(kind)
        if isinstance(value, str) and value in choices:
            return choices[value]
        raise wrong(value, ", ".join(f'"{choice}"' for choice in choices))

    return read


MOST_NUMBERS: Final = 10_000
"""The greatest number of numbers in one list or range."""
_NUMBER = re.compile(r"[0-9]+")
_MOST_ENDS: Final = 3
"""The greatest number of parts of a range: first number, last number, step."""


Numbers = Literal["period", "length", "speedup", "start time", "value"]
"""The kind of an integer, by its name in messages; periods and lengths may also be durations."""
_TIMES: Final = (
    "whole numbers with an optional unit, such as 5, 5s, 1500ms, a list 5,10, a range 1..50 or 1s..60s, or "
    "a range with a step 1m..2h..10m"
)
_NUMBERS: Final[Mapping[Numbers, tuple[int, str]]] = {
    "period": (1, _TIMES),
    "length": (1, _TIMES),
    "speedup": (1, "whole numbers from 1, such as 1,2,4"),
    "start time": (0, "whole numbers such as 0, a list 0,5 or a range 0..9"),
    "value": (0, "whole numbers, or a range such as 1..50"),
}
"""The minimum of each kind of integer, and the expected form in messages."""
_TIMED: Final = ("period", "length")
START_TIMES: Final = "start time"


def written_lengths(lengths: Iterable[int]) -> dict[str, str]:
    """Return each length that was written as a duration, by its number of time points.

    >>> written_lengths([3, TimedPoints(8, Duration(4 * 10**9))])
    {'8': '4s'}
    """
    return {str(int(each)): str(each) for each in lengths if isinstance(each, TimedPoints)}


Period = int | Duration
"""A pull period in the form of the input: a number of time points, or a duration."""


def points_of(period: Period, unit: Duration) -> int:
    """Return the number of time points of a period; raises LarsError unless it is a multiple of the unit."""
    return period if isinstance(period, int) else period.timed(unit)


def read_periods(text: str, kind: Numbers = "period") -> tuple[Period, ...]:
    """Return the periods or lengths of a text, each once; raises the errors of `read_numbers`.

    A range of durations without a step uses the smallest unit in its text.

    >>> print(*read_periods("1..3,10..30..10"), *read_periods("58s..1m"), *read_periods("1m..3m..1m"))
    1 2 3 10 20 30 58s 59s 1m 1m 2m 3m
    """
    ranges = _ranges(text, kind)
    return tuple(
        dict.fromkeys(Duration(number) if timed else number for listed, timed in ranges for number in listed)
    )


def read_numbers(text: str, kind: Numbers) -> tuple[int, ...]:
    """Return the numbers of a text such as `5,10..20`, each once, in the order of the text.

    Raises LarsError for fractions, words, reversed ranges, numbers out of range, and more than MOST_NUMBERS.

    >>> read_numbers("5,10", START_TIMES), read_numbers("0..4,2,10..30..10", START_TIMES)
    ((5, 10), (0, 1, 2, 3, 4, 10, 20, 30))
    """
    return tuple(dict.fromkeys(number for listed, _ in _ranges(text, kind) for number in listed))


def _ranges(text: str, kind: Numbers) -> Iterator[tuple[range, bool]]:
    """Yield the numbers of each part of a text, and whether these numbers count nanoseconds."""
    named = 0
    for part in text.split(","):
        first, last, step, timed = _range_of(part, kind)
        if first > last:
            shown_ends = part.strip().split("..")
            reversed_ends = "..".join((*(name.strip() for name in shown_ends[1::-1]), *shown_ends[2:]))
            raise LarsError(f"the range of {kind}s {part.strip()} is reversed; use {reversed_ends}")
        named += (last - first) // step + 1
        if named > MOST_NUMBERS:
            raise LarsError(f"{message_text(text)} names more than {MOST_NUMBERS} {kind}s; use fewer")
        yield range(first, last + 1, step), timed


def _range_of(part: str, kind: Numbers) -> tuple[int, int, int, bool]:
    """Return first, last and step of a range, and whether these numbers count nanoseconds."""
    texts = [text.strip() for text in part.split("..")]
    if len(texts) <= _MOST_ENDS and all(map(_NUMBER.fullmatch, texts)):
        first, last, *step = (_number(text, kind) for text in (*texts, *texts)[: max(2, len(texts))])
        if step != [0]:
            return first, last, step[0] if step else 1, False
    try:
        ends = [read_duration(text).nanoseconds for text in texts] if kind in _TIMED else []
    except LarsError:
        ends = []
    if not 0 < len(ends) <= _MOST_ENDS or not all(0 < end <= LARGEST for end in ends):
        raise LarsError(f"{message_text(part.strip())} is not a valid {kind}; use {_NUMBERS[kind][1]}")
    smallest = min(NANOSECONDS[name] for name in re.findall("[a-z]+", part))
    return ends[0], ends[min(1, len(ends) - 1)], ends[-1] if len(ends) == _MOST_ENDS else smallest, True


def _number(digits: str, kind: Numbers) -> int:
    # int() itself refuses texts of some thousand digits, in words of its own.
    number = int(digits) if len(digits.lstrip("0")) <= len(str(LARGEST)) else LARGEST + 1
    least, _ = _NUMBERS[kind]
    if not least <= number <= LARGEST:
        raise LarsError(
            f"a {kind} must be at least {least}"
            if number < least
            else f"the {kind} {cut(digits)} is too large; use a smaller {kind}, or a longer --unit"
        )
    return number


def milliseconds(value: object) -> float:
    """Read a duration as milliseconds; zero is valid."""
    duration = _duration(value)
    if duration is None:
        raise wrong(value, "a duration in quotes, such as '300ms'")
    return duration.milliseconds


_ENGINE = re.compile(rf"({'|'.join(language.value for language in Language)}):(?!//)")


def static_file(text: str) -> StaticFile:
    """Return a file of static data, its named graph, and the only engine that loads the file.

    If the text contains no graph, the graph is None. If the text contains no engine, the engine is None.

    >>> static_file("cqels:http://example.org/g=a.ttl")
    StaticFile(path=PosixPath('a.ttl'), graph='http://example.org/g', engine='cqels')
    """
    engine = _ENGINE.match(text)
    rest = text[engine.end() :] if engine else text
    graph, is_graph, file = rest.rpartition("=")
    if not is_graph or exists(Path(rest)):
        graph, file = "", rest
    elif not (graph and file):
        raise LarsError("expected FILE, IRI=FILE, or one of these after csparql: or cqels:")
    return StaticFile(Path(file), without_brackets(graph) or None, engine[1] if engine else None)


def static_text(file: StaticFile, path: str) -> str:
    """Return a file of static data, with another path, as a text that `static_file` can read."""
    engine, graph = f"{file.engine}:" if file.engine else "", f"{file.graph}=" if file.graph else ""
    return f"{engine}{graph}{path}"


def static_files(names: Sequence[str | StaticFile]) -> tuple[StaticFile, ...]:
    """Return the files of static data."""
    return tuple(source if isinstance(source, StaticFile) else static_file(source) for source in names)
