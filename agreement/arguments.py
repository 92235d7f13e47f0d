"""The command line's texts as values: units, streams, assignments; a wrong one is one message."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lars.durations import Duration, read_duration
from lars.errors import LarsError
from lars.terms import Iri
from lars.windows import Bounds
from translate.profiles import SECOND, Profile, Setting

if TYPE_CHECKING:
    from agreement.inputs import Runner, TraceInput


def unit_of(text: str | None) -> Duration:
    """Return the unit that an option gives, 1s when it is not given."""
    if text is None:
        return SECOND
    unit = read_duration(text)
    if not unit.nanoseconds:
        raise LarsError(f"--unit {text}: a time point is longer than nothing")
    return unit


def setting(unit: str | None, profile: Profile | None, bounds: Bounds | None) -> Setting:
    """Return what a translation depends on, defaults where an option is not given."""
    return Setting(profile or Profile.PAPER2015, unit_of(unit), bounds or Bounds.CLOSED)


def assignments(texts: Iterable[str]) -> Mapping[Iri, tuple[Iri, ...]]:
    """Return the predicates that each `STREAM=PREDICATE` gives to a stream."""
    found: dict[Iri, tuple[Iri, ...]] = {}
    for text in texts:
        stream, separator, predicate = text.partition("=")
        if not (separator and stream and predicate):
            raise LarsError(f"--assign {text}: accepted: STREAM=PREDICATE, two IRIs")
        key = Iri(stream.strip("<>"))
        found[key] = (*found.get(key, ()), Iri(predicate.strip("<>")))
    return found


def streams(texts: Iterable[str]) -> Mapping[Path, str]:
    """Return the stream of each file that an `IRI=FILE` names."""
    found: dict[Path, str] = {}
    for text in texts:
        iri, separator, file = text.rpartition("=")
        if not (separator and iri and file):
            raise LarsError(f"--stream {text}: accepted: IRI=FILE")
        found[Path(file)] = iri.strip("<>")
    return found


def moment(text: str | None) -> datetime | None:
    """Return the dateTime of --origin."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise LarsError(f"--origin {text}: accepted: a dateTime, as 2026-01-31T12:00:00Z") from None


def trace_input(
    trace: Sequence[Path],
    static: Sequence[Path] | None,
    stream: Sequence[str] | None,
    unit: Duration | None,
    trace_unit: str | None,
    origin: str | None,
    sort: bool,
    on_error: str,
    rejected: Path | None,
) -> "TraceInput":
    """Return the trace that the options describe; files that --stream names belong to it."""
    from agreement.inputs import TraceInput
    from solver.trace import OnError, TraceOptions

    if on_error not in {choice.value for choice in OnError}:
        raise LarsError(f"--on-error {on_error}: accepted: stop, skip")
    named = streams(stream or ())
    options = TraceOptions(
        unit or SECOND,
        None if trace_unit is None else unit_of(trace_unit),
        moment(origin),
        sort,
        OnError(on_error),
        rejected,
        named,
    )
    return TraceInput(tuple(dict.fromkeys((*trace, *named))), options, tuple(static or ()))


def run_by(given: "TraceInput", runner: "Runner") -> "TraceInput":
    """Return the trace, read and evaluated by a runner."""
    return replace(given, runner=runner)
