"""The parameters of a grid, and the placeholders `{window}` in texts and queries that they fill."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from agreement.documents.placed import KeyPath, PlacedData
from agreement.documents.requests import MOST_NUMBERS, PARAMETERS, read_part
from agreement.documents.values import Scalar, WrongValueError, is_scalar, placeholder_text, wrong
from lars.errors import PlacedError, place_at

_PARAMETER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Parameters = Mapping[str, Scalar]
COLUMNS: Final = "columns"
"""The table whose braces name columns of a trace's table."""


def read_grid(value: object) -> dict[str, tuple[Scalar, ...]]:
    """Read the table from parameters to their values."""
    if not isinstance(value, dict):
        raise wrong(value, "a table of parameters with their values, as in stations = [5, 50]")
    return {name: _parameter(name, values) for name, values in value.items()}


def _parameter(name: str, value: object) -> tuple[Scalar, ...]:
    if not _PARAMETER.fullmatch(name):
        problem = f'found the parameter "{name}"; accepted: letters, digits and _, as in {{window}}'
        raise WrongValueError(problem, part=name)
    if isinstance(value, str) and ".." in value:
        return read_part(value, PARAMETERS, name)
    one = "texts, numbers, true or false"
    accepted = f"the values of {name}: a list, not empty, of {one}; or a range, as '1..50'"
    if not isinstance(value, list) or not value or len(value) > MOST_NUMBERS:
        raise wrong(value, accepted, name)
    if not all(map(is_scalar, value)) or len(set(map(type, value))) > 1:
        raise wrong(value, f"{accepted}, all of one kind", name)
    if len(set(value)) < len(value):
        raise wrong(value, f"the values of {name}, each once", name)
    return tuple(value)


def texts(content: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts inside a content, with the path of each; keys are texts too."""
    match content:
        case str():
            yield path, content
        case list():
            for number, one in enumerate(content):
                yield from texts(one, (*path, number))
        case dict():
            for key, one in content.items():
                yield (*path, key), key
                if key != COLUMNS:
                    yield from texts(one, (*path, key))
        case _:
            return


def parameters_in(toml: PlacedData, path: KeyPath, content: object, known: Collection[str]) -> set[str]:
    """Return the parameters that a content names; raises PlacedError at a placeholder without one.

    Where the grid knows no parameter, nothing is a placeholder: braces are text.
    """
    found: set[str] = set()
    for place, text in texts(content, path) if known else ():
        for match in PLACEHOLDER.finditer(text):
            if match[1] not in known:
                raise toml.error(place, WrongValueError(_unknown(match[0], known), part=match[0]))
            found.add(match[1])
    return found


def parameters_in_text(source: str, text: str, known: Collection[str]) -> set[str]:
    """Return the parameters that a file's text names; raises PlacedError as `named` does."""
    matches = list(PLACEHOLDER.finditer(text)) if known else []
    for match in matches:
        if match[1] not in known:
            problem = f"{_unknown(match[0], known)}; where braces are the query's own, write {{ {match[1]} }}"
            raise PlacedError(place_at(source, text, match.start()), problem)
    return {match[1] for match in matches}


def _unknown(placeholder: str, known: Collection[str]) -> str:
    accepted = ", ".join(f"{{{name}}}" for name in known)
    return f"found the placeholder {placeholder}; accepted: {accepted}"


def fill(content: Any, parameters: Parameters) -> Any:  # TOML, of the same shape
    """Return a content with its placeholders filled; a text that is one becomes its value as it is."""
    match content:
        case str() if found := PLACEHOLDER.fullmatch(content):
            return parameters.get(found[1], content)
        case str():
            return filled_text(content, parameters)
        case list():
            return [fill(one, parameters) for one in content]
        case dict():
            return {
                filled_text(key, parameters): one if key == COLUMNS else fill(one, parameters)
                for key, one in content.items()
            }
        case _:
            return content


def filled_text(text: str, parameters: Parameters) -> str:
    """Return a text with its placeholders filled."""
    return PLACEHOLDER.sub(lambda found: placeholder_text(parameters.get(found[1], found[0])), text)
