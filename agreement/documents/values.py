"""The values of an experiment file: each reader returns the typed value or says what is accepted."""

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from typing import Final, TypeVar

from lars.durations import Duration, read_duration
from lars.errors import LarsError
from lars.language.terms import Iri
from lars.language.windows import LARGEST_TIME, Interval

LARGEST: Final = LARGEST_TIME
"""The largest time point and period."""
Scalar = str | int | float | bool
"""A value that a parameter of a grid can have, and a placeholder put anywhere."""

ABSOLUTE_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`\x00-\x20]+')
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_LONGEST_SHOWN = 60
_ENDS: Final = 2

_Enumeration = TypeVar("_Enumeration", bound=Enum)


class WrongValueError(ValueError):
    """A value that cannot be used: `part` is the text in it to point at.

    A ValueError, so that pydantic collects it; the reader of the file gives it its place.
    """

    def __init__(self, problem: str, *, part: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.part = part


def cut(text: str) -> str:
    """Return the text, shortened for a message when it is long."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def message_text(value: object) -> str:
    """Return a value for a message, as TOML writes it and shortened."""
    return cut(json.dumps(value, default=str, ensure_ascii=False))


def wrong(value: object, accepted: str, part: str | None = None) -> WrongValueError:
    """Return the error that names the value found and what is accepted."""
    return WrongValueError(f"found {message_text(value)}; accepted: {accepted}", part=part)


def is_scalar(value: object) -> bool:
    """Return whether a parameter can have a value."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def placeholder_text(value: Scalar) -> str:
    """Return a value as a placeholder inside a text shows it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def scalar_text(value: object) -> str:
    """Read a text, or a number as its text."""
    if not is_scalar(value):
        raise wrong(value, "a text in quotes, or a number")
    return placeholder_text(value)  # type: ignore[arg-type]


def name(value: object) -> str:
    """Read a name for tables and files."""
    words = scalar_text(value).strip()
    if not words or not words.isprintable():
        raise wrong(value, "a name")
    return words


def names(value: object) -> tuple[str, ...]:
    """Read names, one or a list of them."""
    return tuple(map(name, value if isinstance(value, list) else [value]))


def tables(value: object) -> list[dict[str, object]]:
    """Read an array of tables, whose keys are looked at once their placeholders are filled."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise wrong(value, "a table for each, under a header in [[ ]]")
    return value


def yes_or_no(value: object) -> bool:
    """Read true or false; a placeholder in a text gives them in quotes."""
    answer = {"true": True, "false": False}.get(
        placeholder_text(value) if isinstance(value, str | bool) else ""
    )
    if answer is None:
        raise wrong(value, "true or false")
    return answer


def query(value: object) -> str | dict[str, str]:
    """Read a query: a file, or a table with its text."""
    match value:
        case {"text": str() as text, **others} if text.strip() and not others:
            return {"text": text}
        case dict():
            raise wrong(value, "the path of a file in quotes, or {text = '''..'''}")
        case _:
            return file_name(value)


def text(value: object) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise wrong(value, "a text in quotes")
    return value


def unit(value: object) -> Duration:
    """Read a duration that can be a unit: zero is none."""
    try:
        duration = read_duration(value) if isinstance(value, str) else Duration(0)
    except (LarsError, ValueError):
        duration = Duration(0)
    if duration == Duration(0):
        raise wrong(value, "a duration above zero in quotes, as in '1min', '500ms' or '1h'")
    return duration


def timeline(value: object) -> Interval | tuple[datetime, datetime]:
    """Read [first, last], which is never empty: time points, or dateTimes."""
    accepted = (
        "the first and the last time point, as in [0, 50]: whole numbers, 0 <= first <= last; or two dates "
        "with times, as in [2024-05-01T12:00:00Z, 2024-05-01T13:00:00Z]"
    )
    if not isinstance(value, list) or len(value) != _ENDS:
        raise wrong(value, accepted)
    if all(isinstance(end, str | datetime) for end in value):
        begin, end = map(origin, value)
        if (begin.tzinfo is None) != (end.tzinfo is None) or begin > end:
            raise wrong(value, accepted)
        return begin, end
    if [type(end) for end in value] != [int, int]:
        raise wrong(value, accepted)
    first, last = value
    if not 0 <= first <= last <= LARGEST:
        raise wrong(value, accepted)
    return Interval(first, last)


def time(value: object) -> int | datetime:
    """Read a time point, or a date with a time."""
    if isinstance(value, datetime) or (isinstance(value, str) and _DATE_TIME.fullmatch(value)):
        return origin(value)
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > LARGEST:
        accepted = f"a time point, 0..{LARGEST}, or a date with a time, as in 2024-05-01T12:00:00Z"
        raise wrong(value, accepted)
    return int(text)


def origin(value: object) -> datetime:
    """Read a TOML date with time, or one in quotes; without an offset it stays local."""
    if isinstance(value, str) and _DATE_TIME.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError as error:
            raise WrongValueError(f"{message_text(value)} is no date and time: {error}") from None
    if not isinstance(value, datetime):
        raise wrong(value, "a date with a time, as in 2024-05-01T12:00:00Z")
    return value


def file_name(value: object, part: str | None = None) -> str:
    """Read the path of a file; `part` is where to point when it is none."""
    if not isinstance(value, str) or not value.strip():
        raise wrong(value, "the path of a file, in quotes, which starts at the experiment's folder", part)
    return value


def file_names(value: object) -> tuple[str, ...]:
    """Read the path of a file, or a list of them."""
    return tuple(map(file_name, value if isinstance(value, list) else [value]))


def streams(value: object) -> dict[Iri, str]:
    """Read the table from streams to their trace."""
    example = "'http://example.org/s' = 's.trig'"
    table = _table(value, f"a table of at least one stream and its trace, with lines such as {example}")
    return {_iri(stream, "a stream's name"): file_name(file, stream) for stream, file in table.items()}


PREFIX: Final = re.compile(r"[A-Za-z][\w.\-]*|", re.ASCII)
"""What can be the name of a prefix; the empty one too."""


def prefixes(value: object) -> dict[str, str]:
    """Read the table from prefixes to what they stand for."""
    accepted = "a table of prefixes and absolute IRIs, with lines such as ex = 'http://example.org/'"
    iris: dict[str, str] = {}
    for prefix, iri in _table(value, accepted).items():
        if not PREFIX.fullmatch(prefix) or not isinstance(iri, str) or not ABSOLUTE_IRI.fullmatch(iri):
            raise wrong(f"{prefix} = {iri}", accepted, prefix)
        iris[prefix] = iri
    return iris


ColumnsByStream = tuple[tuple[str | None, tuple[tuple[str, str], ...]], ...]


def columns(value: object) -> ColumnsByStream:
    """Read what the columns of tables become: templates by part; tables of these by stream."""
    return columns_by_stream(_table(value, _COLUMNS))


_COLUMNS: Final = "a table of templates, as t = '{time}', or of such tables by stream"


def columns_by_stream(values: Mapping[str, object]) -> ColumnsByStream:
    """Return what the columns of tables become: of each stream that is named, of None in all others."""
    everywhere = {part: value for part, value in values.items() if not isinstance(value, Mapping)}
    streams = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    for stream in streams:
        _iri(stream, "a stream's name")
    every = ((None, everywhere), *streams.items())
    return tuple((stream, tuple(map(_template, parts.items()))) for stream, parts in every if parts)


def _template(part: tuple[str, object]) -> tuple[str, str]:
    key, template = part
    if not isinstance(template, str):
        raise wrong(template, _COLUMNS, key)
    return key, template


def assign(value: object) -> dict[Iri, tuple[Iri, ...]]:
    """Read the table from streams to their predicates; a predicate belongs to one stream."""
    example = "'http://example.org/s' = ['http://example.org/p']"
    accepted = f"a table with each stream's predicates in a list, as in {example}"
    iris: dict[Iri, tuple[Iri, ...]] = {}
    for name, predicates in _table(value, accepted).items():
        if not isinstance(predicates, list) or not predicates:
            raise wrong(predicates, accepted, name)
        listed = (_iri(predicate, "a predicate's name") for predicate in predicates)
        iris[_iri(name, "a stream's name")] = tuple(dict.fromkeys(listed))
    _check_owners(iris)
    return iris


def _check_owners(iris: dict[Iri, tuple[Iri, ...]]) -> None:
    owner: dict[Iri, Iri] = {}
    for stream, predicates in iris.items():
        for predicate in predicates:
            if owner.setdefault(predicate, stream) != stream:
                problem = f"{predicate} is assigned to {owner[predicate]} and to {stream}; accepted: one"
                raise WrongValueError(problem, part=stream.value)


def _table(value: object, accepted: str) -> dict[str, object]:
    if not isinstance(value, dict) or not value:
        raise wrong(value, accepted)
    return value


def _iri(value: object, what: str) -> Iri:
    if not isinstance(value, str) or not ABSOLUTE_IRI.fullmatch(value):
        part = value if isinstance(value, str) else None
        raise wrong(value, f"{what}, an absolute IRI in quotes and without < >", part)
    return Iri(value)


def several_of(choices: type[_Enumeration]) -> Callable[[object], frozenset[_Enumeration]]:
    """Return the reader of a list of an enumeration's values."""
    single = one_of(choices)

    def read(value: object) -> frozenset[_Enumeration]:
        if not isinstance(value, list):
            raise wrong(value, f"a list of {', '.join(repr(choice.value) for choice in choices)}")
        return frozenset(map(single, value))

    return read


def one_or_more(choices: type[_Enumeration]) -> Callable[[object], tuple[_Enumeration, ...]]:
    """Return the reader of an enumeration's value, or a list of at least one."""
    single = one_of(choices)

    def read(value: object) -> tuple[_Enumeration, ...]:
        if isinstance(value, list) and value:
            return tuple(dict.fromkeys(map(single, value)))
        return (single(value),)

    return read


def one_of(choices: type[_Enumeration]) -> Callable[[object], _Enumeration]:
    """Return the reader of an enumeration's values."""

    def read(value: object) -> _Enumeration:
        for choice in choices:
            if choice.value == value:
                return choice
        raise wrong(value, ", ".join(f'"{choice.value}"' for choice in choices))

    return read
