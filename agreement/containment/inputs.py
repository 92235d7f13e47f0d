"""What is compared: two files of queries, in one mode, the columns of the first by other names."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agreement.containment.canonical import OneQuery
from agreement.inputs import InterpretationOptions, durations_in, fitting_unit, load_query, sources, unit_of
from lars.errors import LarsError
from lars.files import exists
from lars.terms import Variable
from translate.analysis import renamed
from translate.query import EngineQuery, Profile

_ACCEPTED: Final = "accepted with --contained and --equivalent: two files, each with a query"
_TWO: Final = 2


def two_queries(
    inputs: Sequence[Path], unit: str | None, reading: InterpretationOptions, names: Iterable[str] | None
) -> tuple[OneQuery, OneQuery]:
    """Return the two queries; `names` are `A=B`: the column A of the first is B of the second.

    Without windows and --profile they are plain SPARQL, read as SPARQL 1.1 is.
    """
    if len(inputs) != _TWO:
        raise LarsError(f"{len(inputs)} inputs; {_ACCEPTED}")
    for path in inputs:
        if not exists(path):
            raise LarsError(f"{path}: no such file; {_ACCEPTED}")
    length = fitting_unit(durations_in(inputs)) if unit is None else unit_of(unit)
    first, second = (load_query(path, length) for path in inputs)
    setting = reading.setting(length)
    if reading.profile is None and not (*sources(first), *sources(second)):
        setting = replace(setting, profile=Profile.SPARQL11)
    return OneQuery(_renamed(first, names or (), inputs[0]), setting), OneQuery(second, setting)


def _renamed(query: EngineQuery, names: Iterable[str], path: Path) -> EngineQuery:
    found: dict[Variable, Variable] = {}
    for text in names:
        old, separator, new = (part.lstrip("?") for part in text.partition("="))
        if not (separator and old and new) or Variable(old) not in query.result:
            columns = " ".join(f"?{name.name}" for name in sorted(query.result)) or "none"
            raise LarsError(f"--rename {text}: accepted: A=B, A a column of {path}: {columns}")
        found[Variable(old)] = Variable(new)
    # What had the new name gets the old one: names inside a query are its own.
    whole = {new: old for old, new in found.items() if new not in found} | found
    result = tuple(whole.get(name, name) for name in query.result)
    return replace(query, result=result, pattern=renamed(query.pattern, whole)) if found else query
