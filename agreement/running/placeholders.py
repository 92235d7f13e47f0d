"""Placeholders `{window}` in an experiment's texts and queries, which parameters of the grid fill."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from agreement.experiment_values import WrongValueError
from agreement.placed import KeyPath, PlacedData
from agreement.running.values import Scalar, written
from lars.errors import PlacedError, place_at

PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Parameters = Mapping[str, Scalar]


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
                yield from texts(one, (*path, key))
        case _:
            return


def named(toml: PlacedData, path: KeyPath, content: object, known: Collection[str]) -> set[str]:
    """Return the parameters that a content names; raises PlacedError at a placeholder without one."""
    found = set()
    for place, text in texts(content, path):
        for match in PLACEHOLDER.finditer(text):
            if match[1] not in known:
                raise toml.error(place, WrongValueError(_unknown(match[0], known), part=match[0]))
            found.add(match[1])
    return found


def named_in_file(source: str, text: str, known: Collection[str]) -> set[str]:
    """Return the parameters that a file's text names; raises PlacedError as `named` does."""
    found = set()
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in known:
            problem = f"{_unknown(match[0], known)}; where braces are the query's own, write {{ {match[1]} }}"
            raise PlacedError(place_at(source, text, match.start()), problem)
        found.add(match[1])
    return found


def _unknown(placeholder: str, known: Collection[str]) -> str:
    accepted = ", ".join(f"{{{name}}}" for name in known) or "none, as [grid] has no parameter"
    return f"found the placeholder {placeholder}; accepted: {accepted}"


def filled(content: Any, parameters: Parameters) -> Any:
    """Return a content with its placeholders filled; a text that is one becomes its value as it is."""
    match content:
        case str() if found := PLACEHOLDER.fullmatch(content):
            return parameters[found[1]]
        case str():
            return filled_text(content, parameters)
        case list():
            return [filled(one, parameters) for one in content]
        case dict():
            return {filled_text(key, parameters): filled(one, parameters) for key, one in content.items()}
        case _:
            return content


def filled_text(text: str, parameters: Parameters) -> str:
    """Return a text with its placeholders filled."""
    return PLACEHOLDER.sub(lambda found: written(parameters[found[1]]), text)
