"""The command line's texts as values: units, times, streams, assignments; a wrong one is one message."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from agreement.inputs.files import PROGRAM_SUFFIX
from agreement.inputs.number_readers import Period, read_periods
from agreement.inputs.values import ABSOLUTE_IRI, LARGEST, cut
from lars.durations import Duration, read_duration
from lars.errors import LarsError
from lars.terms import Iri
from translate.query import EPOCH, SECOND


def unit_of(text: str | None, option: str = "--unit") -> Duration:
    """Return the length of time that an option gives, 1s when it is not given."""
    if text is None:
        return SECOND
    try:
        unit = read_duration(text)
    except LarsError as error:
        raise LarsError(f"{option} {error}") from None
    if not unit.nanoseconds:
        raise LarsError(f"{option} {cut(text)}: accepted: a duration above zero, as 1s or 500ms")
    return unit


def time_of(option: str) -> Callable[[str], int]:
    """Return what reads the time point of an option."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > LARGEST:
            raise LarsError(f"{option} {cut(text)}: accepted: a time point, 0..{LARGEST}")
        return int(text)

    return read


def number_of(option: str, accepted: str = "a number from 1") -> Callable[[str], int]:
    """Return what reads the ordinal number of an option."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
            raise LarsError(f"{option} {cut(text)}: accepted: {accepted}")
        return int(text)

    return read


def models(text: str) -> int:
    """Return how many answer streams --models wants; 0 stands for all."""
    return 0 if text == "all" else number_of("--models", "all, or a number from 1")(text)


def period(text: str) -> Period:
    """Return the one pulling period of a command that takes no more."""
    periods = read_periods(text)
    if len(periods) > 1:
        raise LarsError(f"--period {cut(text)}: accepted here: one period, as 5; `lars agree` takes several")
    return periods[0]


def moment(text: str | None) -> datetime | None:
    """Return the dateTime of --origin."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise LarsError(f"--origin {text}: accepted: a dateTime, as 2026-01-31T12:00:00Z") from None


def origin_text(origin: datetime | None) -> str:
    """Return the dateTime of time 0 as NOW() counts from it."""
    return EPOCH if origin is None else origin.isoformat().replace("+00:00", "Z")


def assignments(texts: Iterable[str] | None) -> Mapping[Iri, tuple[Iri, ...]]:
    """Return the predicates that each `STREAM=PREDICATE` gives to a stream."""
    found: dict[Iri, tuple[Iri, ...]] = {}
    for text in texts or ():
        stream, separator, predicate = text.partition("=")
        if not (separator and stream and predicate):
            raise LarsError(f"--assign {text}: accepted: STREAM=PREDICATE, two IRIs")
        key, given = (Iri(_absolute("--assign", text, iri)) for iri in (stream, predicate))
        found[key] = (*found.get(key, ()), given)
    return found


def streams(texts: Iterable[str] | None) -> Mapping[Path, str]:
    """Return the stream of each file that an `IRI=FILE` names."""
    found: dict[Path, str] = {}
    for text in texts or ():
        iri, separator, file = text.rpartition("=")
        if not (separator and iri and file):
            raise LarsError(f"--stream {text}: accepted: IRI=FILE")
        if found.setdefault(Path(file), iri := _absolute("--stream", text, iri)) != iri:
            raise LarsError(
                f"--stream {text}: the file was given the stream {found[Path(file)]}; accepted: one"
            )
    return found


def _absolute(option: str, text: str, iri: str) -> str:
    bare = iri[1:-1] if iri[:1] == "<" and iri[-1:] == ">" else iri
    if not ABSOLUTE_IRI.fullmatch(bare):
        raise LarsError(
            f"{option} {cut(text)}: found {iri!r}; accepted: an absolute IRI, as http://example.org/s"
        )
    return bare


def check_for_queries(path: Path, given: Sequence[str]) -> None:
    """Raise when options that say how a query is read are given for a program."""
    if given and path.suffix == PROGRAM_SUFFIX:
        raise LarsError(
            f"{path}: {', '.join(given)}: accepted for queries; a program says its windows and rules itself"
        )


def check_for_programs(path: Path, given: Sequence[str]) -> None:
    """Raise when options about answer streams are given for a query, which has one."""
    if given and path.suffix != PROGRAM_SUFFIX:
        raise LarsError(f"{path}: {', '.join(given)}: accepted for LARS programs; a query has one answer")
