"""A first mapping of a table's own columns: what queries ask about them, by their names."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Final

from lars.language.terms import Iri, Variable
from solver.facts import readable
from translate.model.patterns import TriplePattern
from translate.model.query import EngineQuery

_TIMES: Final = ("t", "time", "timestamp", "datetime", "date", "when", "at", "ts")
_PREFIX: Final = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_STANDARD: Final = "http://www.w3.org/"
_WORD: Final = re.compile(r"(?![0-9.+-]+$)[\w.-]+")
_EXAMPLE: Final = ("ex", "http://example.org/")


@dataclass(frozen=True, slots=True)
class GuessedColumns:
    """What each column becomes, as templates, with the prefixes that these use."""

    columns: Mapping[str, str]
    prefixes: Mapping[str, str]


def guessed_columns(
    path: Path, names: Sequence[str], queries: Sequence[EngineQuery], texts: Sequence[str]
) -> GuessedColumns:
    """Return a mapping: a column is the object of the predicate that is called so, or whose variable is.

    The one column and the one predicate that are left belong together. Words become IRIs.
    """
    written = (one for text in texts for one in _PREFIX.findall(text))
    prefixes = {name: iri for name, iri in written if not iri.startswith(_STANDARD)} or dict([_EXAMPLE])
    short = next(iter(prefixes))
    time = next((one for one in names if one.lower() in _TIMES), names[0])
    left = [one for one in names if one != time] or [time]
    asked = list(dict.fromkeys(one for query in queries for one in _patterns(query.pattern)))
    subjects = {_name(one.subject) for one in asked}
    first = next((one for one in left if one.lower() in subjects), left[0])
    others = [one for one in left if one != first] or [first]
    predicates = _predicates(others, asked)
    sample = _first_row(path, names)
    columns = {"t": f"{{{time}}}", "s": f"{short}:{{{first}}}"}
    for one in others:
        key = _shortened(predicates[one], prefixes) if one in predicates else f"{short}:{_local(one)}"
        columns[key] = f"{short}:{{{one}}}" if _WORD.fullmatch(sample.get(one, "")) else f"{{{one}}}"
    texts_of_all = (*columns, *columns.values())
    used = {name: iri for name, iri in prefixes.items() if any(f"{name}:" in one for one in texts_of_all)}
    return GuessedColumns(columns, used)


def _predicates(columns: Sequence[str], asked: Sequence[TriplePattern]) -> dict[str, str]:
    """Return the predicates of the columns for which there is one."""
    found = {one: iri for one in columns if (iri := _predicate(one, asked)) is not None}
    every = dict.fromkeys(one.predicate.value for one in asked if isinstance(one.predicate, Iri))
    free = [one for one in every if one not in found.values()]
    rest = [one for one in columns if one not in found]
    return found | (dict(zip(rest, free, strict=True)) if len(rest) == len(free) == 1 else {})


def _patterns(part: object) -> Iterator[TriplePattern]:
    """Yield the triple patterns in a part of a query, in the order of the text."""
    match part:
        case TriplePattern():
            yield part
        case tuple() | list() | frozenset():
            for one in part:
                yield from _patterns(one)
        case _ if is_dataclass(part) and not isinstance(part, type):
            for one in fields(part):
                yield from _patterns(getattr(part, one.name))


def _name(term: object) -> str | None:
    return term.name.lower() if isinstance(term, Variable) else None


def _predicate(column: str, asked: Sequence[TriplePattern]) -> str | None:
    """Return the predicate whose object or whose own name a column is called by."""
    wanted = column.lower()
    for one in asked:
        if isinstance(one.predicate, Iri):
            own = re.split(r"[/#:]", one.predicate.value.rstrip("/#"))[-1].lower()
            if wanted in {_name(one.object), own}:
                return one.predicate.value
    return None


def _shortened(iri: str, prefixes: Mapping[str, str]) -> str:
    fitting = [(len(own), name) for name, own in prefixes.items() if iri.startswith(own)]
    if not fitting:
        return iri
    size, name = max(fitting)
    return f"{name}:{iri[size:]}"


def _local(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _first_row(path: Path, names: Sequence[str]) -> Mapping[str, str]:
    """Return the first row of a table of text, empty for another one."""
    if ".csv" not in path.suffixes:
        return {}
    with readable(path).open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        row = dict(zip(header, next(rows, []), strict=False))
    return {name: row.get(name, "") for name in names}
