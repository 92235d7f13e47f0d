"""Convert the values of keywords from types of other libraries to built-in types, and check the types."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, datetime, time, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, Final

from agreement.documents.options import check_range, member_of, naming
from agreement.documents.values import cut
from lars.durations import Duration
from lars.errors import LarsError
from lars.options import Option, choices_of

_INNERMOST: Final = re.compile(r"\[[^\[\]]*\]")
_ITEMS: Final = re.compile(r"Sequence\[([^\[\]]*)\]")
_PLAIN: Final = frozenset(
    ("bool", "int", "float", "str", "Literal", "Path", "datetime", "Sequence", "Mapping")
)


def in_python(declared_option: Option, value: Any) -> Any:
    """Return the value of a keyword, converted to a built-in type.

    Numbers of numpy are valid numbers, and a timedelta is a valid duration. The value does not contain data,
    such as tables, because earlier code has replaced data by files.

    Raises:
        LarsError: The conversion fails; the message names the keyword.
    """
    if value is None:
        return None
    if declared_option.argument and declared_option.several and declared_option.source is None:
        kind = _ITEMS.findall(declared_option.python_type)[-1]
        for place, item in enumerate(value):
            with naming_keyword(
                replace(declared_option, name=item_name(declared_option, place), keyword=kind), item
            ):
                fitting(kind, item)
    with naming_keyword(declared_option, value):
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


def item_name(declared_option: Option, place: int) -> str:
    """Return the name of one of several values of an option, such as `inputs[1]`; numbers start at 0."""
    return f"{declared_option.name}[{place}]"


@contextmanager
def naming_keyword(declared_option: Option, value: Any) -> Iterator[None]:
    """In the block, convert an error about the value of a keyword to a LarsError that names the keyword."""
    try:
        with naming(lambda: f"{declared_option.name}={_shown(value)}"):
            yield
    except (TypeError, ValueError, AttributeError, OverflowError):
        problem = f"{declared_option.name}={_shown(value)} ({type(value).__name__})"
        raise LarsError(f"{problem}; expected {declared_option.python_type}") from None


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a type of others may raise anything
        return "?"
    return type(value).__name__ if "\n" in text else cut(text)


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
    outer = accepted
    while outer != (outer := _INNERMOST.sub("", outer)):
        pass
    kinds = frozenset(outer.split(" | ")) - {"None"}
    value = of_library(value)
    if not kinds <= _PLAIN:
        return value
    if _is_sequence(value) and "Sequence" in kinds:
        return [fitting(_ITEMS.findall(accepted)[-1], item) for item in value]
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
        case float() | datetime() | time() if value == value:  # noqa: PLR0124 - NaN and NaT are not
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
