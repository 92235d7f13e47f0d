"""The values of an experiment with a grid; a placeholder can have put a number or a text anywhere."""

import math
import re
from typing import Any, Final

from agreement.experiment_values import LARGEST, WrongValueError, wrong
from lars.durations import read_duration
from lars.errors import LarsError

Scalar = str | int | float | bool
"""A value of a parameter."""
MOST_VALUES: Final = 10_000
"""How many values one parameter may have."""
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

_RANGE: Final = re.compile(r"\s*([0-9]{1,18})\s*\.\.\s*([0-9]{1,18})\s*")
_DIGITS: Final = re.compile(r"[0-9]{1,19}")
_SCALARS: Final = "texts, numbers, true or false"


def grid(value: object) -> dict[str, tuple[Scalar, ...]]:
    """Read the table from parameters to their values."""
    if not isinstance(value, dict):
        raise wrong(value, "a table of parameters with their values, as in stations = [5, 50]")
    return {name: _parameter(name, values) for name, values in value.items()}


def _parameter(name: str, value: object) -> tuple[Scalar, ...]:
    if not NAME.fullmatch(name):
        problem = f'found the parameter "{name}"; accepted: letters, digits and _, as in {{window}}'
        raise WrongValueError(problem, part=name)
    accepted = f"the values of {name}: a list, not empty, of {_SCALARS}; or a range, as '1..50'"
    if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
        first, last = int(found[1]), int(found[2])
        if not first <= last < first + MOST_VALUES:
            raise wrong(value, f"a range of at most {MOST_VALUES} values, the first one first", name)
        return tuple(range(first, last + 1))
    if not isinstance(value, list) or not value or len(value) > MOST_VALUES:
        raise wrong(value, accepted, name)
    if not all(_is_scalar(one) for one in value) or len({type(one) for one in value}) > 1:
        raise wrong(value, f"{accepted}, all of one kind", name)
    if len(set(value)) < len(value):
        raise wrong(value, f"the values of {name}, each once", name)
    return tuple(value)


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def written(value: Scalar) -> str:
    """Return a value as a placeholder inside a text shows it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def scalar_text(value: object) -> str:
    """Read a text, or a number as its text."""
    if not _is_scalar(value):
        raise wrong(value, "a text in quotes, or a number")
    return written(value)  # type: ignore[arg-type]


def name(value: object) -> str:
    """Read a name for tables and files."""
    text = scalar_text(value).strip()
    if not text or not text.isprintable():
        raise wrong(value, "a name")
    return text


def names(value: object) -> tuple[str, ...]:
    """Read names, one or a list of them."""
    return tuple(map(name, value if isinstance(value, list) else [value]))


def count(value: object) -> int:
    """Read a whole number from 0, or a text of one."""
    if type(value) is int and 0 <= value <= LARGEST:
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value) and int(value) <= LARGEST:
        return int(value)
    raise wrong(value, f"a whole number of time points, 0..{LARGEST}")


def times(value: object) -> tuple[int, ...]:
    """Read time points: one, a list, or a range as '0..9'."""
    if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
        first, last = int(found[1]), int(found[2])
        if first <= last < first + MOST_VALUES:
            return tuple(range(first, last + 1))
    elif isinstance(value, list) and value:
        return tuple(dict.fromkeys(map(count, value)))
    elif not isinstance(value, list):
        return (count(value),)
    raise wrong(value, "time points: one as 0, several as [0, 5], a range as '0..9'")


def share(value: object) -> float:
    """Read a number from 0 to 1."""
    try:
        found = float(value) if isinstance(value, str | int | float) and type(value) is not bool else -1.0
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise wrong(value, "a number from 0 to 1, as 1e-9")
    return found


def milliseconds(value: object) -> float:
    """Read a duration as milliseconds; zero is one."""
    try:
        if isinstance(value, str):
            return read_duration(value).milliseconds
    except LarsError:
        pass
    raise wrong(value, "a duration in quotes, as in '300ms'")


def yes_or_no(value: object) -> bool:
    """Read true or false; a placeholder in a text gives them in quotes."""
    found = {"true": True, "false": False}.get(written(value) if isinstance(value, str | bool) else "")
    if found is None:
        raise wrong(value, "true or false")
    return found


def query(value: object) -> str | dict[str, Any]:
    """Read a query: a file, or a table with its text."""
    match value:
        case str() if value.strip():
            return value
        case {"text": str() as text, **others} if text.strip() and not others:
            return {"text": text}
        case _:
            raise wrong(value, "the path of a file in quotes, or {text = '''..'''}")
