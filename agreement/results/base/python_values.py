"""Read the values of keywords of Python; messages about a value name its keyword."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from agreement.documents.options import naming
from agreement.documents.requests import readers
from lars.errors import LarsError, cut
from lars.options import Option


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
        kind = readers.ITEMS.findall(declared_option.python_type)[-1]
        for place, item in enumerate(value):
            with naming_keyword(
                replace(declared_option, name=item_name(declared_option, place), keyword=kind), item
            ):
                readers.fitting(kind, item)
    with naming_keyword(declared_option, value):
        return readers.value_of(declared_option, value)


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
