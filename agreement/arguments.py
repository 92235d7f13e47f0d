"""The command line's texts as values: units, streams, assignments; a wrong one is one message."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agreement.experiment_numbers import read_periods
from agreement.experiment_values import ABSOLUTE_IRI, LARGEST, cut
from agreement.files import PROGRAM_SUFFIX
from lars.durations import Duration, read_duration
from lars.errors import LarsError
from lars.terms import Iri
from lars.windows import Bounds
from translate.profiles import EPOCH, SECOND, Profile, Semantics, Setting

if TYPE_CHECKING:
    from agreement.inputs import TraceInput
    from solver.evaluate import Whole


MOST_STREAMS: Final = 1000
"""How many answer streams are shown at one time point when nobody says how many."""


def unit_of(text: str | None) -> Duration:
    """Return the unit that an option gives, 1s when it is not given."""
    if text is None:
        return SECOND
    unit = read_duration(text)
    if not unit.nanoseconds:
        raise LarsError(f"--unit {text}: accepted: a duration above zero, as 1s or 500ms")
    return unit


def time_point(text: str) -> int:
    """Return the time point that --from or --to gives."""
    if not re.fullmatch(r"[0-9]{1,19}", text) or int(text) > LARGEST:
        raise LarsError(f"{cut(text)!r} is no time point; accepted by --from and --to: 0..{LARGEST}")
    return int(text)


def for_queries(path: Path, **given: object) -> None:
    """Raise when an option that says how a query is read is given for a program; options by name."""
    wrong = [f"--{option}" for option, value in given.items() if value is not None]
    if wrong and path.suffix == PROGRAM_SUFFIX:
        raise LarsError(
            f"{path}: {', '.join(wrong)}: accepted for queries; a program says its windows and rules itself"
        )


def for_programs(path: Path, given: Mapping[str, object]) -> None:
    """Raise when an option about answer streams is given for a query, which has one."""
    wrong = [option for option, value in given.items() if value]
    if wrong and path.suffix != PROGRAM_SUFFIX:
        raise LarsError(f"{path}: {', '.join(wrong)}: accepted for LARS programs; a query has one answer")


def models(text: str) -> int:
    """Return how many answer streams --models wants; 0 stands for all."""
    if text != "all" and not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise LarsError(f"--models {cut(text)}: accepted: all, or a number from 1")
    return 0 if text == "all" else int(text)


def whole(most: int | None, brave: bool, cautious: bool) -> "Whole":
    """Return what is wanted of a program's answer streams."""
    from solver.evaluate import Whole
    from solver.plain import Consequences

    if brave + cautious + (most is not None) > 1:
        raise LarsError("accepted: one of --models, --brave and --cautious")
    kinds = (Consequences.BRAVE,) * brave + (Consequences.CAUTIOUS,) * cautious
    shown = MOST_STREAMS if most is None else most or None
    return Whole(None, kinds[0]) if kinds else Whole(shown)


def period(text: str) -> int:
    """Return the one pulling period of a command that takes no more."""
    periods = read_periods(text)
    if len(periods) > 1:
        raise LarsError(f"--period {cut(text)}: accepted here: one period, as 5; `lars agree` takes several")
    return periods[0]


def usage_problem(message: str) -> str:
    """Return what is wrong with a command line, in the words of this program."""
    plain = message.replace("Value error, ", "").strip().rstrip(".")
    return f"{plain[:1].lower()}{plain[1:]}; --help lists what is accepted" if plain else ""


def setting(
    unit: str | None,
    profile: Profile | None,
    bounds: Bounds | None,
    semantics: Semantics | None = None,
    origin: str | None = None,
) -> Setting:
    """Return what a translation depends on, defaults where an option is not given."""
    return Setting(
        profile or Profile.PAPER2015,
        unit_of(unit),
        bounds or Bounds.CLOSED,
        semantics or Semantics.SET,
        origin=EPOCH if origin is None else moment_text(origin),
    )


def moment_text(text: str) -> str:
    """Return the dateTime of --origin as XML Schema writes it."""
    found = moment(text)
    assert found is not None
    return found.isoformat().replace("+00:00", "Z")


def assignments(texts: Iterable[str]) -> Mapping[Iri, tuple[Iri, ...]]:
    """Return the predicates that each `STREAM=PREDICATE` gives to a stream."""
    found: dict[Iri, tuple[Iri, ...]] = {}
    for text in texts:
        stream, separator, predicate = text.partition("=")
        if not (separator and stream and predicate):
            raise LarsError(f"--assign {text}: accepted: STREAM=PREDICATE, two IRIs")
        key, named = (Iri(_absolute("--assign", text, iri)) for iri in (stream, predicate))
        found[key] = (*found.get(key, ()), named)
    return found


def streams(texts: Iterable[str]) -> Mapping[Path, str]:
    """Return the stream of each file that an `IRI=FILE` names."""
    found: dict[Path, str] = {}
    for text in texts:
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
    if OnError(on_error) is OnError.SKIP and rejected is None:
        raise LarsError("--on-error skip: give --rejected FILE too, which keeps the lines that are skipped")
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
    return TraceInput((*trace, *(path for path in named if path not in trace)), options, tuple(static or ()))
