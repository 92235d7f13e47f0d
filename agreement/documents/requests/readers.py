"""Read the values of options from texts of a shell, from values of Python and from values of TOML.

A reader raises LarsError with the expected form. The caller of a reader adds the value and its place to the
message. Values of types of other libraries are converted to built-in types (`fitting`).
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from datetime import time as time_of_day
from enum import Enum
from pathlib import Path
from typing import Any, Final

from agreement.documents import values
from agreement.documents.options import check_range, member_of
from lars.durations import Duration, moment, read_duration
from lars.errors import LarsError, WrongValueError, cut, message_text, wrong
from lars.language.terms import Iri, iri
from lars.options import Option, choices_of, kind_of_value, pairs
from solver.settings import Time
from translate.dialects import check_reading

_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?0*(Z|[+-][0-9]{2}:?[0-9]{2})?"
)

_TIME_OF_DAY: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?")


@kind_of_value("TIME", "int | str | datetime")
def time(value: str | int | datetime) -> Time:
    """Return a time point, a dateTime with at most six digits of a second's fraction, or a time of day.

    >>> time("7"), str(time("2026-05-04T08:00:00Z")), str(time("08:00:22"))
    (7, '2026-05-04 08:00:00+00:00', '08:00:22')
    """
    if isinstance(value, datetime):
        return moment(value)
    if _DATE_TIME.fullmatch(str(value)):
        return moment(str(value))
    if _TIME_OF_DAY.fullmatch(str(value)):
        return time_of_day.fromisoformat(str(value))
    try:
        return time_point(value)
    except LarsError as error:
        raise LarsError(f"{error}, or a dateTime such as 2026-05-04T08:00:00Z or 08:00:00") from None


def time_point(value: str | int) -> int:
    """Return the time point of an option's value; raises LarsError unless the value is a time point.

    >>> time_point("7")
    7
    """
    point = values.whole_point(value)
    if point is None:
        raise LarsError("expected a time point from 0, such as 5")
    return point


@kind_of_value("K", "int")
def ordinal(value: str | int, accepted: str = "a number from 1") -> int:
    """Return an ordinal number from 1; raises LarsError with `accepted` for any other value."""
    if not re.fullmatch(r"[1-9][0-9]{0,8}", str(value)):
        raise LarsError(f"expected {accepted}")
    return int(value)


@kind_of_value("all|N", 'int | Literal["all"]')
def models(value: str | int) -> int:
    """Return the number of answer streams to print, from the value of --models; 0 means all."""
    return 0 if value == "all" else ordinal(value, "all, or a number from 1")


def numbers_text(value: str | int | Sequence[int]) -> str:
    """Return numbers as the text of an option, such as `1..5`.

    >>> numbers_text(range(4, 7)), numbers_text("1..3")
    ('4,5,6', '1..3')
    """
    return str(value) if isinstance(value, str | int) else ",".join(map(str, value))


@kind_of_value("PERIODS", "int | str | Sequence[int | str]")
def periods(value: str | int | Sequence[int]) -> tuple[values.Period, ...]:
    """Return the pull periods of an option's value."""
    return values.read_periods(numbers_text(value))


@kind_of_value("LENGTHS", "int | str | Sequence[int]")
def lengths(value: str | int | Sequence[int]) -> tuple[values.Period, ...]:
    """Return the lengths of a window from an option's value."""
    return values.read_periods(numbers_text(value), "length")


@kind_of_value("U", "int | str")
def period(value: str | int) -> values.Period:
    """Return the pull period of a command that accepts only one period."""
    periods_read = values.read_periods(str(value))
    if len(periods_read) > 1:
        raise LarsError("expected one period, such as 5; this command does not accept several periods")
    return periods_read[0]


@kind_of_value("LENGTH", "int | str")
def length(value: str | int) -> values.Period:
    """Return a length of time, in time points or as a duration; 0 is allowed."""
    text = str(value)
    if (point := values.whole_point(text)) is not None:
        return point
    if text.isascii() and text.isdigit():
        raise LarsError("the number is too large; use fewer time points or a coarser --unit")
    try:
        return read_duration(text)
    except LarsError as error:
        problem = f'"{text}" is not a duration'
        raise LarsError(
            f"{problem}; use a number of time points or a duration, such as 5 or 500ms"
        ) from error


@kind_of_value("FACTORS", "int | str | Sequence[int]")
def speedups(value: str | int | Sequence[int]) -> tuple[int, ...]:
    """Return the factors by which a stream is accelerated."""
    return values.read_numbers(numbers_text(value), "speedup")


@kind_of_value("A=B", "Mapping[str, str]")
def rename_option(names: Sequence[str] | Mapping[str, str]) -> Mapping[str, str]:
    """Return the renamed columns, from texts A=B or a mapping."""
    if isinstance(names, Mapping):
        return names
    needed = "expected A=B: a column of the first query and a column of the second query"
    return _renamed(names, needed)


@kind_of_value("COLUMN=VARIABLE", "Mapping[str, str]")
def renamed_columns(names: Sequence[str] | Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables of columns with other names, from texts COLUMN=VARIABLE or a mapping.

    >>> renamed_columns(["unit=?pump"])
    {'unit': 'pump'}

    Raises:
        LarsError: A text is not of the form COLUMN=VARIABLE, two columns are renamed to one variable, or one
            column has two new names.
    """
    needed = "expected COLUMN=VARIABLE, such as unit=pump: a column of answers and a variable of the query"
    renamed = _renamed(names, needed)
    if len(set(renamed.values())) < len(renamed):
        raise LarsError(f"two columns get one name; {needed}")
    return renamed


def _renamed(names: Sequence[str] | Mapping[str, str], needed: str) -> Mapping[str, str]:
    renamed: dict[str, str] = {}
    for name, value in pairs(names):
        old, new = _column_names(name, value, needed)
        if renamed.setdefault(old, new) != new:
            raise LarsError(
                f"the column {old} has two new names, {renamed[old]} and {new}; use one name for each column"
            )
    return renamed


def _column_names(old: str, new: str, needed: str) -> tuple[str, str]:
    first, second = old.strip().lstrip("?"), new.strip().lstrip("?")
    if not (first and second):
        raise LarsError(needed)
    return first, second


ALIGNED: Final = "aligned"
"""The value of --t0 for windows that close at multiples of their slide, and that open before time 0, too."""


@kind_of_value("TIMES", "int | str | Sequence[int]")
def start_times(value: str | int | Sequence[int]) -> tuple[int, ...] | str:
    """Return the time points at which windows may begin; the word ALIGNED is returned unchanged.

    >>> start_times("0..3,7"), start_times("aligned")
    ((0, 1, 2, 3, 7), 'aligned')
    """
    text = numbers_text(value)
    return ALIGNED if text.strip() == ALIGNED else values.read_numbers(text, values.START_TIMES)


@kind_of_value("TIMES", "int | str | Sequence[int]")
def dated_start_times(value: str | int | Sequence[int]) -> tuple[int, ...] | str:
    """Return the time points at which windows may begin, or ALIGNED; keep a text with dateTimes.

    >>> dated_start_times("2026-05-04T08:00:00Z..2026-05-04T08:00:09Z,12")
    '2026-05-04T08:00:00Z..2026-05-04T08:00:09Z,12'
    """
    text = numbers_text(value)
    return text if _DATED.search(text) else start_times(text)


_DATED: Final = re.compile(rf"(?:{_DATE_TIME.pattern})|(?:{_TIME_OF_DAY.pattern})")


def in_time_points(text: str, count: Callable[[Time], int]) -> str:
    """Return a text of times in which time points replace the dateTimes; the function `count` converts them.

    >>> in_time_points("08:00:00..08:00:09,12", lambda _: 5)
    '5..5,12'
    """
    return _DATED.sub(lambda match: str(count(time(match[0]))), text)


@kind_of_value("STREAM=PREDICATE", "Mapping[str, Sequence[str]]")
def assignments(names: Sequence[str] | Mapping[str, Sequence[str]]) -> Mapping[Iri, tuple[Iri, ...]]:
    """Return the predicates of each stream, from texts STREAM=PREDICATE or from a mapping.

    Raises:
        WrongValueError: A name is no absolute IRI, a stream has no predicate, or a predicate belongs to two
            streams.
    """
    iris: dict[Iri, tuple[Iri, ...]] = {}
    owner: dict[Iri, Iri] = {}
    for stream, predicates in pairs(names):
        listed = [predicates] if isinstance(predicates, str) else predicates
        if not isinstance(listed, list | tuple) or not listed or not all((stream, *listed)):
            accepted = (
                "STREAM=PREDICATE, such as http://example.org/door=http://example.org/entered, or in "
                "experiment.toml a stream with its predicates in a list"
            )
            raise wrong(predicates, accepted, stream)
        key = iri(stream, "the IRI of a stream")
        for predicate in (iri(each, "the name of a predicate", stream) for each in listed):
            iris[key] = tuple(dict.fromkeys((*iris.get(key, ()), predicate)))
            if owner.setdefault(predicate, key) != key:
                problem = f"{predicate} is assigned to {owner[predicate]} and to {key}; expected one stream"
                raise WrongValueError(problem, part=key.value)
    return iris


@kind_of_value("?A,?B|none", "str | Sequence[str]")
def variables(value: object) -> tuple[str, ...]:
    """Return the names of variables; `none` means no variable.

    >>> variables("?a, b"), variables("none")
    (('a', 'b'), ())
    """
    texts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    names = [str(text).strip().lstrip("?$") for text in texts]
    if not names or not all(re.fullmatch(r"\w+", name) for name in names):
        raise wrong(value, "variables, such as ?a,?b, or none")
    return () if names == ["none"] else tuple(dict.fromkeys(names))


@kind_of_value("NAME=VALUE", "Mapping[str, str]")
def readings(names: Sequence[str] | Mapping[str, str]) -> Mapping[str, str]:
    """Return the value of each reading, from texts NAME=VALUE or from a mapping.

    >>> readings(["range-alone=sliding"])
    {'range-alone': 'sliding'}
    """
    chosen: dict[str, str] = {}
    if not isinstance(names, Mapping | list | tuple):
        raise wrong(names, "a table of readings with their values, such as range-alone = 'sliding'")
    for name, value in ((name, str(value)) for name, value in pairs(names)):
        check_reading(name, value)
        if chosen.setdefault(name, value) != value:
            raise LarsError(f"the reading {name} has two values, {chosen[name]} and {value}; use one value")
    return chosen


_PREFIX: Final = re.compile(r"[A-Za-z][\w.\-]*|", re.ASCII)
"""The valid names of prefixes, including the empty name."""


@kind_of_value("PREFIX=IRI", "Mapping[str, str]")
def prefixes(names: Sequence[str] | Mapping[str, str]) -> Mapping[str, str]:
    """Return the IRIs of prefixes, from texts PREFIX=IRI or a mapping.

    >>> prefixes(["ex=http://example.org/"])
    {'ex': 'http://example.org/'}
    """
    iris: dict[str, str] = {}
    for name, text in pairs(names):
        prefix = name.removesuffix(":")
        if not _PREFIX.fullmatch(prefix):
            problem = f"found the prefix {name!r}; expected PREFIX=IRI, such as ex=http://example.org/"
            raise WrongValueError(problem, part=name)
        if not text:
            problem = "found no IRI; expected PREFIX=IRI, such as ex=http://example.org/"
            raise WrongValueError(problem, part=name)
        if iris.setdefault(prefix, meant := iri(text, "the IRI of a prefix", name).value) != meant:
            raise LarsError(
                f"the prefix {prefix!r} already means {iris[prefix]}; use one IRI for each prefix"
            )
    return iris


_INNERMOST: Final = re.compile(r"\[[^\[\]]*\]")
ITEMS: Final = re.compile(r"Sequence\[([^\[\]]*)\]")
"""The types of the items of a sequence."""
_PLAIN: Final = frozenset(
    ("bool", "int", "float", "str", "Literal", "Path", "datetime", "Sequence", "Mapping")
)


def in_toml(declared_option: Option, value: Any) -> Any:
    """Return the value of an option that a key of a TOML file gives.

    Raises:
        WrongValueError: The value has a wrong type, or the reader of the option rejects the value.
    """
    try:
        if declared_option.choices and not declared_option.read:
            return values.one_of(declared_option.kind)(value)
        return value_of(declared_option, value)
    except WrongValueError:
        raise
    except LarsError as error:
        names_value = str(error).startswith("found") or cut(str(value)) in str(error)
        raise WrongValueError(
            str(error) if names_value else f"found {message_text(value)}; {error}"
        ) from None
    except (TypeError, ValueError, AttributeError, OverflowError):
        _check_as_text(declared_option, value)
        mapped = declared_option.python_type.startswith("Mapping[str, str]")
        accepted = [words for kind, words in _TOML.items() if kind in _kinds(declared_option.python_type)]
        several = " or ".join((", ".join(accepted[:-1]), accepted[-1]) if accepted[1:] else accepted)
        raise wrong(value, several + " of texts in quotes" * mapped) from None


def _check_as_text(declared_option: Option, value: Any) -> None:
    """Raise WrongValueError if the reader of an option rejects the text of a value that is no text.

    The message of the reader has an example, unlike a list of types.
    """
    kinds = _kinds(declared_option.python_type)
    if declared_option.read is not None and "str" in kinds and "Mapping" not in kinds:
        try:
            declared_option.read(str(value))
        except LarsError as error:
            problem = str(error)[max(str(error).find("expected"), 0) :]
            raise WrongValueError(f"found {message_text(value)}; {problem}") from None


_TOML: Final = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "a text in quotes",
    "datetime": "a date with a time",
    "Sequence": "a list",
    "Mapping": "a table",
}
"""The types of values in TOML, as messages name them."""


def value_of(declared_option: Option, value: Any) -> Any:
    """Return the value of an option that a value of Python or TOML gives.

    Raises:
        LarsError: The option's reader rejects the value.
        TypeError: The value has a wrong type.
    """
    if isinstance(value, Enum) and value in choices_of(declared_option.kind).values():
        return value
    if declared_option.source is None:
        value = fitting(declared_option.python_type, value)
    if declared_option.choices and not declared_option.read:
        return member_of(declared_option, value)
    if declared_option.several and not declared_option.read:
        return tuple(value) if isinstance(value, list | tuple) else (value,)
    check_range(declared_option, value)
    if declared_option.read is not None:
        return declared_option.read(value)
    return Path(value) if declared_option.kind is Path else value


def of_library(value: Any) -> Any:
    """Return a numpy value or a timedelta as a built-in value with the same meaning.

    Values of other types remain unchanged. A timedelta is converted to a text, as it would be written on the
    command line.
    """
    if isinstance(value, list | tuple):
        return type(value)(map(of_library, value)) if type(value) in (list, tuple) else value
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return of_library(_of_numpy(value))
    if isinstance(value, timedelta):
        micros = value // timedelta(microseconds=1)
        # pandas counts nanoseconds too.
        return str(Duration(micros * 1000 + getattr(value, "nanoseconds", 0)))
    # NaT is no time, and equal to nothing.
    if isinstance(value, datetime) and value == value and not MINYEAR <= value.year <= MAXYEAR:  # noqa: PLR0124
        raise LarsError(f"found the year {value.year}; expected {MINYEAR}..{MAXYEAR}")
    return value


def _of_numpy(value: Any) -> Any:
    """Return a numpy value as a Python value; times become pandas times with nanoseconds.

    The method `tolist` of numpy does not suffice, because it converts times to numbers without a unit.
    """
    if value.dtype.kind not in "mM" or value.dtype.name in ("datetime64", "timedelta64"):
        return value.tolist()
    if value.ndim:
        return list(value)
    # Loads pandas, which only its own values and tables need.
    import pandas as pd  # type: ignore[import-untyped]

    try:
        return (pd.Timedelta if value.dtype.kind == "m" else pd.Timestamp)(value[()])
    except ValueError as error:
        raise LarsError(f"found {value}: {error}; expected a time that pandas can hold") from None


def fitting(accepted: str, value: Any) -> Any:
    """Return a value converted to one of the types that a keyword accepts.

    Values of data types (queries, traces, static data) are not checked here, because they are written to
    files.

    Raises:
        TypeError: The type of the value does not fit.

    >>> fitting("int | str | Sequence[int]", range(3)), fitting("str | None", timedelta(seconds=2))
    ([0, 1, 2], '2s')
    """
    kinds = _kinds(accepted)
    value = of_library(value)
    if not kinds <= _PLAIN:
        return value
    if _is_sequence(value) and "Sequence" in kinds:
        return [fitting(ITEMS.findall(accepted)[-1], item) for item in value]
    if not kinds & _kinds_of(value):
        raise TypeError
    match value:
        case str() | Path():
            return text_of(value)
        case Mapping():
            items = "str" if accepted.startswith("Mapping[str, str]") else "object"
            return {fitting("str", key): fitting(items, item) for key, item in value.items()}
        case _:
            return value


def _kinds(accepted: str) -> frozenset[str]:
    """Return the names of the types that a keyword accepts, without the types of items."""
    while accepted != (accepted := _INNERMOST.sub("", accepted)):
        pass
    return frozenset(accepted.split(" | ")) - {"None"}


def _is_sequence(value: Any) -> bool:
    """Return whether a value is a sequence of items; tables and files are not sequences."""
    whole = isinstance(value, str | bytes | bytearray | memoryview | Mapping)
    return (
        isinstance(value, Iterable)
        and not whole
        and not hasattr(value, "columns")
        and not hasattr(value, "read")
    )


def _kinds_of(value: Any) -> frozenset[str]:
    """Return the names of a value's types, of the types that keywords accept; no name for NaN and NaT."""
    match value:
        case bool():
            return frozenset(("bool",))
        case int():
            return frozenset(("int", "float"))
        case float() | datetime() | time_of_day() if value == value:  # noqa: PLR0124 - NaN and NaT are not
            return frozenset(("float" if isinstance(value, float) else "datetime",))
        case str():
            return frozenset(("str", "Literal", "Path"))
        case Path():
            return frozenset(("Path",))
        case Mapping():
            return frozenset(("Mapping",))
        case _:
            return frozenset()


def text_of(value: str | Path) -> str | Path:
    """Return a text as a plain str or path.

    Raises:
        LarsError: The text contains NUL or an unpaired surrogate.
    """
    text = str.__str__(value) if isinstance(value, str) else os.fspath(value)
    # Names of files may have bytes that are no characters.
    if "\0" in text or not _is_encodable(text):
        raise LarsError(
            f"found {cut(ascii(text))}, which has an unpaired surrogate or NUL; expected text "
            "without these characters"
        )
    return text if isinstance(value, str) else value


def _is_encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True
