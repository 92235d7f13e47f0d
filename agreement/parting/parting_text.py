"""Where two profiles part, for readers: a table of the differences, and a sentence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agreement.outputs import short, short_row
from agreement.parting.causes import Cause, Parted
from agreement.parting.command import Found
from agreement.parting.parting import Parting
from agreement.recordings.recording import Report, Row
from lars.durations import NANOSECONDS, Duration

_ROWS: Final = 3
"""Of more rows that one side alone has these are shown."""


def as_text(found: Sequence[Found]) -> Iterator[RenderableType]:
    """Yield each comparison, and a sentence about all of them if there are several."""
    for one in found:
        yield from _of_one(one)
    if len(found) > 1:
        same = sum(one.parting.same for one in found)
        rules = Counter(cause for one in found for cause, _ in one.parting.frequencies)
        frequent = sorted(rules.items(), key=lambda one: (-one[1], one[0].rule.name))
        named = ", ".join(f"{cause.rule.name} in {count}" for cause, count in frequent)
        yield f"the same in {same} of {len(found)} cases" + (f"; what parts them: {named}" if named else "")


def _of_one(found: Found) -> Iterator[RenderableType]:
    parting = found.parting
    if found.title is not None:
        yield found.title
    if parting.parted:
        yield _table(found)
    yield summary(found)
    yield from _rules(parting)
    for name, after in zip(parting.names, parting.after, strict=True):
        if after:
            reports = f"{len(after)} report{'s' * (len(after) != 1)}"
            yield f"not compared: {reports} of {name} for which no later push comes"


def _table(found: Found) -> Table:
    parting = found.parting
    names = ("push", "time", "triple") if parting.pushes is not None else ("time unit",)
    table = Table(title=f"where they part, times in {found.unit}", title_justify="left")
    for name in (*names, *_sides(parting), "what parts them"):
        table.add_column(name, justify="right" if name in ("push", "time", "time unit") else "left")
    shown: set[Cause] = set()
    for one in parting.parted:
        table.add_row(*_place(one, found), *_cells(one, found.unit), Text(_causes(one, parting, shown)))
        shown.update(one.causes)
    return table


def _sides(parting: Parting) -> tuple[str, str]:
    first, second = parting.names
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _place(one: Parted, found: Found) -> tuple[str, ...]:
    place = one.difference.place
    if found.parting.pushes is None:
        return (str(place),)
    push = found.parting.pushes[place]
    return str(place), time(push.t, found.unit), " ".join(map(short, push.triple))


def time(t: float, unit: Duration) -> str:
    """Return a time in milliseconds as a number of units."""
    return f"{t * NANOSECONDS['ms'] / unit.nanoseconds:.12g}"


def _cells(one: Parted, unit: Duration) -> tuple[Text, Text]:
    found = one.difference
    return (
        Text(_cell(found.first, found.only_first, unit)),
        Text(_cell(found.second, found.only_second, unit)),
    )


def _cell(reports: Sequence[Report], only: Sequence[Row], unit: Duration) -> str:
    if not reports:
        return "no report"
    lines = [f"{_rows(len(report.rows))} at {time(report.t, unit)}" for report in reports]
    if only:
        more = [f"… {len(only) - _ROWS} more"] * (len(only) > _ROWS)
        lines.append("only here: " + " ".join((*map(short_row, only[:_ROWS]), *more)))
    return "\n".join(lines)


def _rows(count: int) -> str:
    return "empty" if not count else f"{count} row{'s' * (count != 1)}"


def _causes(one: Parted, parting: Parting, shown: set[Cause]) -> str:
    if not one.causes:
        return "the specifications that they follow" if parting.fields else "no rule explains it"
    lines = [
        _named(cause, parting) + ("" if cause in shown else f": {cause.rule.says}") for cause in one.causes
    ]
    if one.together:
        lines.append("(together)")
    if not one.undone:
        lines.append("(in part)")
    return "\n".join(lines)


def _named(cause: Cause, parting: Parting) -> str:
    """Return a rule's name; with its profile where both have one of that name."""
    others = {other.number for other in parting.causes if other.rule.name == cause.rule.name}
    return cause.rule.name if len(others) == 1 else f"{_sides(parting)[cause.number]} {cause.rule.name}"


def summary(found: Found) -> str:
    """Return the sentence that says whether and where they part."""
    parting = found.parting
    first, second = parting.names
    place = "push" if parting.pushes is not None else "time unit"
    places = f"{parting.places} {place}{_plural(parting.places, place)} at which either reports"
    if not parting.places:
        return f"nothing to compare: neither {first} nor {second} reports at a {place}"
    if parting.same:
        return f"{first} and {second} report the same at all {places}"
    at = parting.parted[0].difference.place
    when = "" if parting.pushes is None else f" (time {time(parting.pushes[at].t, found.unit)})"
    rules = ", ".join(f"{_named(cause, parting)} ({count})" for cause, count in parting.frequencies)
    why = f"; what parts them: {rules}" if rules else "; no rule of them explains it"
    return f"{first} and {second} part at {len(parting.parted)} of {places}, first at {place} {at}{when}{why}"


def _whose(parting: Parting) -> str:
    return "" if parting.pushes is None else "that they follow "


def _plural(count: int, noun: str) -> str:
    return "" if count == 1 else "es" if noun.endswith("sh") else "s"


def _rules(parting: Parting) -> Iterator[str]:
    if parting.fields and parting.parted:
        named = "; ".join(f"{one.name}: {one.says}" for one in parting.fields)
        yield f"the specifications {_whose(parting)}differ in {named}"
    if parting.alone:
        named = ", ".join(_named(cause, parting) for cause in parting.alone)
        yield f"changed alone, each of these undoes every difference: {named}"
    if parting.needed:
        yield "rules needed on the whole trace: " + ", ".join(rule.name for rule in parting.needed)
